/** `npm run remove`: removes jokes from the service, brings them back, or erases them. */

import { MAX_COUNT } from '../shared/clientLimits.ts'
import { type StoredJoke, wordsOfJoke } from '../shared/joke.ts'
import { parseListing } from '../shared/listing.ts'
import { plural } from '../shared/plural.ts'
import { listJokes } from '../shared/store/jokes.ts'
import { sweep } from '../shared/store/operators/tableScans.ts'
import type { Store } from '../shared/store/store.ts'
import { matches, searchWordsOf } from '../shared/words.ts'
import { ACTIONS, actOn, describe, idsGiven, recordsOf } from './actions.ts'
import { chooseStore, STORE_OPTIONS, STORE_USAGE } from './chooseStore.ts'
import { CannotContinue, FLAG, runCommand, TEXT, WrongUsage } from './commandLine.ts'
import { ask, confirmNumber } from './input.ts'
import { workThrough } from './workThrough.ts'

const USAGE = `Usage: npm run remove -- ID…             [--undo | --erase] [options]
       npm run remove -- --ids FILE      [--undo | --erase] [options]
       npm run remove -- --since TIME [--until TIME] [--search WORDS] [options]
       npm run remove -- --waiting [--since TIME] [--until TIME] [--search WORDS] [options]
       npm run remove -- --removed [options]     only lists the jokes that are removed

Removes jokes from all listings and searches. Their text and votes are kept, so a removal can be undone.

ID…            the jokes with these ids
--ids FILE     the jokes whose ids are in a file, one at the beginning of each line; - reads standard input
--since TIME   the jokes added at this time or later, such as 2026-11-21T14:05Z (UTC); lists them and asks first
--until TIME   … and before this time
--search WORDS … and that contain all these words
--beginnings   … or words that begin with them: --search bee also finds "been"
--waiting      of the jokes that wait for approval, instead of those that are listed
--undo         brings removed jokes back
--erase        erases removed jokes for ever: text, words and who added them; asks for their number
--count N      does not ask for the number of jokes to erase, if there are N
--show         shows the id of the request that added each joke, as in API Gateway's access log
--yes          does not ask before removing jokes that were not named by their ids
${STORE_USAGE}`

const CHOICE = { ids: TEXT, since: TEXT, until: TEXT, search: TEXT, beginnings: FLAG, waiting: FLAG } as const
const ACTION = { removed: FLAG, undo: FLAG, erase: FLAG, count: TEXT, show: FLAG, yes: FLAG } as const

/** A date, or a time as in RFC 3339, perhaps without seconds. `Date` alone would read "yesterday 5" as the year 2001. */
const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/

await runCommand(USAGE, { ...CHOICE, ...ACTION, ...STORE_OPTIONS }, async ({ values, positionals }) => {
  const { since, until, search, beginnings, waiting, removed, undo, erase, show, yes } = values
  const named = await idsGiven(positionals, values.ids)
  const isChosen = since !== undefined || waiting
  const searchWords = searchWordsOf(search ?? '')
  const needs = (option: string, isMet: boolean, needed: string) => {
    if (Object.entries(values).some(([name, value]) => name === option && value) && !isMet)
      throw new WrongUsage(`--${option} needs ${needed}.`)
  }
  if (undo && erase) throw new WrongUsage('Choose --undo or --erase.')
  needs('count', erase, '--erase')
  needs('beginnings', search !== undefined, '--search')
  for (const option of ['yes', 'until', 'search']) needs(option, isChosen, '--since or --waiting')
  for (const option of ['undo', 'erase'])
    needs(option, !isChosen && !removed, 'ids; --removed lists those of removed jokes')
  if ([named, isChosen, removed].filter(Boolean).length !== 1)
    throw new WrongUsage('Name jokes by their ids, by --since, --waiting or --removed.')
  if (search !== undefined && searchWords.length === 0)
    throw new WrongUsage(`--search ${search} holds no word, so it would choose every joke.`)
  const from = parseTime(since ?? '1970-01-01')
  const to = until === undefined ? undefined : parseTime(until)

  const store = await chooseStore(values)
  if (removed) return listRemoved(store)
  const choose = async () => {
    const chosen: string[] = []
    const found = waiting
      ? (await recordsOf(store, 'waiting')).flatMap(({ joke = [] }) => joke)
      : findListed(store, from, search)
    for await (const joke of found) {
      const date = new Date(joke.dateAdded)
      const words = wordsOfJoke(joke)
      const isFound = beginnings ? matches(searchWords, words) : searchWords.every((word) => words.includes(word))
      if (date < from || (to && date >= to) || !isFound) continue
      chosen.push(joke.id)
      console.error(`${joke.id}  ${describe(joke)}`)
    }
    return chosen
  }
  const ids = named ?? (await choose())
  if (ids.length === 0) return console.error(named ? 'No joke was named.' : 'No joke was found.')
  if (erase) await confirmNumber(`Erase ${plural(ids.length, 'joke')} for ever?`, ids.length, values.count)
  else if (isChosen && !yes) await confirm(`Remove ${plural(ids.length, 'joke')}?`)

  if (!erase) await actOn(store, ids, undo ? ACTIONS.undo : ACTIONS.remove, show)
  // A crash or a race may have left words of an erased joke anywhere, so all rows are looked at.
  else await actOn(store, ids, ACTIONS.erase, show, () => workThrough(sweep(store, new Set(ids)), 'row', 'deleted'))
  // A flood may add equal jokes at the same time.
  if (isChosen && !waiting)
    console.error(
      'Words of them may be left in the word lists. Once there is time, npm run reindex -- --all deletes those.',
    )
})

async function listRemoved(store: Store): Promise<void> {
  for (const { id, joke } of await recordsOf(store, 'removed'))
    console.log(joke ? `${id}  ${describe(joke)}` : `${id}  a damaged joke`)
}

/** The jokes listed since a time, the newest first; with a search, those that it finds. */
async function* findListed(store: Store, since: Date, searchString: string | undefined): AsyncGenerator<StoredJoke> {
  const listing = parseListing({ numberofJokes: String(MAX_COUNT), searchString })
  let cursor: string | undefined
  do {
    const { jokes, next } = await listJokes(store, cursor ? { ...listing, cursor } : listing)
    yield* jokes
    if (jokes.some(({ dateAdded }) => new Date(dateAdded) < since)) return
    cursor = next
  } while (cursor)
}

async function confirm(question: string): Promise<void> {
  const answer = await ask(`${question} [y/N]`, 'add --yes')
  if (!/^y(es)?$/i.test(answer)) throw new CannotContinue('Nothing was changed.')
}

function parseTime(text: string): Date {
  const time = new Date(text)
  // `Date` reads February 31 as a day of March.
  const day = text.slice(0, 10)
  if (!TIME.test(text) || Number.isNaN(time.getTime()) || !new Date(day).toISOString().startsWith(day))
    throw new CannotContinue(`${text} is not a time such as 2026-11-21T14:05Z, or a date such as 2026-11-21.`)
  return time
}
