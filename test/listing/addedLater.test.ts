/** Jokes that are added between two pages. */
import { afterAll, beforeEach, expect, it } from 'vitest'
import type { Joke } from '../../shared/joke.ts'
import { emptyTables, load } from '../support/access.ts'
import { numberedJoke } from '../support/numberedJoke.ts'
import { idsOf, startService } from '../support/service.ts'

const service = await startService()
afterAll(service.stop)
beforeEach(() => emptyTables(service.store))

/** Two jokes of each date. All but the oldest are in one category. */
const jokes = Array.from(
  { length: 6 },
  (_, number): Joke => ({
    ...numberedJoke(number),
    category: number === 0 ? 'KnockKnock' : 'Classic',
    dateAdded: `2026-01-01T00:00:0${Math.floor(number / 2)}.000Z`,
    thumbsUp: Math.floor(number / 2),
  }),
)

it.each([
  { from: 'a category without jokes', category: 'School' },
  { from: 'a category whose jokes are all older', category: 'KnockKnock' },
])('a page by date shows no newer joke of $from', async ({ category }) => {
  await load(service.store, jokes)
  const pages: string[][] = []
  for await (const page of service.follow({ numberofJokes: '2' })) {
    if (pages.length === 0) await service.add({ joke: 'A new joke', category })
    pages.push(idsOf(page))
  }
  expect(pages.map((page) => page.toSorted())).toEqual(
    [4, 2, 0].map((number) => idsOf(jokes.slice(number, number + 2))),
  )
})

it.each(['dateAdded', 'thumbsUp'])('a page sorted by %s begins with jokes equal to the last one', async (sortBy) => {
  await load(service.store, jokes)
  for (const sortOrder of ['asc', 'desc']) {
    const pages = await service.pages({ sortBy, sortOrder, numberofJokes: '1' })
    expect(idsOf(pages.flat()).toSorted()).toEqual(idsOf(jokes).toSorted())
  }
})
