/** `bin/jokes remove`: removes jokes from the service, undoes removals, or erases jokes. */
import { MAX_COUNT } from '../shared/clientLimits.ts'
import { type StoredJoke, wordsOfJoke } from '../shared/joke.ts'
import { parseListing } from '../shared/listing.ts'
import { plural } from '../shared/plural.ts'
import { listJokes } from '../shared/store/jokes.ts'
import { withAliases } from '../shared/store/operators/removal.ts'
import { sweep } from '../shared/store/operators/tableScans.ts'
import type { Store } from '../shared/store/store.ts'
import { matches, searchWordsOf } from '../shared/words.ts'
import { actOn, describe, IDS_FILE, idsGiven, JOKES, recordsOf } from './actions.ts'
import { chooseStore, defineForStore } from './chooseStore.ts'
import { CannotContinue, WrongUsage } from './commandLine.ts'
import { ask, confirmNumber } from './input.ts'
import { workThrough } from './workThrough.ts'

/** A date, or a time as in RFC 3339, perhaps without seconds. `Date` alone would read "yesterday 5" as the year 2001. */
const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/

export const remove = defineForStore(
  'remove',
  `Removes jokes from all listings and searches. Their text and votes are kept, so a removal can be undone. Name jokes by
ids, links, --ids, --since or --waiting.`,
  [
    'remove 4aPyoroA2qmZQ6vYOkx67i --local',
    "remove --since 2026-11-21T14:05Z --search 'buy now' --stack JokeService",
    'remove 4aPyoroA2qmZQ6vYOkx67i --undo --local',
  ],
)
  .addArgument(JOKES)
  .addOption(IDS_FILE)
  .option(
    '--since <time>',
    'jokes added then or later, such as 2026-11-21T14:05Z (UTC); lists them and asks',
    parseTime,
  )
  .option('--until <time>', '… and before this time', parseTime)
  .option('--search <words>', '… and that contain all these words')
  .option('--beginnings', '… or words that begin with them: --search bee also finds "been"')
  .option('--waiting', 'of the jokes that wait for approval, instead of those that are listed')
  .option('--removed', 'removes nothing, but lists the jokes that are removed')
  .option('--undo', 'brings removed jokes back')
  .option('--erase', 'erases removed jokes for ever: text, words and who added them; asks for their number')
  .option('--count <n>', 'does not ask for the number of jokes to erase, if there are n')
  .option('--show', "shows the id of the request that added each joke, as in API Gateway's access log")
  .option('--yes', 'does not ask before removing jokes that were not named')
  .action(async (jokes, options) => {
    const { since, until, search, beginnings, waiting, removed, undo, erase, show = false, yes } = options
    const named = await idsGiven(jokes, options.ids)
    const isChosen = since !== undefined || waiting
    const searchWords = searchWordsOf(search ?? '')
    const needs = (option: keyof typeof options, isMet: boolean | undefined, needed: string) => {
      if (options[option] && !isMet) throw new WrongUsage(`--${option} needs ${needed}.`)
    }
    if (undo && erase) throw new WrongUsage('Choose --undo or --erase.')
    needs('count', erase, '--erase')
    needs('beginnings', search !== undefined, '--search')
    for (const option of ['yes', 'until', 'search'] as const) needs(option, isChosen, '--since or --waiting')
    for (const option of ['undo', 'erase'] as const)
      needs(option, !isChosen && !removed, 'ids or links; --removed lists those of removed jokes')
    if ([named, isChosen, removed].filter(Boolean).length !== 1)
      throw new WrongUsage('Name jokes by ids, links, --ids, --since, --waiting or --removed.')
    if (search !== undefined && searchWords.length === 0)
      throw new WrongUsage(`--search ${search} holds no word, so it would choose every joke.`)

    const store = await chooseStore(options)
    if (removed) return listRemoved(store)
    const choose = async () => {
      const from = since ?? new Date(0)
      const chosen: string[] = []
      const found = waiting
        ? (await recordsOf(store, 'waiting')).flatMap(({ joke = [] }) => joke)
        : findListed(store, from, search)
      for await (const joke of found) {
        const date = new Date(joke.dateAdded)
        const words = wordsOfJoke(joke)
        const isFound = beginnings ? matches(searchWords, words) : searchWords.every((word) => words.includes(word))
        if (date < from || (until && date >= until) || !isFound) continue
        chosen.push(joke.id)
        console.error(`${joke.id}  ${describe(joke)}`)
      }
      return chosen
    }
    const ids = named ?? (await choose())
    if (ids.length === 0) return console.error(named ? 'No joke was named.' : 'No joke was found.')
    if (erase) await confirmNumber(`Erase ${plural(ids.length, 'joke')} for ever?`, ids.length, options.count)
    else if (isChosen && !yes) await confirm(`Remove ${plural(ids.length, 'joke')}?`)

    const action = erase ? 'erase' : undo ? 'undo' : 'remove'
    await actOn(store, ids, action, show)
    // A crash or a race may have left index entries of an erased joke under any word, so the sweep reads all.
    if (erase) await workThrough(sweep(store, await withAliases(store, ids)), 'index entry', 'deleted')
    // Requests that added equal jokes at the same time may have left index entries.
    if (isChosen && !waiting)
      console.error(
        `Some of their index entries may be left. Delete them when there is time: bin/jokes reindex --all ${options.stack ? `--stack ${options.stack}` : '--local'}`,
      )
  })

async function listRemoved(store: Store): Promise<void> {
  const records = await recordsOf(store, 'removed')
  if (records.length === 0) console.error('No joke is removed.')
  for (const { id, joke } of records) console.log(joke ? `${id}  ${describe(joke)}` : `${id}  a damaged joke`)
}

/** Reads the jokes listed since a time, the newest first. With a search, only the jokes that it finds. */
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
    throw new WrongUsage(`${text} is not a time such as 2026-11-21T14:05Z, or a date such as 2026-11-21.`)
  return time
}
