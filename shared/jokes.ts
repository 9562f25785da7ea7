/** The access module: everything the service does with its tables. */
import { randomBytes } from 'node:crypto'
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { database, operate, upvoteDatabase } from './database.ts'
import { DuplicateJoke, UnknownJoke } from './errors.ts'
import { CATEGORIES, identify, Joke, JokeId, type NewJoke } from './joke.ts'
import type { Listing, Place, Position, SortField } from './listing.ts'
import { merge, type Source } from './merge.ts'
import { settings } from './settings.ts'
import type { JOKES } from './tables.ts'
import { matches, searchable } from './words.ts'

/**
 * How many rows a search reads at most in one request when it walks an index: some 1.5 MB of jokes as long as usual,
 * about 200 read units. A page that ends here holds what was found so far.
 */
const WALK_ROWS = 4_000

/** DynamoDB takes a filter of 4 kB at most; the words beyond these are checked here, as all are. */
const MAX_FILTER_WORDS = 10

/**
 * Adds a joke.
 *
 * @throws {DuplicateJoke} where an equal joke is there already
 * @throws {Unavailable}
 */
export async function addJoke(newJoke: NewJoke): Promise<Joke> {
  const id = identify(newJoke)
  const joke: Joke = { id, ...newJoke, thumbsUp: 0, thumbsDown: 0, dateAdded: new Date().toISOString() }
  const createdBy = randomBytes(9).toString('base64url')
  return operate('The joke may or may not have been added: send it again to be sure.', async (abortSignal) => {
    try {
      await database.send(
        new PutCommand({
          TableName: settings.JOKES_TABLE,
          Item: { ...toItem(joke), createdBy },
          ConditionExpression: 'attribute_not_exists(id)',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
        { abortSignal },
      )
      return joke
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error
      // A put whose answer got lost is repeated and then meets its own work.
      if (error.Item?.createdBy?.S === createdBy) return joke
      throw new DuplicateJoke(id)
    }
  })
}

/** A joke as it is stored: with the shelf that it stands on in the indexes, and what search looks into. */
export function toItem(joke: Joke): StoredJoke & { shelf: string } {
  return { ...joke, shelf: shelfOf(joke), words: searchable([joke.joke, joke.punchline]) }
}

/** One page of a listing, and where the next one begins, if there are more. */
export interface Page {
  jokes: Joke[]
  next?: Position
}

/**
 * Lists jokes. Reads each shelf's index in order, and takes the shelves' jokes in turns as the order demands.
 *
 * @throws {Unavailable}
 */
export async function listJokes(listing: Listing): Promise<Page> {
  const { category, numberofJokes, words, from } = listing
  return operate('The jokes could not be read just now: try again.', async (abortSignal) => {
    const shelves = shelvesOf(category === undefined ? CATEGORIES : [category])
    const sources = shelves.map((shelf, index) => shelfSource(shelf, from?.after[index], listing, abortSignal))
    const { items, more, after, last } = await merge(sources, {
      compare: inOrderOf(listing),
      limit: numberofJokes,
      pageSize: firstPageSize(numberofJokes, shelves.length),
      budget: words.length > 0 ? WALK_ROWS : Number.POSITIVE_INFINITY,
      last: from?.last ?? -1,
    })
    const jokes = items.map(({ words, ...joke }) => joke)
    return more ? { jokes, next: { after: after.map((place) => place ?? null), last } } : { jokes }
  })
}

/**
 * Adds one upvote to a joke, and returns the joke as it is right after.
 *
 * @throws {UnknownJoke} where no joke has that id
 * @throws {Unavailable} where the upvote may or may not have been counted
 */
export async function thumbUp(id: string): Promise<Joke> {
  if (!v.is(JokeId, id)) throw new UnknownJoke()
  return operate('The upvote may or may not have been counted.', async (abortSignal) => {
    try {
      const { Attributes } = await upvoteDatabase.send(
        new UpdateCommand({
          TableName: settings.JOKES_TABLE,
          Key: { id },
          UpdateExpression: 'ADD thumbsUp :one',
          ConditionExpression: 'attribute_exists(id)',
          ExpressionAttributeValues: { ':one': 1 },
          ReturnValues: 'ALL_NEW',
        }),
        { abortSignal },
      )
      return v.parse(Joke, Attributes)
    } catch (error) {
      throw error instanceof ConditionalCheckFailedException ? new UnknownJoke() : error
    }
  })
}

/** What is read of a stored joke. */
const StoredJoke = v.object({ ...Joke.entries, words: v.string() })
type StoredJoke = v.InferOutput<typeof StoredJoke>

/** The partition of the indexes that a joke stands in: one of its category's, picked by the hash that its id is. */
function shelfOf({ id, category }: Joke): string {
  return `${category}#${Buffer.from(id, 'base64url').readUInt32BE() % settings.SHARDS}`
}

/** All shelves of some categories, in an order that only grows at its end when SHARDS is raised: cursors rely on it. */
function shelvesOf(categories: readonly string[]): string[] {
  const shards = Array.from({ length: settings.SHARDS }, (_, shard) => shard)
  return shards.flatMap((shard) => categories.map((category) => `${category}#${shard}`))
}

const INDEX_OF = {
  thumbsUp: 'byThumbsUp',
  thumbsDown: 'byThumbsDown',
  dateAdded: 'byDateAdded',
} as const satisfies Record<SortField, keyof typeof JOKES.indexes>

/** One shelf's jokes in the order of a listing, less those that do not match its search. */
function shelfSource(
  shelf: string,
  after: Place | null | undefined,
  { sortBy, sortOrder, words }: Listing,
  abortSignal: AbortSignal,
): Source<StoredJoke, Place> {
  const filter = wordsFilter(words)
  return {
    after: after ?? undefined,
    keyOf: (joke) => [joke[sortBy], joke.id],
    read: async (place, limit) => {
      const { Items, LastEvaluatedKey } = await database.send(
        new QueryCommand({
          TableName: settings.JOKES_TABLE,
          IndexName: INDEX_OF[sortBy],
          KeyConditionExpression: 'shelf = :shelf',
          FilterExpression: filter?.expression,
          ExpressionAttributeValues: { ':shelf': shelf, ...filter?.values },
          ScanIndexForward: sortOrder === 'asc',
          ExclusiveStartKey: place && { shelf, [sortBy]: place[0], id: place[1] },
          Limit: limit,
        }),
        { abortSignal },
      )
      const jokes = v.parse(v.array(StoredJoke), Items)
      return {
        items: jokes.filter((joke) => matches(words, joke.words)),
        lastKey: LastEvaluatedKey && [LastEvaluatedKey[sortBy], LastEvaluatedKey.id],
      }
    },
  }
}

/** Lets DynamoDB leave out what does not match, so that it need not be sent; the longest words leave out most. */
function wordsFilter(words: string[]): { expression: string; values: Record<string, string> } | undefined {
  if (words.length === 0) return undefined
  const longest = words.toSorted((one, other) => other.length - one.length).slice(0, MAX_FILTER_WORDS)
  return {
    expression: longest.map((_, index) => `contains(words, :word${index})`).join(' AND '),
    values: Object.fromEntries(longest.map((word, index) => [`:word${index}`, ` ${word}`])),
  }
}

function inOrderOf({ sortBy, sortOrder }: Listing): (one: StoredJoke, other: StoredJoke) => number {
  const sign = sortOrder === 'asc' ? 1 : -1
  return ({ [sortBy]: one }, { [sortBy]: other }) => (one === other ? 0 : one < other ? -sign : sign)
}

/**
 * How many rows to read first from each shelf: its share of the jokes wanted, two standard deviations of what chance
 * makes of evenly mixed shelves, and one to see whether there are more. So a second round of reading is rare.
 */
function firstPageSize(wanted: number, shelves: number): number {
  const share = wanted / shelves
  return Math.ceil(share + 2 * Math.sqrt(share * (1 - 1 / shelves))) + 1
}
