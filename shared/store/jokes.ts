/** The access module: everything the service does with its tables. */
import { randomBytes } from 'node:crypto'
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { BatchGetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { DuplicateJoke, UnknownJoke } from '../errors.ts'
import { identify, Joke, JokeId, type NewJoke } from '../joke.ts'
import type { Listing, Position } from '../listing.ts'
import { matches, searchable, wordsOf } from '../words.ts'
import { database, operate, sendBatches, upvoteDatabase } from './database.ts'
import { settings } from './settings.ts'
import {
  comparePlaces,
  type OrderedListing,
  placeOf,
  StoredJoke,
  sampleIds,
  shelfOf,
  shuffle,
  walk,
} from './shelves.ts'
import { lookUp, toRows, type WordRow, writeRows } from './wordIndex.ts'

/** DynamoDB takes so many keys in one call. */
const BATCH_KEYS = 100

/** So that drawing few of jokes many of which do not fit takes few calls. */
const MIN_SAMPLE_BATCH = 25

/**
 * Adds a joke.
 *
 * @throws {DuplicateJoke} where an equal joke is there already
 * @throws {Unavailable}
 */
export async function addJoke(newJoke: NewJoke): Promise<Joke> {
  const id = identify(newJoke)
  const joke: Joke = { id, ...newJoke, thumbsUp: 0, thumbsDown: 0, dateAdded: new Date().toISOString() }
  const { item, rows } = toStored(joke)
  const createdBy = randomBytes(9).toString('base64url')
  return operate('The joke may or may not have been added: send it again to be sure.', async (abortSignal) => {
    // Words first: dying in between leaves rows that lead to no joke, which is harmless, and never a joke not to be found.
    await writeRows(rows, abortSignal)
    try {
      await database.send(
        new PutCommand({
          TableName: settings.JOKES_TABLE,
          Item: { ...item, createdBy },
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

/** A joke as it is stored: its item, and its rows in the word index. */
export function toStored(joke: Joke): { item: StoredJoke & { shelf: string }; rows: WordRow[] } {
  const words = wordsOf(`${joke.joke}\n${joke.punchline}`)
  return { item: { ...joke, shelf: shelfOf(joke), words: searchable(words) }, rows: toRows(joke.id, words) }
}

/** One page of a listing, and where the next one begins, if there are more. */
export interface Page {
  jokes: Joke[]
  next?: Position
}

/**
 * Lists jokes.
 *
 * @throws {Unavailable}
 */
export async function listJokes(listing: Listing): Promise<Page> {
  return operate('The jokes could not be read just now: try again.', async (abortSignal) => {
    const { jokes, next } = await findJokes(listing, abortSignal)
    const page = jokes.map(({ words, ...joke }) => joke)
    return next ? { jokes: page, next } : { jokes: page }
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

interface Found {
  jokes: StoredJoke[]
  next?: Position | undefined
}

/** Picks the cheapest way to read, by what it meets. */
async function findJokes(listing: Listing, abortSignal: AbortSignal): Promise<Found> {
  const { id, words, sortBy, from } = listing
  if (id) {
    const jokes = await getJokes(id, abortSignal, { ConsistentRead: true })
    return { jokes: sortBy === 'random' ? shuffle(jokes) : sort(jokes, { ...listing, sortBy }) }
  }
  // What began as a walk goes on as one: no joke is ever deleted, so a common word stays common.
  const mayLookUp = words.length > 0 && !(from && 'walk' in from)
  const ids = mayLookUp ? await lookUp(words, abortSignal) : undefined
  if (sortBy === 'random') {
    return { jokes: await sample(ids ?? (await sampleIds(listing, abortSignal)), listing, abortSignal) }
  }
  const ordered = { ...listing, sortBy }
  return ids ? pageOf(await getJokes(ids, abortSignal), ordered) : walk(ordered, abortSignal)
}

/** A page of those of the jokes that fit a listing. */
function pageOf(jokes: StoredJoke[], listing: OrderedListing): Found {
  const { numberofJokes, from } = listing
  const left = sort(
    jokes.filter((joke) => fits(joke, listing)),
    listing,
  ).filter((joke) => !(from && 'found' in from) || comparePlaces(listing, from.found, placeOf(joke, listing)) < 0)
  const page = left.slice(0, numberofJokes)
  const last = page.at(-1)
  return { jokes: page, next: last && left.length > page.length ? { found: placeOf(last, listing) } : undefined }
}

/** A random sample of those of the jokes with these ids that fit a listing. */
async function sample(ids: string[], listing: Listing, abortSignal: AbortSignal): Promise<StoredJoke[]> {
  const { numberofJokes } = listing
  const candidates = shuffle(ids)
  const jokes: StoredJoke[] = []
  while (jokes.length < numberofJokes && candidates.length > 0) {
    const some = candidates.splice(0, Math.max(numberofJokes, MIN_SAMPLE_BATCH))
    jokes.push(...(await getJokes(some, abortSignal)).filter((joke) => fits(joke, listing)))
  }
  return shuffle(jokes).slice(0, numberofJokes)
}

function sort(jokes: StoredJoke[], listing: OrderedListing): StoredJoke[] {
  return jokes.toSorted((one, other) => comparePlaces(listing, placeOf(one, listing), placeOf(other, listing)))
}

function fits({ words, category }: StoredJoke, listing: Listing): boolean {
  return matches(listing.words, words) && (listing.category === undefined || listing.category === category)
}

/** Reads those jokes that there are, in any order. */
async function getJokes(
  ids: string[],
  abortSignal: AbortSignal,
  options: { ConsistentRead?: boolean } = {},
): Promise<StoredJoke[]> {
  const { JOKES_TABLE } = settings
  const keys: Record<string, string>[] = ids.filter((id) => v.is(JokeId, id)).map((id) => ({ id }))
  const items: unknown[] = []
  await sendBatches(keys, BATCH_KEYS, abortSignal, async (batch) => {
    const command = new BatchGetCommand({ RequestItems: { [JOKES_TABLE]: { Keys: batch, ...options } } })
    const { Responses, UnprocessedKeys } = await database.send(command, { abortSignal })
    items.push(...(Responses?.[JOKES_TABLE] ?? []))
    return UnprocessedKeys?.[JOKES_TABLE]?.Keys
  })
  return v.parse(v.array(StoredJoke), items)
}
