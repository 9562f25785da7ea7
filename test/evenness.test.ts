import { expect, it, vi } from 'vitest'
import { parseListing } from '../shared/listing.ts'
import { MAX_READ_UNITS } from '../shared/store/limits.ts'
import { Reads } from '../shared/store/reads.ts'
import { sampleIds } from '../shared/store/shelves.ts'
import { numberedJokes } from './support/numberedJoke.ts'

interface Query {
  KeyConditionExpression: string
  ExpressionAttributeValues: { ':shelf': string; ':random': string }
  ExclusiveStartKey?: { id: string }
  Limit: number
}

/** Three in four are in one category: categories differ in size. */
const jokes = numberedJokes(200)
  .map((joke, number) => (number < 150 ? { ...joke, category: 'Classic' } : joke))
  .toSorted((one, other) => (one.id < other.id ? -1 : 1))

const shelves = Map.groupBy(jokes, ({ category }) => category)

/** Queries the index `byId` of the jokes. */
async function query({ input }: { input: Query }): Promise<object> {
  const { ':shelf': shelf, ':random': random } = input.ExpressionAttributeValues
  const isAfter = input.KeyConditionExpression.includes('id > :random')
  const start = input.ExclusiveStartKey?.id ?? ''
  const rows = shelves.get(shelf)?.filter(({ id }) => id > random === isAfter && id > start) ?? []
  const Items = rows.slice(0, input.Limit)
  return { Items, ...(rows.length > input.Limit && { LastEvaluatedKey: Items.at(-1) }) }
}

vi.mock('../shared/store/database.ts', () => ({ database: { send: query } }))
vi.mock('../shared/store/environment.ts', () => ({ JOKES_TABLE: 'Jokes' }))

it('random listings draw every one of 200 jokes within a third of its share of 100,000 draws', async () => {
  const listing = parseListing({ sortBy: 'random', numberofJokes: '25' })
  const drawn = new Map(jokes.map(({ id }) => [id, 0]))
  const reads = new Reads(AbortSignal.timeout(60_000))
  for (let request = 0; request < 4_000; request++) {
    for (const id of await sampleIds(listing, reads)) drawn.set(id, (drawn.get(id) ?? 0) + 1)
  }
  expect(Math.min(...drawn.values())).toBeGreaterThan(500 * (2 / 3))
  expect(Math.max(...drawn.values())).toBeLessThan(500 * (4 / 3))
  expect(reads.affordableJokes()).toBe(MAX_READ_UNITS)
})
