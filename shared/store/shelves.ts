/** The shelves that jokes stand on, which are the partitions of the indexes, and reading them in order. */
import { QueryCommand, type QueryCommandInput, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { CATEGORIES, identify, Joke, JokeId } from '../joke.ts'
import type { Listing, Place, Position, SortField } from '../listing.ts'
import { matches } from '../words.ts'
import { database } from './database.ts'
import { WALK_ROWS } from './limits.ts'
import { merge, type Source } from './merge.ts'
import { settings } from './settings.ts'
import type { JOKES } from './tables.ts'

/** So many leave out nearly all that does not match; all words are checked here in any case. */
const MAX_FILTER_WORDS = 10

/**
 * A sample is drawn from this many jokes more than asked for. They are neighbours in the order of their hashes, and the
 * more of them, the less it matters how far apart two neighbours happen to be: with 100 and more, every joke's chance
 * is within some 20 % of its share.
 */
const SAMPLE_SLACK = 100

/** What is read of a stored joke: `words` is what search looks into. */
export const StoredJoke = v.object({ ...Joke.entries, words: v.string() })
export type StoredJoke = v.InferOutput<typeof StoredJoke>

/** The shelf of a joke: one of its category's, picked by the hash that its id is. */
export function shelfOf({ id, category }: Joke): string {
  return `${category}#${Buffer.from(id, 'base64url').readUInt32BE() % settings.SHARDS}`
}

/** A listing that is in an order, so all but random ones. */
export type OrderedListing = Listing & { sortBy: SortField }

/**
 * Walks along the shelves of a listing, takes the jokes that match it in its order, and tells where to go on if there
 * are more. A search ends early, with what it has found, where it has read {@link WALK_ROWS} jokes.
 */
export async function walk(
  listing: OrderedListing,
  abortSignal: AbortSignal,
): Promise<{ jokes: StoredJoke[]; next?: Position }> {
  const { category, sortBy, sortOrder, numberofJokes, words, from } = listing
  const shelves = shelvesOf(category)
  // A joke that is upvoted while it is being listed may be met again further on.
  const met = new Set<string>()
  const sources = shelves.map(
    (shelf, index): Source<StoredJoke, Place> => ({
      after: from && ('walk' in from ? (from.walk.after[index] ?? undefined) : from.found),
      keyOf: (joke) => placeOf(joke, listing),
      read: async (place, Limit) => {
        const { rows, lastKey } = await readShelf(shelf, StoredJoke, words, abortSignal, {
          IndexName: INDEX_OF[sortBy],
          ScanIndexForward: sortOrder === 'asc',
          ExclusiveStartKey: place && { shelf, [sortBy]: place[0], id: place[1] },
          Limit,
        })
        const items = rows.filter(({ id }) => !met.has(id))
        for (const { id } of items) met.add(id)
        return { items, lastKey: lastKey && [lastKey[sortBy], lastKey.id] }
      },
    }),
  )
  const { items, more, after, last } = await merge(sources, {
    compare: ([one], [other]) => compareValues(listing, one, other),
    limit: numberofJokes,
    pageSize: firstPageSize(numberofJokes, shelves.length),
    budget: budgetOf(words),
    last: from && 'walk' in from ? from.walk.last : -1,
  })
  return more
    ? { jokes: items, next: { walk: { after: after.map((place) => place ?? null), last } } }
    : { jokes: items }
}

/** A joke's place in the order of a listing. */
export function placeOf(joke: Joke, { sortBy }: OrderedListing): Place {
  return [joke[sortBy], joke.id]
}

/** Negative where one place comes before another in the order of a listing; no two places are the same. */
export function comparePlaces(listing: OrderedListing, one: Place, other: Place): number {
  return compareValues(listing, one[0], other[0]) || (one[1] < other[1] ? -1 : 1)
}

function compareValues({ sortOrder }: OrderedListing, one: string | number, other: string | number): number {
  if (one === other) return 0
  return one < other === (sortOrder === 'asc') ? -1 : 1
}

/**
 * The ids of a random sample of a listing's jokes. A search for rare words too short to be looked up may find fewer than
 * there are, as it ends where it has read {@link WALK_ROWS} jokes.
 */
export async function sampleIds(listing: Listing, abortSignal: AbortSignal): Promise<string[]> {
  const { category, numberofJokes, words } = listing
  const shelves = shelvesOf(category)
  const limit = numberofJokes + SAMPLE_SLACK
  const neighbours: string[] = []
  // All neighbours from a random place on; where the order ends before there are enough, on from its beginning.
  const start = identify({ joke: String(Math.random()), punchline: '' })
  for (const range of ['id > :start', 'id <= :start']) {
    const sources = shelves.map(
      (shelf): Source<{ id: string }, string> => ({
        after: undefined,
        keyOf: ({ id }) => id,
        read: async (id, Limit) => {
          const { rows, lastKey } = await readShelf(shelf, IdRow, words, abortSignal, {
            IndexName: 'byId',
            KeyConditionExpression: `shelf = :shelf AND ${range}`,
            ExpressionAttributeValues: { ':start': start },
            ExclusiveStartKey: id === undefined ? undefined : { shelf, id },
            Limit,
          })
          return { items: rows, lastKey: lastKey?.id }
        },
      }),
    )
    const { items, more } = await merge(sources, {
      compare: (one, other) => (one < other ? -1 : 1),
      limit: limit - neighbours.length,
      pageSize: firstPageSize(limit, shelves.length),
      budget: budgetOf(words) / 2,
      last: -1,
    })
    neighbours.push(...items.map(({ id }) => id))
    if (more || neighbours.length === limit) break
  }
  return shuffle(neighbours).slice(0, numberofJokes)
}

/** A new list of the same items in random order. */
export function shuffle<Item>(items: Item[]): Item[] {
  return items
    .map((item) => ({ item, rank: Math.random() }))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ item }) => item)
}

