/** Where walks along the sorted indexes end. What they find is tested with the service. */
import { expect, it } from 'vitest'
import { parseListing } from '../shared/listing.ts'
import type { SortedListing } from '../shared/store/order.ts'
import { Reads } from '../shared/store/reads.ts'
import { walk, walkRing } from '../shared/store/shelves.ts'
import { numberedJoke } from './support/numberedJoke.ts'
import { stubbedStore } from './support/stubbedStore.ts'

const { signal } = new AbortController()
const listing = { ...parseListing({ searchString: 'words', category: 'Classic' }), sortBy: 'thumbsUp' } as const

it('a ring is closed when a walk reads up to its last id, even if it may not read on', async () => {
  const [after, last] = ['A'.repeat(22), 'B'.repeat(22)]
  // DynamoDB gives a key after as many rows as asked for, also if none follow.
  const { store, calls } = stubbedStore(() => ({ Items: [], LastEvaluatedKey: { shelf: 'Classic', id: last } }))
  expect(await walkRing(listing, { after, last }, 25, new Reads(store, signal), 30)).toEqual({ ids: [] })
  expect(calls.length).toBeGreaterThan(0)
})

it('a walk that has compared texts for too long leaves the rows that it read after that to the next page', async () => {
  const rows = [3, 2, 1].map((thumbsUp) => ({ ...numberedJoke(thumbsUp), category: 'Classic', thumbsUp, words: ' …' }))
  const { store } = stubbedStore(() => ({ Items: rows }), { compareMs: 0 })
  const { next } = await walk(listing satisfies SortedListing, new Reads(store, signal))
  expect(next?.positions).toEqual({ Classic: [3, rows[0]?.id] })
})
