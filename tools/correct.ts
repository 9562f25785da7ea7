/** `bin/jokes correct`: changes the texts or the category of a joke. */
import { ProblemError } from '../shared/errors.ts'
import { CATEGORIES } from '../shared/joke.ts'
import { CannotChange } from '../shared/store/operators/change.ts'
import { correct } from '../shared/store/operators/correction.ts'
import { chooseStore, defineForStore } from './chooseStore.ts'
import { CannotContinue, escaped, WrongUsage } from './commandLine.ts'
import { CHANGES_A_SECOND, changeEach } from './each.ts'
import { idsIn } from './states.ts'

export const correctJoke = defineForStore(
  'correct',
  `Changes the texts or the category of a joke, which keeps its id, votes and date. Prints the joke before and after, as
JSON. Searches then find its new words only. Adding one of its earlier texts gets 409.`,
  [
    "correct 4aPyoroA2qmZQ6vYOkx67i --punchline 'He used up all his cash.'",
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
    const print = (joke: object) => console.log(escaped(JSON.stringify(joke)))
    const change = async (id: string) => {
      const isChanged = await correct(store, id, Object.fromEntries(given), (before, after) => {
        print(before)
        print(after)
      })
      console.error(isChanged ? '1 joke corrected.' : 'The joke has these texts and this category already.')
      return { isChanged }
    }
    await changeEach(ids, CHANGES_A_SECOND, change).catch((error) => {
      if (!(error instanceof CannotChange || (error instanceof ProblemError && error.code === 'invalid'))) throw error
      throw new CannotContinue(`${error.message} The joke was not changed.`)
    })
  })
