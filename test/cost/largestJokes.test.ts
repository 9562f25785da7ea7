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
    const added = await metered.create(longest)
    const again = await metered.create(longest, 409)
    const upvoted = await metered.upvote(longest.id)
    expect(added.written).toBeLessThanOrEqual(MAX_WRITTEN)
    expect(again).toMatchObject({ calls: 1, written: 0 })
    expect(again.read).toBeLessThanOrEqual(1)
    expect(upvoted.written).toBeLessThanOrEqual(32)
    await metered.stop()
  })

  /** All the longest jokes contain these words. */
  const COMMON_WORDS = Array.from({ length: 8 }, (_, index) => `common${index}`).join(' ')

  it.each(['evenly mixed', 'the newest in one category'])(
    'that lists or searches the largest jokes, %s',
    async (layout) => {
      const metered = await startMetered()
      // A listing first reads this many of each category. Here, all are older than the page.
      const older = layout === 'evenly mixed' ? 0 : CATEGORIES.length * 65
      const jokes = Array.from({ length: older + 250 }, (_, number) => {
        const joke = longestJoke('Han, 3 bytes each', number, COMMON_WORDS)
        if (older > 0 && number >= older) joke.category = 'Classic'
        return joke
      })
      await load(metered.store, jokes, ({ prefix }) => prefix.startsWith('c'))
      const queries = [
        { id: idsOf(jokes.slice(0, 100)).join() },
        ...['dateAdded', 'thumbsUp', 'thumbsDown', 'random'].flatMap((sortBy) => [
          { numberofJokes: '250', sortBy, ...(older > 0 && { category: 'Classic' }) },
          { numberofJokes: '250', sortBy, searchString: COMMON_WORDS },
        ]),
      ]
      const costs: { query: object; read: number }[] = []
      for (const query of queries) costs.push({ query, read: await metered.readUnits(query) })
      expect(costs.filter(({ read }) => read > MAX_READ)).toEqual([])
      expect(Math.max(...costs.map(({ read }) => read))).toBeGreaterThan(100)
      await metered.stop()
    },
  )
})
