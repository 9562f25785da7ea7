/** Searches whose words become common or rare between two pages, so that the rest is read in another way. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { CATEGORIES, type Joke } from '../../shared/joke.ts'
import { emptyTables, internals, load } from '../support/access.ts'
import { numberedJoke } from '../support/numberedJoke.ts'
import { type Service, startService } from '../support/service.ts'

const limits = { LOOKUP_ROWS: 20, LONG_LOOKUP_ROWS: 20, FIRST_WALK_ROWS: 10, WALK_ROWS: 15 }

let service: Service
beforeAll(async () => {
  service = await startService(limits)
})
beforeEach(emptyTables)
afterAll(() => service.stop())

/** Jokes that hold a word. Many have the same votes and the same time, where their order is up to the database. */
function holders(word: string, first: number, count: number): Joke[] {
  return Array.from({ length: count }, (_, index) => ({
    ...numberedJoke(first + index),
    joke: `${word} no. ${first + index}`,
    category: CATEGORIES[index % CATEGORIES.length] ?? 'Classic',
    thumbsUp: index % 3,
    dateAdded: new Date(Date.UTC(2026, 0, 1) + (index % 3)).toISOString(),
  }))
}

/** The jokes that a search shows page by page; something happens after the first page. */
async function follow(query: Record<string, string>, happen: () => Promise<unknown>): Promise<Joke[]> {
  const shown: Joke[] = []
  let pages = 0
  for await (const page of service.follow({ ...query, numberofJokes: '4' })) {
    shown.push(...page)
    if (pages++ === 0) await happen()
  }
  return shown
}

const listings = ['thumbsUp', 'dateAdded', 'thumbsDown'].flatMap((sortBy) => [
  { sortBy, sortOrder: 'asc' },
  { sortBy, sortOrder: 'desc' },
])

describe.each(listings)('a search sorted by %j', (query) => {
  it('shows each joke just once where its word becomes common after the first page', async () => {
    const jokes = holders('fashionable', 0, 18)
    await load([...jokes, ...holders('other', 1_000, 20)])
    const later = holders('fashionable', 500, 4)
    const shown = await follow({ ...query, searchString: 'fashionable' }, () => load(later))
    const ids = shown.map(({ id }) => id)
    expect(ids.filter((id) => jokes.some((joke) => joke.id === id)).toSorted()).toEqual(
      jokes.map(({ id }) => id).toSorted(),
    )
  })

  it('shows each joke just once where its word becomes rare after the first page', async () => {
    const jokes = holders('forgotten', 0, 18)
    const removed = holders('forgotten', 500, 6)
    await load([...jokes, ...removed, ...holders('other', 1_000, 20)])
    const { eraseJoke, removeJoke } = await internals()
    const shown = await follow({ ...query, searchString: 'forgotten' }, async () => {
      for (const { id } of removed) await removeJoke(id).then(() => eraseJoke(id))
    })
    const ids = shown.map(({ id }) => id)
    expect(ids.filter((id) => jokes.some((joke) => joke.id === id)).toSorted()).toEqual(
      jokes.map(({ id }) => id).toSorted(),
    )
  })
})
