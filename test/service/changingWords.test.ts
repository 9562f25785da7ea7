/** Searches whose word becomes common or rare between two pages, so the next page is read in another way. */
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { CATEGORIES, type Joke } from '../../shared/joke.ts'
import { eraseJoke, removeJoke } from '../../shared/store/removal.ts'
import { emptyTables, load } from '../support/access.ts'
import { numberedJoke } from '../support/numberedJoke.ts'
import { idsOf, startService } from '../support/service.ts'

const limits = { listRows: 60, firstRows: 5, sortedJokes: 20, walkRows: 15 }

const service = await startService(limits)
const { store } = service
beforeEach(() => emptyTables(store))
afterAll(service.stop)

/** Jokes that contain a word. Many have equal votes and dates; their order is up to the database. */
function holders(word: string, first: number, count: number): Joke[] {
  return Array.from({ length: count }, (_, index) => ({
    ...numberedJoke(first + index),
    joke: `${word} no. ${first + index}`,
    category: CATEGORIES[index % CATEGORIES.length] ?? 'Classic',
    thumbsUp: index % 3,
    dateAdded: new Date(Date.UTC(2026, 0, 1) + (index % 3)).toISOString(),
  }))
}

/** The jokes on all pages of a search. After the first page, `change` is called. */
async function follow(query: Record<string, string>, change: () => Promise<unknown>): Promise<Joke[]> {
  const shown: Joke[] = []
  let pages = 0
  for await (const page of service.follow({ ...query, numberofJokes: '4' })) {
    shown.push(...page)
    if (pages++ === 0) await change()
  }
  return shown
}

/** Expects each of these jokes exactly once among those shown. */
function expectOnce(shown: Joke[], jokes: Joke[]): void {
  const ids = new Set(jokes.map(({ id }) => id))
  expect(idsOf(shown.filter(({ id }) => ids.has(id)))).toEqual(idsOf(jokes))
}

const listings = ['thumbsUp', 'dateAdded', 'thumbsDown'].flatMap((sortBy) => [
  { sortBy, sortOrder: 'asc' },
  { sortBy, sortOrder: 'desc' },
])

describe.each(listings)('a search sorted by %j', (query) => {
  it('shows each joke once when its word becomes common after the first page', async () => {
    const jokes = holders('fashionable', 0, 18)
    await load(store, [...jokes, ...holders('other', 1_000, 20)])
    const later = holders('fashionable', 500, 4)
    const shown = await follow({ ...query, searchString: 'fashionable' }, () => load(store, later))
    expectOnce(shown, jokes)
  })

  it('shows each joke once when its word becomes rare after the first page', async () => {
    const jokes = holders('forgotten', 0, 18)
    const removed = holders('forgotten', 500, 6)
    await load(store, [...jokes, ...removed, ...holders('other', 1_000, 20)])
    const shown = await follow({ ...query, searchString: 'forgotten' }, async () => {
      for (const { id } of removed) await removeJoke(store, id).then(() => eraseJoke(store, id))
    })
    expectOnce(shown, jokes)
  })
})
