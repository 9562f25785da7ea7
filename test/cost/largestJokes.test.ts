/** The most expensive requests, in capacity units. */
import { expect, it } from 'vitest'
import { CATEGORIES } from '../../shared/joke.ts'
import { LIMITS, MOST } from '../../shared/store/limits.ts'
import { load } from '../support/access.ts'
import { LONGEST_KINDS, longestJoke } from '../support/longestJokes.ts'
import { startMetered } from '../support/metered.ts'
import { idsOf } from '../support/service.ts'

it.each(LONGEST_KINDS)('writing a joke of %s costs at most 700 units', async (kind) => {
  const metered = await startMetered()
  const longest = longestJoke(kind, 0)
  expect((await metered.create(longest)).written).toBeLessThanOrEqual(MOST.createdWrites)
  expect((await metered.create(longest, 409)).read).toBeLessThanOrEqual(1.5)
  expect((await metered.upvote(longest.id)).written).toBeLessThanOrEqual(MOST.upvoteWrites)
  await metered.stop()
})

it('a listing or search of the largest jokes, evenly mixed or the newest in one category, reads and sends a limited amount', async () => {
  const metered = await startMetered()
  // All jokes contain these.
  const searchString = Array.from({ length: 8 }, (_, index) => `common${index}`).join(' ')
  const older = CATEGORIES.length * 30
  const jokes = Array.from({ length: older + 250 }, (_, number) => {
    const joke = longestJoke('Han, 3 bytes each', number, searchString)
    if (number >= older) joke.category = 'Classic'
    return joke
  })
  await load(metered.store, jokes, ({ prefix }) => /^[c#]/.test(prefix))
  const { units, calls, partitionUnits } = LIMITS.listing
  const orders = [
    { sortBy: 'random' },
    ...['dateAdded', 'thumbsUp', 'thumbsDown'].flatMap((sortBy) =>
      ['asc', 'desc'].map((sortOrder) => ({ sortBy, sortOrder })),
    ),
  ]
  const sets = [
    {},
    { category: 'Classic' },
    { categories: 'Classic,School' },
    { searchString },
    { searchString, category: 'Classic' },
  ]
  for (const query of [
    { id: idsOf(jokes.slice(0, 25)).join() },
    ...orders.flatMap((order) => sets.map((set) => ({ ...order, ...set, numberofJokes: '250' }))),
  ]) {
    const used = await metered.measure(query)
    // All that it reads comes from one partition.
    const most = 'category' in query && !('searchString' in query) && query.sortBy !== 'random' ? partitionUnits : units
    expect([query, used.read <= most, used.calls <= calls, used.bytes <= LIMITS.pageBytes]).toEqual([
      query,
      true,
      true,
      true,
    ])
    expect([query, used.read > 20]).toEqual([query, true])
  }
  await metered.stop()
})
