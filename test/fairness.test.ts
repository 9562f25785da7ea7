/** Fairness of random orders. Each seed gives one result, so the tests count over many seeds. */
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import type { StoredJoke } from '../shared/joke.ts'
import { parseListing } from '../shared/listing.ts'
import { compare } from '../shared/store/finding/order.ts'
import { listJokes } from '../shared/store/jokes.ts'
import type { Limits } from '../shared/store/limits.ts'
import type { Store } from '../shared/store/store.ts'
import { toStored } from './support/access.ts'
import { numberedJoke, numberedJokes } from './support/numberedJoke.ts'
import { stubbedStore } from './support/stubbedStore.ts'

/** A query of the index by state, or of a list of the inverted index. */
const Query = v.object({
  ExpressionAttributeValues: v.looseObject({
    ':end': v.optional(v.string(), '~'),
    ':prefix': v.optional(v.string()),
  }),
  ExclusiveStartKey: v.optional(v.object({ id: v.optional(v.string(), ''), entry: v.optional(v.string(), '~') }), {}),
  Limit: v.number(),
})

const Batch = v.object({ RequestItems: v.object({ Jokes: v.object({ Keys: v.array(v.object({ id: v.string() })) }) }) })

/** Makes a store that holds jokes in memory and answers the queries of random listings. */
function storeOf(jokes: StoredJoke[], limits: Partial<Limits> = {}): Store {
  const stored = jokes.map(toStored)
  const items = new Map(stored.map(({ item }) => [item.id, item]))
  const itemsById = [...items.values()].toSorted((a, b) => compare(a.id, b.id))
  const entries = stored.flatMap(({ rows }) => rows).toSorted((a, b) => compare(b.entry, a.entry))
  const lists = Map.groupBy(entries, ({ prefix }) => prefix)
  return stubbedStore((name, input) => {
    if (name === 'BatchGetItem') {
      const { Keys } = v.parse(Batch, input).RequestItems.Jokes
      return { Responses: { Jokes: Keys.flatMap(({ id }) => items.get(id) ?? []) } }
    }
    const { ExpressionAttributeValues: values, ExclusiveStartKey, Limit } = v.parse(Query, input)
    const { ':prefix': prefix, ':end': end } = values
    const words = Object.entries(values).flatMap(([key, value]) => (key.startsWith(':word') ? [String(value)] : []))
    const rows = prefix
      ? (lists.get(prefix) ?? []).filter(({ entry }) => entry < ExclusiveStartKey.entry)
      : itemsById.filter(({ id }) => id > ExclusiveStartKey.id && id < end)
    const read = rows.slice(0, Limit)
    return {
      Items: read.filter(
        (row) => 'prefix' in row || row.words === undefined || words.every((word) => row.words.includes(word)),
      ),
      ScannedCount: read.length,
      ...(read.length === Limit && { LastEvaluatedKey: read.at(-1) }),
    }
  }, limits).store
}

/** Counts how often each joke comes first, by its id. `onPage` receives the ids of the first page with jokes. */
async function firstJokes(
  store: Store,
  query: Record<string, string>,
  seeds: number,
  onPage = (_: string[]) => {},
): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (let seed = 0; seed < seeds; seed++) {
    const listing = parseListing({ ...query, sortBy: 'random', seed: `seed ${seed}` })
    let page = await listJokes(store, listing)
    while (page.jokes.length === 0 && page.next) page = await listJokes(store, { ...listing, cursor: page.next })
    const ids = page.jokes.map(({ id }) => id)
    const [first = ''] = ids
    counts.set(first, (counts.get(first) ?? 0) + 1)
    onPage(ids)
  }
  return counts
}

const SEEDS = 4_000

/** The index of dispersion of seeds over the possible results: 1 by chance alone, more if it is uneven. */
function unevenness(counts: Map<string, number>, results: number): number {
  const share = SEEDS / results
  const missing = results - counts.size
  const squares = [...counts.values()].map((count) => (count - share) ** 2 / share)
  return (squares.reduce((sum, square) => sum + square, 0) + missing * share) / (results - 1)
}

