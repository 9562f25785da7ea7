/** The access module: everything the service and its operators do with a joke. */
import { randomBytes } from 'node:crypto'
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import {
  DuplicateJoke,
  JOKE_MAY_HAVE_BEEN_ADDED,
  LISTING_FAILED,
  UnknownJoke,
  UPVOTE_MAY_HAVE_COUNTED,
  UPVOTE_NOT_COUNTED,
} from '../errors.ts'
import { identify, Joke, JokeId, type JokeInput } from '../joke.ts'
import type { Listing } from '../listing.ts'
import { database, hadNoEffect, upvoteDatabase, withTimeLimit } from './database.ts'
import { JOKES_TABLE } from './environment.ts'
import { type Item, isListed, properItems, storedWords, toItem, wordsOfJoke } from './item.ts'
import { Reads } from './reads.ts'
import { findJokes, type Page } from './search.ts'
import { deleteRowsOf, toRows, writeRows } from './wordIndex.ts'

const IF_LISTED = 'attribute_exists(shelf)'
const IF_REMOVED = 'attribute_exists(removedFrom)'

/**
 * Adds a joke.
 *
 * @param requestId of the request that adds it; `createdBy` of the stored joke starts with it
 * @throws {DuplicateJoke} if an equal joke exists, or was removed
 * @throws {Unavailable}
 */
export async function addJoke(input: JokeInput, requestId = 'unknown'): Promise<Joke> {
  const id = identify(input)
  const createdBy = `${requestId}#${randomBytes(9).toString('base64url')}`
  return withTimeLimit(
    () => JOKE_MAY_HAVE_BEEN_ADDED,
    async (abortSignal) => {
      // An eventually consistent read costs half a unit and saves all writes for a joke that exists.
      const get = new GetCommand({ TableName: JOKES_TABLE, Key: { id } })
      const { Item: existing } = await database.send(get, { abortSignal })
      if (existing) throw new DuplicateJoke(isListed(existing) ? id : undefined)
      const joke: Joke = { id, ...input, thumbsUp: 0, thumbsDown: 0, dateAdded: new Date().toISOString() }
      const words = wordsOfJoke(joke)
      // Words first. A crash in between leaves orphan rows, which readers skip, but never an unsearchable joke.
      await writeRows(toRows(joke, words), abortSignal)
      await putNew(toItem(joke, words, createdBy), abortSignal)
      return joke
    },
  )
}