/** What the index by id holds. */
const IdRow = v.object({ id: JokeId, words: v.string() })

const INDEX_OF = {
  thumbsUp: 'byThumbsUp',
  thumbsDown: 'byThumbsDown',
  dateAdded: 'byDateAdded',
} as const satisfies Record<SortField, keyof typeof JOKES.indexes>

/** All shelves of a category, or of all, in an order that only grows at its end when SHARDS is raised. */
function shelvesOf(category: Listing['category']): string[] {
  const categories = category === undefined ? CATEGORIES : [category]
  const shards = Array.from({ length: settings.SHARDS }, (_, shard) => shard)
  return shards.flatMap((shard) => categories.map((category) => `${category}#${shard}`))
}

/** Reads on one shelf, and leaves out what does not match the words of a search. */
async function readShelf<Row extends { words: string }>(
  shelf: string,
  row: v.GenericSchema<unknown, Row>,
  words: string[],
  abortSignal: AbortSignal,
  query: Omit<QueryCommandInput, 'TableName'>,
): Promise<{ rows: Row[]; lastKey: QueryCommandOutput['LastEvaluatedKey'] }> {
  // DynamoDB leaves out what it can, so that it need not be sent; the longest words leave out most.
  const filter = words.toSorted((one, other) => other.length - one.length).slice(0, MAX_FILTER_WORDS)
  const { Items, LastEvaluatedKey } = await database.send(
    new QueryCommand({
      TableName: settings.JOKES_TABLE,
      KeyConditionExpression: 'shelf = :shelf',
      ...query,
      FilterExpression: filter.map((_, index) => `contains(words, :word${index})`).join(' AND ') || undefined,
      ExpressionAttributeValues: {
        ':shelf': shelf,
        ...Object.fromEntries(filter.map((word, index) => [`:word${index}`, ` ${word}`])),
        ...query.ExpressionAttributeValues,
      },
    }),
    { abortSignal },
  )
  return {
    rows: v.parse(v.array(row), Items).filter((row) => matches(words, row.words)),
    lastKey: LastEvaluatedKey,
  }
}

/** How many rows a walk may read; without a search it reads little more than it returns. */
function budgetOf(words: string[]): number {
  return words.length > 0 ? WALK_ROWS : Number.POSITIVE_INFINITY
}

/**
 * How many rows to read first from each shelf: its share of the jokes wanted, two standard deviations of what chance
 * makes of evenly mixed shelves, and one to see whether there are more. So a second round of reading is rare.
 */
function firstPageSize(wanted: number, shelves: number): number {
  const share = wanted / shelves
  return Math.ceil(share + 2 * Math.sqrt(share * (1 - 1 / shelves))) + 1
}
