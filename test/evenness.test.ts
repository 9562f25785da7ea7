/** How evenly random listings draw. Each seed gives one result, so this counts over many. */
import * as v from 'valibot'
import { expect, it } from 'vitest'
import type { Joke } from '../shared/joke.ts'
import { parseListing } from '../shared/listing.ts'
import { compare } from '../shared/store/finding/order.ts'
import { listJokes } from '../shared/store/jokes.ts'
import { numberedJokes } from './support/numberedJoke.ts'
import { stubbedStore } from './support/stubbedStore.ts'

/** A query of the index by state. */
const Query = v.object({
  ExpressionAttributeValues: v.object({ ':upTo': v.optional(v.string(), '~') }),
  ExclusiveStartKey: v.optional(v.object({ id: v.string() }), { id: '' }),
  Limit: v.number(),
})

const Batch = v.object({ RequestItems: v.object({ Jokes: v.object({ Keys: v.array(v.object({ id: v.string() })) }) }) })

/** A store that holds jokes in memory, and answers what a random listing asks. */
function storeOf(jokes: Joke[]) {
  const items = new Map(jokes.map((joke) => [joke.id, { ...joke, state: 'listed', words: '' }]))
  const sorted = [...items.keys()].toSorted(compare)
  return stubbedStore((name, input) => {
    if (name === 'BatchGetItem') {
      const { Keys } = v.parse(Batch, input).RequestItems.Jokes
      return { Responses: { Jokes: Keys.flatMap(({ id }) => items.get(id) ?? []) } }
    }
    const { ExpressionAttributeValues: values, ExclusiveStartKey, Limit } = v.parse(Query, input)
    const ids = sorted.filter((id) => id > ExclusiveStartKey.id && id <= values[':upTo']).slice(0, Limit)
    return { Items: ids.map((id) => ({ id })), ...(ids.length === Limit && { LastEvaluatedKey: { id: ids.at(-1) } }) }
  }).store
}

const SEEDS = 4_000

/** How unevenly seeds are spread over results, among so many: 1 if by chance alone (the index of dispersion). */
function unevenness(counts: Map<string, number>, results: number): number {
  const share = SEEDS / results
  const missing = results - counts.size
  const squares = [...counts.values()].map((count) => (count - share) ** 2 / share)
  return (squares.reduce((sum, square) => sum + square, 0) + missing * share) / (results - 1)
}

it.each([1, 2, 3, 24, 100, 3_000])('of %i jokes, each comes first as often, and is followed by any', async (size) => {
  const store = storeOf(numberedJokes(size))
  const first = new Map<string, number>()
  const pairs = new Map<string, number>()
  for (let seed = 0; seed < SEEDS; seed++) {
    const listing = parseListing({ sortBy: 'random', numberofJokes: '2', seed: `seed ${seed}` })
    const { jokes } = await listJokes(store, listing)
    const [one = '', other = ''] = jokes.map(({ id }) => id)
    first.set(one, (first.get(one) ?? 0) + 1)
    pairs.set(one + other, (pairs.get(one + other) ?? 0) + 1)
  }
  if (size === 1) return expect(first.size).toBe(1)
  // Of few jokes, chance alone spreads this number itself.
  const most = 1.2 + 12 / size
  expect(unevenness(first, size)).toBeLessThan(most)
  if (size <= 100) expect(unevenness(pairs, size * (size - 1))).toBeLessThan(most)
})
