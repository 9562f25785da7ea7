/** `bin/jokes find`: prints jokes in a state, a line for each, which other commands read with --ids. */
import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { type Item, jokeOf, type State } from '../shared/store/item.ts'
import type { Store } from '../shared/store/store.ts'
import { isFoundIn, needlesOf, searchTextOf } from '../shared/words.ts'
import { readTable } from './changes.ts'
import { define, plural, printable } from './commandLine.ts'
import { chooseStore } from './store.ts'

export const find = define(
  'find',
  'Prints all listed jokes, or those that the options select. Each joke has a line, and the oldest come first.',
  'find --waiting',
  "find --since 2026-11-21 --search 'buy now' > spam.txt",
)
  .option('--waiting', 'jokes that wait for approval')
  .addOption(new Option('--removed', 'removed jokes').conflicts('waiting'))
  .option('--since <time>', 'jokes added at this time or later, such as 2026-11-21T14:05Z', parseTime)
  .option('--search <words>', 'jokes that a search for these words finds', parseSearch)
  .option('--created-by <id>', 'jokes added by this import or request, such as import-2026-11-21T14:05:32.123Z')
  .addHelpText('after', '\nOther commands read this output with --ids. First delete the lines of jokes to leave alone.')
  .action(async ({ waiting, removed, since = '', search, createdBy = '', stack }) => {
    const state = waiting ? 'waiting' : removed ? 'removed' : 'listed'
    const isFound = (item: Item) => {
      const joke = jokeOf(item)
      const matches = search === undefined || (joke && isFoundIn(searchTextOf(joke), search))
      return `${item.dateAdded}` >= since && `${item.createdBy}`.startsWith(createdBy) && matches
    }
    const found = (await readAll(await chooseStore(stack), state)).filter(isFound)
    for (const item of found) console.log(`${item.id}  ${describe(item)}`)
    console.error(`${plural(found.length, 'joke')} found.`)
  })

export function describe(item: Item): string {
  const joke = jokeOf(item)
  if (!joke) return 'a damaged joke'
  const texts = printable([joke.joke, joke.punchline].filter(Boolean).join(' / '))
  return `${joke.dateAdded}  ${joke.category}, ${plural(joke.thumbsUp, 'upvote')}  ${texts}`
}

export async function readAll(store: Store, state: State): Promise<Item[]> {
  const found = (await readTable(store, store.jokesTable)).filter(({ jokeState }) => jokeState === state)
  return found.sort((one, other) => (`${one.dateAdded}` < `${other.dateAdded}` ? -1 : 1))
}

function parseSearch(text: string): string[] {
  const needles = needlesOf(text)
  if (needles.length === 0) throw new InvalidArgumentError('It has no word.')
  return needles
}

function parseTime(text: string): string {
  const time = new Date(text)
  // `Date` alone would read "yesterday 5" as a day in the year 2001.
  const isTime = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text) && !Number.isNaN(time.getTime())
  if (isTime) return time.toISOString()
  throw new InvalidArgumentError('Write a date such as 2026-11-21, or a time such as 2026-11-21T14:05Z.')
}
