/** How evenly random listings draw. Each seed gives one result, so this counts over many. */
import * as v from 'valibot'
import { expect, it } from 'vitest'
import type { Joke } from '../shared/joke.ts'
import { parseListing } from '../shared/listing.ts'
import { listJokes } from '../shared/store/jokes.ts'
import { numberedJokes } from './support/numberedJoke.ts'
import { stubbedStore } from './support/stubbedStore.ts'

/** A query of an index by id. */
const Query = v.object({
  ExpressionAttributeValues: v.object({ ':shelf': v.string(), ':upTo': v.optional(v.string(), '~') }),
  ExclusiveStartKey: v.optional(v.object({ id: v.string() }), { id: '' }),
  Limit: v.number(),
})

const Batch = v.object({ RequestItems: v.object({ Jokes: v.object({ Keys: v.array(v.object({ id: v.string() })) }) }) })

/** A store that holds jokes in memory, and answers what a random listing asks. */
function storeOf(jokes: Joke[]) {
  const items = new Map(jokes.map((joke) => [joke.id, { ...joke, shelf: joke.category, words: '' }]))
  const sorted = [...items.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1))
  return stubbedStore((name, input) => {
    if (name === 'BatchGetItem') {
      const { Keys } = v.parse(Batch, input).RequestItems.Jokes
      return { Responses: { Jokes: Keys.flatMap(({ id }) => items.get(id) ?? []) } }
    }
    const { ExpressionAttributeValues, ExclusiveStartKey, Limit } = v.parse(Query, input)
    const { ':shelf': shelf, ':upTo': upTo } = ExpressionAttributeValues
    const Items = sorted
      .filter((item) => item.shelf === shelf && item.id > ExclusiveStartKey.id && item.id <= upTo)
      .slice(0, Limit)
    return { Items, ...(Items.length === Limit && { LastEvaluatedKey: Items.at(-1) }) }
  }).store
}

const SEEDS = 1_000
/** Their categories have different sizes. */
const uneven = numberedJokes(200).map((joke, number): Joke => (number < 150 ? { ...joke, category: 'Classic' } : joke))

it.each<[string, Joke[], numberofJokes: number]>([
  ['of 10 jokes, a joke of the day', numberedJokes(10), 1],
  ['of 200 jokes, 50 at once', uneven, 50],
])('random listings draw each within a quarter of its share: %s', async (_, jokes, numberofJokes) => {
  const store = storeOf(jokes)
  const drawn = new Map(jokes.map(({ id }) => [id, 0]))
  for (let seed = 0; seed < SEEDS; seed++) {
    const listing = parseListing({ sortBy: 'random', numberofJokes: `${numberofJokes}`, seed: `seed ${seed}` })
    const page = await listJokes(store, listing)
    expect(new Set(page.jokes).size).toBe(numberofJokes)
    for (const { id } of page.jokes) drawn.set(id, (drawn.get(id) ?? 0) + 1)
  }
  const share = (SEEDS * numberofJokes) / jokes.length
  expect(Math.min(...drawn.values())).toBeGreaterThan(0.75 * share)
  expect(Math.max(...drawn.values())).toBeLessThan(1.25 * share)
})
