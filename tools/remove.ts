/** `npm run remove`: removes jokes from the service, brings them back, or erases them. */
import { MAX_COUNT, parseListing } from '../shared/listing.ts'
import { wordsOfJoke } from '../shared/store/item.ts'
import { listJokes } from '../shared/store/jokes.ts'
import { cursorAt } from '../shared/store/search.ts'
import type { Store } from '../shared/store/store.ts'
import { ACTIONS, actOn, argsWithoutIds, ask, describe, idsGiven } from './actions.ts'
import { chooseStore, STORE_OPTIONS, STORE_USAGE } from './chooseStore.ts'
import { CannotContinue, count, runCommand, WrongUsage } from './commandLine.ts'

const USAGE = `Usage: npm run remove -- ID…             [--undo | --erase] [options]
       npm run remove -- --ids FILE      [--undo | --erase] [options]
       npm run remove -- --since TIME [--until TIME] [--search WORDS] [options]

Removes jokes from all listings and searches. Their text and votes are kept, so a removal can be undone.

ID…            the jokes with these ids
--ids FILE     the jokes whose ids are in a file, one at the beginning of each line; - reads standard input
--since TIME   the jokes added at this time or later, such as 2026-11-21T14:05Z (UTC); lists them and asks first
--until TIME   … and before this time
--search WORDS … and that contain all these words
--beginnings   … or words that begin with them: --search bee also finds "been"
--undo         brings removed jokes back
--erase        erases removed jokes for ever: text, words and who added them; asks for their number
--count N      does not ask for the number of jokes to erase, if there are N
--show         shows the id of the request that added each joke, as in API Gateway's access log
--yes          does not ask before removing jokes of a period
${STORE_USAGE}`

interface Period {
  since: Date
  until: Date | undefined
  search: string | undefined
  beginnings: boolean
}

/** A date, or a time as in RFC 3339, perhaps without seconds. `Date` alone would read "yesterday 5" as the year 2001. */
const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/

await runCommand(
  USAGE,
  {
    ids: { type: 'string' },
    since: { type: 'string' },
    until: { type: 'string' },
    search: { type: 'string' },
    beginnings: { type: 'boolean', default: false },
    undo: { type: 'boolean', default: false },
    erase: { type: 'boolean', default: false },
    count: { type: 'string' },
    show: { type: 'boolean', default: false },
    yes: { type: 'boolean', default: false },
    ...STORE_OPTIONS,
  },
  async ({ values, positionals }) => {
    const { since, until, search, beginnings, undo, erase, show, yes } = values
    if (undo && erase) throw new WrongUsage('Choose --undo or --erase.')
    if (values.count !== undefined && !erase) throw new WrongUsage('--count needs --erase.')
    if (yes && since === undefined) throw new WrongUsage('--yes needs --since.')
    if (since !== undefined && (undo || erase))
      throw new WrongUsage('--since finds listed jokes only: name removed ones by their ids.')
    if (since === undefined && (until ?? search) !== undefined)
      throw new WrongUsage('--until and --search need --since.')
    if (search === undefined && beginnings) throw new WrongUsage('--beginnings needs --search.')
    const named = idsGiven(positionals, values.ids)
    const isByPeriod = since !== undefined
    const isByIds = named.length > 0
    if (isByIds === isByPeriod) throw new WrongUsage('Name jokes by their ids, or by --since.')
    const period =
      since === undefined
        ? undefined
        : { since: timeOf(since), until: until ? timeOf(until) : undefined, search, beginnings }

    const [store, owner] = await chooseStore(values)
    console.error(`Working on ${owner}.`)
    const ids = period ? await listPeriod(store, period) : named
    if (ids.length === 0) return console.error('No joke to remove.')
    if (erase) await confirmErasure(ids.length, values.count)
    else if (period && !yes) await confirm(`Remove ${count(ids.length)}?`)

    await actOn(store, ids, undo ? ACTIONS.undo : erase ? ACTIONS.erase : ACTIONS.remove, show)
  },
  argsWithoutIds(),
)

/** Lists the jokes added in a period, the newest first, and prints them. */
async function listPeriod(store: Store, { since, until, search, beginnings }: Period): Promise<string[]> {
  const listing = parseListing({ numberofJokes: String(MAX_COUNT), searchString: search })
  const ids: string[] = []
  let cursor = until && cursorAt(until, listing)
  for (;;) {
    const { jokes, next } = await listJokes(store, cursor ? { ...listing, cursor } : listing)
    for (const joke of jokes) {
      if (new Date(joke.dateAdded) < since) return ids
      // A search also finds words that only begin with those searched for.
      const words = new Set(wordsOfJoke(joke))
      if (!beginnings && listing.searchWords?.some((word) => !words.has(word))) continue
      ids.push(joke.id)
      console.error(`${joke.id}  ${describe(joke)}`)
    }
    if (!next) return ids
    cursor = next
  }
}

async function confirm(question: string): Promise<void> {
  const answer = await ask(`${question} [y/N]`, 'add --yes')
  if (!/^y(es)?$/i.test(answer)) throw new CannotContinue('Nothing was changed.')
}

/** Erasing cannot be undone, so it takes more than a key. */
async function confirmErasure(jokes: number, given: string | undefined): Promise<void> {
  const question = `Erase ${count(jokes)} for ever?`
  const answer = given ?? (await ask(`${question} Type their number:`, `add --count ${jokes}`))
  if (answer !== String(jokes))
    throw new CannotContinue(`${question} ${answer} is not their number. Nothing was changed.`)
}

function timeOf(text: string): Date {
  const time = new Date(text)
  // `Date` reads February 31 as a day of March.
  const day = text.slice(0, 10)
  if (!TIME.test(text) || Number.isNaN(time.getTime()) || !new Date(day).toISOString().startsWith(day))
    throw new CannotContinue(`${text} is not a time such as 2026-11-21T14:05Z, or a date such as 2026-11-21.`)
  return time
}