it.each([1, 2, 3, 24, 100, 3_000])('each of %i jokes is equally likely to come first or second', async (size) => {
  const pairs = new Map<string, number>()
  const first = await firstJokes(storeOf(numberedJokes(size)), { numberofJokes: '2' }, SEEDS, (ids) => {
    pairs.set(ids.join(), (pairs.get(ids.join()) ?? 0) + 1)
  })
  if (size === 1) return expect(first.size).toBe(1)
  // With few jokes, the index itself varies more by chance.
  const most = 1.2 + 12 / size
  expect(unevenness(first, size)).toBeLessThan(most)
  if (size <= 100) expect(unevenness(pairs, size * (size - 1))).toBeLessThan(most)
})

const DRAWS = 1_000

/** The share of all draws that the most drawn third of `size` jokes gets. */
function shareOfThird(counts: number[], size: number): number {
  const third = counts.toSorted((a, b) => b - a).slice(0, Math.ceil(size / 3))
  return third.reduce((sum, count) => sum + count, 0) / DRAWS
}

/** The share by chance alone. Its draws are pseudo-random with a fixed start, so each run is the same. */
function shareByChance(size: number): number {
  const counts = new Array<number>(size).fill(0)
  let state = 1
  for (let draw = 0; draw < DRAWS; draw++) {
    // The Park-Miller generator
    state = (state * 48_271) % 2_147_483_647
    const drawn = state % size
    counts[drawn] = (counts[drawn] ?? 0) + 1
  }
  return shareOfThird(counts, size)
}

/** A walk draws a joke a little more often if the ids before it are far apart. */
const MARGIN = 0.05

describe('single draws', () => {
  /** The oldest jokes are in these categories, each up to a number. All others are in `Classic`. */
  const clumps = { School: 300, 'French humour': 450, KnockKnock: 470, 'Word game': 490 }
  const categoryOf = (number: number) => Object.entries(clumps).find(([, end]) => number < end)?.[0] ?? 'Classic'
  const wordsOf = (number: number) => (number < 490 && number % 2 === 0 ? ['clump'] : [])
  const store = storeOf(
    Array.from({ length: 3_000 }, (_, number) => ({
      ...numberedJoke(number, wordsOf(number)),
      category: categoryOf(number),
    })),
  )

  it.each([
    ['a category', { category: 'School' }, 300],
    ['a rare category', { category: 'KnockKnock' }, 20],
    ['two categories', { categories: 'School,French humour' }, 450],
    ['two rare categories', { categories: 'KnockKnock,Word game' }, 40],
    ['a search', { searchString: 'hundreds' }, 300],
    ['a search for a rare word', { searchString: 'thirty' }, 30],
    ['a search in a category', { searchString: 'clump', category: 'School' }, 150],
    ['a search in a rare category', { searchString: 'clump', category: 'KnockKnock' }, 10],
  ])('single draws are fair among jokes added together, in %s', async (_, query, size) => {
    const first = await firstJokes(store, { ...query, numberofJokes: '1' }, DRAWS)
    expect(first.size).toBeLessThanOrEqual(size)
    expect(shareOfThird([...first.values()], size)).toBeLessThan(shareByChance(size) + MARGIN)
  })
})

it('five rare matches are equally likely to come first without a budget for entries', async () => {
  const jokes = numberedJokes(2_000).toSorted((a, b) => compare(a.id, b.id))
  // They lie unevenly on the ring of ids, and one has the first id.
  for (const place of [0, 100, 200, 300, 1_000]) Object.assign(jokes[place] ?? {}, { punchline: 'A rare one.' })
  // There is no budget for entries, and a window reads a seventeenth of the ring.
  const limits = { indexLists: { units: 0, calls: 0 }, window: { units: 4, calls: 4 }, windowRows: 11 }
  const draws = 300
  const first = await firstJokes(storeOf(jokes, limits), { searchString: 'rare', numberofJokes: '1' }, draws)
  expect(first.size).toBe(5)
  for (const count of first.values()) expect(Math.abs(count / draws - 1 / first.size)).toBeLessThan(0.1)
})
