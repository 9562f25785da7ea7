/** `bin/jokes correct`: changes the texts or the category of a joke. */
import { ProblemError } from '../shared/errors.ts'
import { CATEGORIES } from '../shared/joke.ts'
import { CannotChange } from '../shared/store/operators/change.ts'
import { correct } from '../shared/store/operators/correction.ts'
import { chooseStore, defineForStore } from './chooseStore.ts'
import { CannotContinue, Progress, WrongUsage } from './commandLine.ts'
import { forEach, paced, throwIfStopped } from './each.ts'
import { idsIn } from './states.ts'

export const correctJoke = defineForStore(
  'correct',
  `Changes the texts or the category of a joke, which keeps its id, votes and date. Prints the joke before and after, as
JSON. Searches then find its new words only. Adding one of its earlier texts gets 409.`,
  [
    "correct 4aPyoroA2qmZQ6vYOkx67i --punchline 'He used up all his cash.' --local",
    "correct 4aPyoroA2qmZQ6vYOkx67i --category 'Classic' --stack JokeService",
  ],
)
  .argument('<joke>', "a link to the joke, as the page's Share button gives, or its id from the API")
  .option('--joke <text>', 'its new setup')
  .option('--punchline <text>', 'its new punchline; a space removes it')
  .option('--category <name>', `its new category: one of ${CATEGORIES.join(', ')}`)
  .action(async (named, { joke, punchline, category, ...chosen }) => {
    const given = Object.entries({ joke, punchline, category }).filter(([, value]) => value !== undefined)
    if (given.length === 0) throw new WrongUsage('Say what to change: --joke, --punchline or --category.')
    const ids = idsIn(named)
    if (ids.length > 1) throw new WrongUsage('Name one joke.')
    const store = await chooseStore(chosen)
    const stop = new AbortController()
    let isChanged = false
    const work = async (id: string) => {
      isChanged = await correct(store, id, Object.fromEntries(given), (before, after) =>
        console.log(`${JSON.stringify(before)}\n${JSON.stringify(after)}`),
      )
      return isChanged
    }
    const left = await forEach(ids, paced(work, stop.signal), stop, new Progress())
    const { reason } = stop.signal
    if (reason instanceof CannotChange || reason instanceof ProblemError)
      throw new CannotContinue(`${reason.message} The joke was not changed.`)
    if (isChanged) console.error('1 joke corrected.')
    else if (left === 0) console.error('The joke has these texts and this category already.')
    throwIfStopped(stop)
  })
