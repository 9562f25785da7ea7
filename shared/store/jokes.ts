/** The access module's face: everything the service does with its jokes. */
import { randomBytes } from 'node:crypto'
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { DuplicateJoke, UnknownJoke } from '../errors.ts'
import { identify, Joke, JokeId, type JokeInput } from '../joke.ts'
import type { Listing } from '../listing.ts'
import { database, hadNoEffect, upvoteDatabase, withTimeLimit } from './database.ts'
import { JOKES_TABLE } from './environment.ts'
import { properItems, storedWords, toItem, wordsOfJoke } from './item.ts'
import { Reads } from './reads.ts'
import { findJokes, type Page } from './search.ts'
import { deleteRowsOf, toRows, writeRows } from './wordIndex.ts'

/**
 * Adds a joke.
 *
 * @param requestId of the request that adds it, which `createdBy` of the stored joke starts with
 * @throws {DuplicateJoke} where an equal joke exists, or was removed
 * @throws {Unavailable}
 */
export async function addJoke(input: JokeInput, requestId = 'unknown'): Promise<Joke> {
  const id = identify(input)
  const createdBy = `${requestId}#${randomBytes(9).toString('base64url')}`
  return withTimeLimit(
    () => 'The joke may or may not have been added: send it again to be sure.',
    async (abortSignal) => {
      // An eventually consistent read of half a unit, so that a joke sent again writes nothing.
      const get = new GetCommand({ TableName: JOKES_TABLE, Key: { id } })
      const { Item: existing } = await database.send(get, { abortSignal })
      if (existing) throw duplicateOf(id, 'shelf' in existing)
      const joke: Joke = { id, ...input, thumbsUp: 0, thumbsDown: 0, dateAdded: new Date().toISOString() }
      // Words first. A crash in between leaves orphan rows, which readers skip, but never an unsearchable joke.
      await writeRows(toRows(joke, wordsOfJoke(joke)), abortSignal)
      try {
        await database.send(
          new PutCommand({
            TableName: JOKES_TABLE,
            Item: toItem(joke, createdBy),
            ConditionExpression: 'attribute_not_exists(id)',
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
          { abortSignal },
        )
        return joke
      } catch (error) {
        if (!(error instanceof ConditionalCheckFailedException)) throw error
        // A put whose answer got lost is retried and then meets its own work.
        if (error.Item?.createdBy?.S === createdBy) return joke
        throw duplicateOf(id, error.Item === undefined || 'shelf' in error.Item)
      }
    },
  )
}

/**
 * Lists jokes.
 *
 * @throws {Unavailable}
 */
export async function listJokes(listing: Listing): Promise<Page> {
  return withTimeLimit(
    () => 'The jokes could not be read just now: try again.',
    (abortSignal) => findJokes(listing, new Reads(abortSignal)),
  )
}

/**
 * Adds one upvote to a joke, and returns the joke as it is right after.
 *
 * @throws {UnknownJoke} where no joke has that id, or it was removed
 * @throws {Unavailable} says whether the upvote certainly was not counted, or may have been
 */
export async function thumbUp(id: string): Promise<Joke> {
  if (!v.is(JokeId, id)) throw new UnknownJoke()
  return withTimeLimit(
    (fault) =>
      hadNoEffect(fault) ? 'The upvote was not counted: try again.' : 'The upvote may or may not have been counted.',
    async (abortSignal) => {
      const command = new UpdateCommand({
        TableName: JOKES_TABLE,
        Key: { id },
        UpdateExpression: 'ADD thumbsUp :one',
        ConditionExpression: 'attribute_exists(shelf) AND attribute_type(thumbsUp, :number)',
        ExpressionAttributeValues: { ':one': 1, ':number': 'N' },
        ReturnValues: 'ALL_NEW',
      })
      const { Attributes } = await unlessUnknown(upvoteDatabase.send(command, { abortSignal }))
      const [joke] = properItems(Joke, [Attributes])
      if (joke === undefined) throw new UnknownJoke()
      return joke
    },
  )
}

/** A joke as operators see it, whether listed, removed or erased. */
export interface JokeRecord {
  id: string
  /** Absent: its text was erased, or the item is not as the service writes it. */
  joke?: Joke
  state: 'listed' | 'removed' | 'erased'
  /** The id of the request that added it, as in API Gateway's access log. Absent: erased. */
  requestId?: string
}

/**
 * Reads a joke, whatever its state.
 *
 * @returns nothing where no joke ever had that id
 */
export async function findRecord(id: string): Promise<JokeRecord | undefined> {
  const get = new GetCommand({ TableName: JOKES_TABLE, Key: { id }, ConsistentRead: true })
  const { Item: item } = await database.send(get)
  if (item === undefined) return undefined
  if (!('shelf' in item || 'removedFrom' in item)) return { id, state: 'erased' }
  const [joke] = properItems(Joke, [item])
  return {
    id,
    ...(joke && { joke }),
    state: 'shelf' in item ? 'listed' : 'removed',
    requestId: String(item.createdBy).replace(/#.*/, ''),
  }
}

/**
 * Takes a joke out of all listings and searches. Its votes and text are kept, and its id stays taken.
 *
 * @throws {UnknownJoke} where no listed joke has that id
 */
export async function removeJoke(id: string): Promise<void> {
  await update(id, 'attribute_exists(shelf)', 'SET removedFrom = shelf, removedAt = :now REMOVE shelf', {
    ':now': new Date().toISOString(),
  })
}

/**
 * Brings a removed joke back, with its votes.
 *
 * @throws {UnknownJoke} where no removed joke has that id, or it was erased
 */
export async function undoRemoval(id: string): Promise<void> {
  await update(id, 'attribute_exists(removedFrom)', 'SET shelf = removedFrom REMOVE removedFrom, removedAt')
}

/**
 * Erases a removed joke: its text, its words and who added it. Only its id stays, so that it cannot be added again.
 *
 * @throws {UnknownJoke} where no removed joke has that id
 */
export async function eraseJoke(id: string): Promise<void> {
  const { Item: item } = await database.send(
    new GetCommand({ TableName: JOKES_TABLE, Key: { id }, ConsistentRead: true }),
  )
  if (item?.removedFrom === undefined) throw new UnknownJoke()
  const words = wordsOfJoke({ joke: String(item.joke), punchline: String(item.punchline) })
  // Words first: without the text, nobody could tell which they were.
  await deleteRowsOf(id, [...words, ...storedWords(item.words)])
  const put = new PutCommand({
    TableName: JOKES_TABLE,
    Item: { id, removedAt: item.removedAt, erasedAt: new Date().toISOString() },
    ConditionExpression: 'attribute_exists(removedFrom)',
  })
  await unlessUnknown(database.send(put))
}

async function update(id: string, condition: string, change: string, values?: { [name: string]: string }) {
  const command = new UpdateCommand({
    TableName: JOKES_TABLE,
    Key: { id },
    ConditionExpression: condition,
    UpdateExpression: change,
    ...(values && { ExpressionAttributeValues: values }),
  })
  await unlessUnknown(database.send(command))
}

/** The result of a call whose condition is that there is such a joke. */
async function unlessUnknown<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await call
  } catch (error) {
    throw error instanceof ConditionalCheckFailedException ? new UnknownJoke() : error
  }
}

function duplicateOf(id: string, isListed: boolean): DuplicateJoke {
  return new DuplicateJoke(isListed ? id : undefined)
}
