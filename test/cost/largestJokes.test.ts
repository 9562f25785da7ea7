/** The most expensive requests, in capacity units. */
import { describe, expect, it } from 'vitest'
import { CATEGORIES } from '../../shared/joke.ts'
import { load } from '../support/access.ts'
import { LONGEST_KINDS, longestJoke } from '../support/longestJokes.ts'
import { startMetered } from '../support/metered.ts'
import { idsOf } from '../support/service.ts'

describe('no request costs more than 130 read units or 700 write units', () => {
  const MAX_READ = 130
  const MAX_WRITTEN = 700

  it.each(LONGEST_KINDS)('that adds, repeats or upvotes a joke of %s', async (kind) => {
    const metered = await startMetered()
    const longest = longestJoke(kind, 0)
    expect((await metered.create(longest)).written).toBeLessThanOrEqual(MAX_WRITTEN)
    expect((await metered.create(longest, 409)).read).toBeLessThanOrEqual(1)
    expect((await metered.upvote(longest.id)).written).toBeLessThanOrEqual(32)
    await metered.stop()
  })

  it('that lists or searches the largest jokes, evenly mixed or the newest in one category', async () => {
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
    expect(costs.filter(({ read }) => read < 100 || read > MAX_READ)).toEqual([])
    await metered.stop()
  })
})
