/** `bin/jokes find`: prints jokes in a state, a line for each, which other commands read with --ids. */

import { type Item, jokeOf, type State } from '../shared/store/item.ts'
import type { Store } from '../shared/store/store.ts'
import { isFoundIn, needlesOf, searchTextOf } from '../shared/words.ts'
import { readTable } from './changes.ts'
import { chooseStore, defineForStore } from './chooseStore.ts'
import { printable, WrongUsage } from './commandLine.ts'
import { plural } from './plural.ts'
import { Progress } from './progress.ts'

/** A date, or a time as in RFC 3339, perhaps without seconds. `Date` alone would read "yesterday 5" as the year 2001. */
const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/

export const find = defineForStore(
  'find',
  'Prints jokes, a line for each, the oldest first. Without options, it prints all that are listed. Other commands read ' +
    'the lines with --ids, so delete those of jokes that they must leave.',
  ["find --since 2026-11-21T14:05Z --search 'buy now' --stack JokeService > spam.txt", 'find --waiting'],
)
  .option('--waiting', 'jokes that wait for approval')
  .option('--removed', 'jokes that were removed')
  .option('--since <time>', 'jokes added then or later, such as 2026-11-21T14:05Z (UTC)', parseTime)
  .option('--search <words>', 'jokes that a search for these words finds')
  .option(
    '--created-by <id>',
    'jokes that an import or request added, by its id, such as import-2026-11-21T14:05:32.123Z',
  )
  .action(async ({ waiting, removed, since = '', search, createdBy = '', ...chosen }) => {
    if (waiting && removed) throw new WrongUsage('Choose --waiting or --removed.')
    const needles = needlesOf(search ?? '')
    if (search !== undefined && needles.length === 0) throw new WrongUsage(`--search ${search} holds no word.`)
    const store = await chooseStore(chosen)
    const state = waiting ? 'waiting' : removed ? 'removed' : 'listed'
    const isFound = (item: Item) => {
      const joke = jokeOf(item)
      const matches = search === undefined || (joke && isFoundIn(searchTextOf(joke), needles))
      const isCreator = String(item.createdBy ?? '').startsWith(createdBy)
      return dateOf(item) >= since && isCreator && matches
    }
    const found = (await readAll(store, state)).filter(isFound)
    for (const item of found) console.log(`${item.id}  ${describe(item)}`)
    console.error(`${plural(found.length, 'joke')}.`)
  })

/** Describes a joke in one line. */
export function describe(item: Item): string {
  const joke = jokeOf(item)
  if (!joke) return 'a damaged joke'
  const texts = [joke.joke, joke.punchline].filter(Boolean).map(printable).join(' / ')
  return `${joke.dateAdded}  ${joke.category}, ${plural(joke.thumbsUp, 'upvote')}  ${texts}`
}

/** Reads the items in a state, the oldest joke first, and shows the progress. */
export async function readAll(store: Store, state: State): Promise<Item[]> {
  const progress = new Progress()
  const onPage = (count: number) => {
    progress.done = count
  }
  const items = await readTable(store, store.jokesTable, onPage).finally(() => progress.stop())
  return items
    .filter(({ jokeState }) => jokeState === state)
    .sort((one, other) => (dateOf(one) < dateOf(other) ? -1 : 1))
}

function dateOf({ dateAdded }: Item): string {
  return String(dateAdded ?? '')
}

function parseTime(text: string): string {
  const time = new Date(text)
  // `Date` reads February 31 as a day of March.
  const day = text.slice(0, 10)
  if (!TIME.test(text) || Number.isNaN(time.getTime()) || !new Date(day).toISOString().startsWith(day))
    throw new WrongUsage(`${text} is not a time such as 2026-11-21T14:05Z, or a date such as 2026-11-21.`)
  return time.toISOString()
}