/** @throws {DuplicateJoke} */
async function putNew(item: ReturnType<typeof toItem>, abortSignal: AbortSignal): Promise<void> {
  const put = new PutCommand({
    TableName: JOKES_TABLE,
    Item: item,
    ConditionExpression: 'attribute_not_exists(id)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  })
  try {
    await database.send(put, { abortSignal })
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error
    const { Item: existing } = error
    // A put is retried if its response was lost, and then finds its own item.
    if (existing?.createdBy?.S === item.createdBy) return
    // The local database does not return the item.
    throw new DuplicateJoke(existing === undefined || isListed(existing) ? item.id : undefined)
  }
}

/** @throws {Unavailable} */
export async function listJokes(listing: Listing): Promise<Page> {
  return withTimeLimit(
    () => LISTING_FAILED,
    (abortSignal) => findJokes(listing, new Reads(abortSignal)),
  )
}

/**
 * Adds one upvote to a joke, and returns the joke after that.
 *
 * @throws {UnknownJoke} if no joke has that id, or it was removed
 * @throws {Unavailable} whose message says whether the upvote may have been counted
 */
export async function thumbUp(id: string): Promise<Joke> {
  if (!v.is(JokeId, id)) throw new UnknownJoke()
  return withTimeLimit(
    (error) => (hadNoEffect(error) ? UPVOTE_NOT_COUNTED : UPVOTE_MAY_HAVE_COUNTED),
    async (abortSignal) => {
      const command = new UpdateCommand({
        TableName: JOKES_TABLE,
        Key: { id },
        UpdateExpression: 'ADD thumbsUp :one',
        ConditionExpression: `${IF_LISTED} AND attribute_type(thumbsUp, :number)`,
        ExpressionAttributeValues: { ':one': 1, ':number': 'N' },
        ReturnValues: 'ALL_NEW',
      })
      const { Attributes } = await orUnknownJoke(upvoteDatabase.send(command, { abortSignal }))
      const [joke] = properItems(Joke, Attributes && [Attributes])
      if (joke === undefined) throw new UnknownJoke()
      return joke
    },
  )
}

/** A joke as operators see it, whether listed, removed or erased. */
export interface JokeRecord {
  id: string
  /** Absent: its text was erased, or its item is damaged. */
  joke?: Joke
  state: 'listed' | 'removed' | 'erased'
  /** The id of the request that added it, as in API Gateway's access log. Absent: erased, or not stored. */
  requestId?: string
}

/** Reads a joke, whatever its state; undefined: no joke ever had that id. */
export async function findRecord(id: string): Promise<JokeRecord | undefined> {
  const item = await readItem(id)
  if (item === undefined) return undefined
  if (!isListed(item) && !('removedFrom' in item)) return { id, state: 'erased' }
  const [joke] = properItems(Joke, [item])
  const { createdBy } = item
  return {
    id,
    ...(joke && { joke }),
    state: isListed(item) ? 'listed' : 'removed',
    ...(typeof createdBy === 'string' && { requestId: createdBy.replace(/#.*/, '') }),
  }
}

/**
 * Removes a joke from all listings and searches. Its votes and text are kept, and its id stays taken.
 *
 * @throws {UnknownJoke} if no joke has that id, or it was erased
 */
export async function removeJoke(id: string): Promise<void> {
  const values = { ':now': new Date().toISOString() }
  const change = 'SET removedFrom = shelf, removedAt = :now REMOVE shelf'
  await unlessMade('removed', id, updateItem(id, IF_LISTED, change, values))
}

/**
 * Brings a removed joke back, with its votes.
 *
 * @throws {UnknownJoke} if no joke has that id, or it was erased
 */
export async function undoRemoval(id: string): Promise<void> {
  const change = 'SET shelf = removedFrom REMOVE removedFrom, removedAt'
  await unlessMade('listed', id, updateItem(id, IF_REMOVED, change))
}

/**
 * Erases a removed joke: its text, its words and who added it. Its id stays, so that it cannot be added again.
 *
 * @throws {UnknownJoke} if no removed joke has that id
 */
export async function eraseJoke(id: string): Promise<void> {
  const item = await readItem(id)
  if (item?.removedFrom === undefined) throw new UnknownJoke()
  const words = wordsOfJoke({ joke: String(item.joke), punchline: String(item.punchline) })
  // Word rows first: without the text they cannot be found.
  await deleteRowsOf(id, [...words, ...storedWords(item.words)])
  const put = new PutCommand({
    TableName: JOKES_TABLE,
    Item: { id, removedAt: item.removedAt, erasedAt: new Date().toISOString() },
    ConditionExpression: IF_REMOVED,
  })
  await unlessMade('erased', id, orUnknownJoke(database.send(put)))
}

/**
 * Accepts a failed change if the joke is already in the wanted state: the SDK repeats a change whose response was lost,
 * and then its condition no longer holds.
 */
async function unlessMade(state: JokeRecord['state'], id: string, change: Promise<unknown>): Promise<void> {
  try {
    await change
  } catch (error) {
    if (!(error instanceof UnknownJoke) || (await findRecord(id))?.state !== state) throw error
  }
}

async function readItem(id: string): Promise<Item | undefined> {
  const get = new GetCommand({ TableName: JOKES_TABLE, Key: { id }, ConsistentRead: true })
  return (await database.send(get)).Item
}

/** @throws {UnknownJoke} if the condition does not hold */
export async function updateItem(id: string, condition: string, change: string, values?: Record<string, string>) {
  const command = new UpdateCommand({
    TableName: JOKES_TABLE,
    Key: { id },
    ConditionExpression: condition,
    UpdateExpression: change,
    ExpressionAttributeValues: values,
  })
  await orUnknownJoke(database.send(command))
}

/** @throws {UnknownJoke} if the condition of a call fails */
async function orUnknownJoke<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await call
  } catch (error) {
    throw error instanceof ConditionalCheckFailedException ? new UnknownJoke() : error
  }
}
