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
import { properItems, toItem, wordsOfJoke } from './item.ts'
import { Reads } from './reads.ts'
import { findJokes, type Page } from './search.ts'
import { toRows, writeRows } from './wordIndex.ts'

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
      try {
        const { Attributes } = await upvoteDatabase.send(
          new UpdateCommand({
            TableName: JOKES_TABLE,
            Key: { id },
            UpdateExpression: 'ADD thumbsUp :one',
            ConditionExpression: 'attribute_exists(shelf) AND attribute_type(thumbsUp, :number)',
            ExpressionAttributeValues: { ':one': 1, ':number': 'N' },
            ReturnValues: 'ALL_NEW',
          }),
          { abortSignal },
        )
        const [joke] = properItems(Joke, [Attributes])
        if (joke === undefined) throw new UnknownJoke()
        return joke
      } catch (error) {
        throw error instanceof ConditionalCheckFailedException ? new UnknownJoke() : error
      }
    },
  )
}

function duplicateOf(id: string, isListed: boolean): DuplicateJoke {
  return new DuplicateJoke(isListed ? id : undefined)
}
