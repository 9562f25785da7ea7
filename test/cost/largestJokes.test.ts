/** The most expensive requests, in capacity units. */
import { expect, it } from 'vitest'
import { CATEGORIES } from '../../shared/joke.ts'
import { load } from '../support/access.ts'
import { LONGEST_KINDS, longestJoke } from '../support/longestJokes.ts'
import { startMetered } from '../support/metered.ts'
import { idsOf } from '../support/service.ts'

it.each(LONGEST_KINDS)('writing a joke of %s costs at most 700 units', async (kind) => {
  const metered = await startMetered()
  const longest = longestJoke(kind, 0)
  expect((await metered.create(longest)).written).toBeLessThanOrEqual(700)
  expect((await metered.create(longest, 409)).read).toBeLessThanOrEqual(1)
  expect((await metered.upvote(longest.id)).written).toBeLessThanOrEqual(32)
  await metered.stop()
})

it('a listing or search of the largest jokes, evenly mixed or the newest in one category, costs at most 130 read units', async () => {
  const metered = await startMetered()
  // All jokes contain these.
  const searchString = Array.from({ length: 8 }, (_, index) => `common${index}`).join(' ')
  const older = CATEGORIES.length * 30
  const jokes = Array.from({ length: older + 250 }, (_, number) => {
    const joke = longestJoke('Han, 3 bytes each', number, searchString)
    if (number >= older) joke.category = 'Classic'
    return joke
  })
  await load(metered.store, jokes, ({ prefix }) => prefix.startsWith('c'))
  const queries = [
    { id: idsOf(jokes.slice(0, 100)).join() },
    ...[{}, { category: 'Classic' }, { searchString }].flatMap((query) => [
      { ...query, numberofJokes: '250', sortBy: 'random' },
      ...['dateAdded', 'thumbsUp', 'thumbsDown'].flatMap((sortBy) =>
        ['asc', 'desc'].map((sortOrder) => ({ ...query, numberofJokes: '250', sortBy, sortOrder })),
      ),
    ]),
  ]
  const costs: { query: object; read: number }[] = []
  for (const query of queries) costs.push({ query, read: await metered.readUnits(query) })
  expect(costs.filter(({ read }) => read < 100 || read > 130)).toEqual([])
  await metered.stop()
})
