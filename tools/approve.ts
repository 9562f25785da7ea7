/** `npm run approve`: lets in the jokes that wait for approval. */
import { plural } from '../shared/plural.ts'
import type { JokeRecord } from '../shared/store/operators/removal.ts'
import type { Store } from '../shared/store/store.ts'
import { ACTIONS, actOn, idsGiven, recordsOf } from './actions.ts'
import { chooseStore, STORE_OPTIONS, STORE_USAGE } from './chooseStore.ts'
import { FLAG, printable, runCommand, TEXT, WrongUsage } from './commandLine.ts'
import { ask, confirmNumber } from './input.ts'

const USAGE = `Usage: npm run approve -- [options]                  shows each joke that waits, and asks
       npm run approve -- ID… [options]              lets in the jokes with these ids
       npm run approve -- --ids FILE [options]       … whose ids begin the lines of a file; - reads standard input
       npm run approve -- --all [--count N]          … all that wait; asks for their number, unless there are N
       npm run approve -- --json [options]           only prints those that wait, as JSON Lines

Jokes wait where the setting approval is on. "No" removes a joke; after npm run remove -- ID --undo, it waits again.

${STORE_USAGE}`

await runCommand(
  USAGE,
  { ids: TEXT, all: FLAG, count: TEXT, json: FLAG, ...STORE_OPTIONS },
  async ({ values, positionals }) => {
    const named = await idsGiven(positionals, values.ids)
    if ([named, values.all, values.json].filter(Boolean).length > 1)
      throw new WrongUsage('Choose one: ids, --all or --json.')
    if (values.count !== undefined && !values.all) throw new WrongUsage('--count needs --all.')
    const store = await chooseStore(values)
    if (named) return actOn(store, named, ACTIONS.approve, true)
    const waiting = await recordsOf(store, 'waiting')
    if (values.json) {
      for (const { id, requestId, joke } of waiting) console.log(JSON.stringify({ ...joke, id, requestId }))
      return
    }
    if (waiting.length === 0) return console.error('No joke waits.')
    if (!values.all) return review(store, waiting)
    await confirmNumber(`Let in ${plural(waiting.length, 'joke')}?`, waiting.length, values.count)
    const ids = waiting.map(({ id }) => id)
    return actOn(store, ids, ACTIONS.approve, true)
  },
)

/** Shows jokes one by one, and does with each what the operator says. */
async function review(store: Store, waiting: JokeRecord[]): Promise<void> {
  for (const [index, { id, requestId, joke }] of waiting.entries()) {
    const [what, ...texts] = joke
      ? [`${joke.dateAdded}  ${joke.category}`, joke.joke, joke.punchline]
      : ['a damaged joke']
    const heading = `${index + 1} of ${waiting.length}: ${id}  ${what}, added by request ${requestId ?? 'unknown'}`
    console.error(`\n${[heading, ...texts.filter(Boolean).map(printable)].join('\n    ')}`)
    const answer = await answerTo('Let it in? yes, no (removes it), later or quit [y/n/L/q]')
    if (answer === 'q') break
    if (answer !== 'l') await actOn(store, [id], answer === 'y' ? ACTIONS.approve : ACTIONS.remove, false)
  }
}

async function answerTo(question: string): Promise<string> {
  for (;;) {
    const answer = await ask(question, 'name ids, or add --all or --json')
    const [key = 'l'] = answer.toLowerCase()
    if (/^(y|yes|n|no|l|later|q|quit)?$/i.test(answer)) return key
  }
}
