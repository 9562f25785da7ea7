/** `bin/jokes approve`: approves jokes that wait for approval. */
import { plural } from '../shared/plural.ts'
import type { JokeRecord } from '../shared/store/operators/removal.ts'
import type { Store } from '../shared/store/store.ts'
import { actOn, IDS_FILE, idsGiven, JOKES, recordsOf } from './actions.ts'
import { chooseStore, defineForStore } from './chooseStore.ts'
import { printable, WrongUsage } from './commandLine.ts'
import { ask, confirmNumber } from './input.ts'

export const approve = defineForStore(
  'approve',
  `Approves jokes that wait. Without arguments, it shows each of them and asks. Jokes wait where approval is on: locally
after APPROVAL=on npm start, and on AWS with the setting approval=on. To undo a "no": bin/jokes remove ID --undo.`,
  ['approve --local', 'approve --all --stack JokeService'],
)
  .addArgument(JOKES)
  .addOption(IDS_FILE)
  .option('--all', 'approves all that wait, and asks for their number')
  .option('--count <n>', 'with --all: does not ask, if n jokes wait')
  .option('--json', 'only prints those that wait, as JSON Lines')
  .action(async (jokes, { ids, all, count, json, ...chosen }) => {
    const named = await idsGiven(jokes, ids)
    if ([named, all, json].filter(Boolean).length > 1) throw new WrongUsage('Choose one: jokes, --all or --json.')
    if (count !== undefined && !all) throw new WrongUsage('--count needs --all.')
    const store = await chooseStore(chosen)
    if (named) return actOn(store, named, 'approve', true)
    const waiting = await recordsOf(store, 'waiting')
    if (json) {
      for (const { id, requestId, joke } of waiting) console.log(JSON.stringify({ ...joke, id, requestId }))
      return
    }
    if (waiting.length === 0) return console.error('No joke waits.')
    if (!all) return review(store, waiting)
    await confirmNumber(`Approve ${plural(waiting.length, 'joke')}?`, waiting.length, count)
    const waitingIds = waiting.map(({ id }) => id)
    return actOn(store, waitingIds, 'approve', true)
  })

/** Shows jokes one by one, asks about each, and approves or removes it. */
async function review(store: Store, waiting: JokeRecord[]): Promise<void> {
  for (const [index, { id, requestId, joke }] of waiting.entries()) {
    const [what, ...texts] = joke
      ? [`${joke.dateAdded}  ${joke.category}`, joke.joke, joke.punchline]
      : ['a damaged joke']
    const heading = `${index + 1} of ${waiting.length}: ${id}  ${what}, added by request ${requestId ?? 'unknown'}`
    console.error(`\n${[heading, ...texts.filter(Boolean).map(printable)].join('\n    ')}`)
    const answer = await answerTo('Approve it? yes, no (removes it), later or quit [y/n/L/q]')
    if (answer === 'q') break
    if (answer !== 'l') await actOn(store, [id], answer === 'y' ? 'approve' : 'remove', false)
  }
}

async function answerTo(question: string): Promise<string> {
  for (;;) {
    const answer = await ask(question, 'name jokes, or add --all or --json')
    const [key = 'l'] = answer.toLowerCase()
    if (/^(y|yes|n|no|l|later|q|quit)?$/i.test(answer)) return key
  }
}
