/** How evenly random listings draw. Each seed gives one result, so this counts over many. */
import * as v from 'valibot'
import { expect, it } from 'vitest'
import type { Joke } from '../shared/joke.ts'
import { parseListing } from '../shared/listing.ts'
import { listJokes } from '../shared/store/jokes.ts'
import { numberedJokes } from './support/numberedJoke.ts'
import { stubbedStore } from './support/stubbedStore.ts'

/** A query of the index `byId`. */
const Query = v.object({
  IndexName: v.literal('byId'),
  KeyConditionExpression: v.picklist(['shelf = :shelf', 'shelf = :shelf AND id <= :upTo']),
  ExpressionAttributeValues: v.object({ ':shelf': v.string(), ':upTo': v.optional(v.string()) }),
  ExclusiveStartKey: v.optional(v.object({ shelf: v.string(), id: v.string() })),
  ScanIndexForward: v.literal(true),
  Limit: v.number(),
})

const BatchGet = v.object({
  RequestItems: v.object({ Jokes: v.object({ Keys: v.array(v.object({ id: v.string() })) }) }),
})

/** A store that holds jokes in memory, and answers what a random listing asks. */
function storeOf(jokes: Joke[]) {
  const items = new Map(jokes.map((joke) => [joke.id, { ...joke, shelf: joke.category, words: '' }]))
  const ids = jokes.map(({ id }) => id).toSorted()
  const shelves = Map.groupBy(ids, (id): string | undefined => items.get(id)?.shelf)
  return stubbedStore((name, input) => {
    if (name === 'BatchGetItem') {
      const { Keys } = v.parse(BatchGet, input).RequestItems.Jokes
      return { Responses: { Jokes: Keys.flatMap(({ id }) => items.get(id) ?? []) } }
    }
    const { ExpressionAttributeValues, ExclusiveStartKey, Limit } = v.parse(Query, input)
    const { ':shelf': shelf, ':upTo': upTo } = ExpressionAttributeValues
    const isInRange = (id: string) =>
      (ExclusiveStartKey === undefined || id > ExclusiveStartKey.id) && (upTo === undefined || id <= upTo)
    const Items = (shelves.get(shelf) ?? [])
      .filter(isInRange)
      .slice(0, Limit)
      .map((id) => ({ shelf, id, words: '' }))
    return { Items, ...(Items.length === Limit && { LastEvaluatedKey: Items.at(-1) }) }
  }).store
}

/** How often each joke is drawn, as a share of the average, by random listings with these seeds. */
async function sharesOf(jokes: Joke[], numberofJokes: number, seeds: string[]): Promise<number[]> {
  const store = storeOf(jokes)
  const drawn = new Map(jokes.map(({ id }) => [id, 0]))
  for (const seed of seeds) {
    const listing = parseListing({ sortBy: 'random', numberofJokes: String(numberofJokes), seed })
    const page = await listJokes(store, listing)
    expect(new Set(page.jokes).size).toBe(numberofJokes)
    for (const { id } of page.jokes) drawn.set(id, (drawn.get(id) ?? 0) + 1)
  }
  return Array.from(drawn.values(), (times) => (times * jokes.length) / (seeds.length * numberofJokes))
}

const DAY_MS = 86_400_000
const days = Array.from({ length: 3_652 }, (_, day) =>
  new Date(Date.UTC(2026) + day * DAY_MS).toISOString().slice(0, 10),
)
const seeds = Array.from({ length: 2_000 }, (_, number) => `seed ${number}`)
/** Their categories have different sizes. */
const uneven = numberedJokes(200).map((joke, number): Joke => (number < 150 ? { ...joke, category: 'Classic' } : joke))

it.each<[string, Joke[], numberofJokes: number, seeds: string[]]>([
  ['of 10 jokes, in the joke of the day of ten years', numberedJokes(10), 1, days],
  ['of 200 jokes, in 100,000 draws', uneven, 50, seeds],
])('random listings draw each within a quarter of its share: %s', async (_, jokes, numberofJokes, seeds) => {
  const shares = await sharesOf(jokes, numberofJokes, seeds)
  expect(Math.min(...shares)).toBeGreaterThan(0.75)
  expect(Math.max(...shares)).toBeLessThan(1.25)
})
