import { afterEach, expect, it, vi } from 'vitest'
import { parseListing } from '../shared/listing.ts'
import { Reads } from '../shared/store/finding/reads.ts'
import { walk, walkRing } from '../shared/store/finding/shelves.ts'
import { numberedJoke } from './support/numberedJoke.ts'
import { signalsOf, stubbedStore } from './support/stubbedStore.ts'

afterEach(() => vi.restoreAllMocks())

const { signal } = new AbortController()

/** Reads with these limits. DynamoDB gives the same output for each call. */
function readsOf(limits: Parameters<typeof stubbedStore>[1], output = {}) {
  const { store, calls } = stubbedStore(() => output, limits)
  return { reads: new Reads(store, signal), calls, signals: signalsOf(store) }
}

const [listed, removed] = [numberedJoke(1), numberedJoke(2)]
const item = { ...listed, shelf: listed.category, words: ' why chicken' }

it('at first, all units can be read: rows of up to 8,192 bytes a unit, jokes of one unit each', () => {
  const { reads } = readsOf({ readUnits: 10 })
  expect(reads.affordableJokes()).toBe(10)
  expect(reads.affordableRows(8_192, 0)).toBe(10)
  expect(reads.affordableRows(1_000, 3)).toBe(57)
  expect(reads.affordableRows(1_000, 11)).toBe(0)
})

it.each<[string, units: object, left: number, read: (reads: Reads) => Promise<unknown>]>([
  ['a query', { CapacityUnits: 2.5 }, 7, (reads) => reads.query({ TableName: 'Jokes' })],
  ['reading jokes', [{ CapacityUnits: 12 }], 0, (reads) => reads.jokes([listed.id])],
])('%s takes its units, and the signal that ends it', async (_, ConsumedCapacity, left, read) => {
  const { reads, calls, signals } = readsOf({ readUnits: 10 }, { Items: [], ConsumedCapacity })
  await read(reads)
  expect(calls[0]?.input).toHaveProperty('ReturnConsumedCapacity', 'TOTAL')
  expect(signals()[0]).toBe(signal)
  expect([reads.affordableJokes(), reads.affordableRows(8_192, 0)]).toEqual([left, left])
})

it('jokes are read once each, and only if their ids have the right form; those that are not listed are left out', async () => {
  const { reads, calls } = readsOf({}, { Responses: { Jokes: [item, { ...removed, removedFrom: 'School' }] } })
  const ids = [listed.id, removed.id, listed.id, 'x']
  expect(await reads.jokes(ids, { ConsistentRead: true })).toEqual(
    new Map([[listed.id, { joke: listed, words: item.words }]]),
  )
  const Keys = [{ id: listed.id }, { id: removed.id }]
  expect(calls).toMatchObject([{ input: { RequestItems: { Jokes: { Keys, ConsistentRead: true } } } }])
})

it.each<[words: string, query: Record<string, string>, isFit: boolean, isCompared: boolean]>([
  [' why …', { category: listed.category, searchString: 'chick road' }, true, true],
  [' why …', { category: 'School', searchString: 'chick' }, false, false],
  [' why …', { searchString: 'duck' }, false, true],
  [' why …', { searchString: 'hicken' }, false, true],
  [' why …', { searchString: 'dont say' }, true, true],
  [' why chicken …', { searchString: 'why' }, true, false],
  [' why chicken', { searchString: 'duck' }, false, false],
  [' …', {}, true, false],
])('a joke with the stored words "%s" fits %j: %s; its text is compared: %s', (words, query, isFit, isCompared) => {
  const { reads } = readsOf({ compareMs: 0 })
  const joke = { ...listed, punchline: "Don't say." }
  expect([reads.isTooLong, reads.affordableJokes()]).toEqual([false, 125])
  expect(reads.fits({ joke, words }, parseListing(query))).toBe(isFit)
  const left = isCompared ? 0 : 125
  expect([reads.isTooLong, reads.affordableJokes(), reads.affordableRows(8_192, 0)]).toEqual([isCompared, left, left])
  const { reads: patient } = readsOf({ compareMs: 1_000 })
  patient.fits({ joke, words }, parseListing(query))
  expect(patient.isTooLong).toBe(false)
})

const listing = { ...parseListing({ searchString: 'words', category: 'Classic' }), sortBy: 'thumbsUp' } as const

it('a ring is closed when a walk reads up to its last id, even if it may not read on', async () => {
  const [after, last] = ['A'.repeat(22), 'B'.repeat(22)]
  // DynamoDB gives a key after as many rows as asked for, also if none follow.
  const { reads, calls } = readsOf({}, { Items: [], LastEvaluatedKey: { shelf: 'Classic', id: last } })
  expect(await walkRing(listing, { after, last }, 25, reads, 30)).toEqual({ ids: [] })
  expect(calls.length).toBeGreaterThan(0)
})

it('a ring that goes on with its first id asks for no more than are missing', async () => {
  const { reads, calls } = readsOf({}, { Items: [item, item] })
  await walkRing(listing, { after: 'B', last: 'A' }, 25, reads)
  expect(calls).toMatchObject([{ input: { Limit: 26 } }, { input: { Limit: 24 } }])
})

it('a walk that has compared texts for too long leaves the rows that it read after that to the next page', async () => {
  const rows = [3, 2, 1].map((thumbsUp) => ({ ...listed, thumbsUp, words: ' …' }))
  const { store } = stubbedStore(() => ({ Items: rows }), { compareMs: 0 })
  const { next } = await walk(listing, new Reads(store, signal))
  expect(next?.positions).toEqual({ Classic: [3, listed.id] })
})
