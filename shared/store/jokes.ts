/** The access module: what clients do with jokes. `removal.ts` and `upkeep.ts` hold what operators do. */
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
import { identify, type Joke, JokeId, type JokeInput } from '../joke.ts'
import type { Listing } from '../listing.ts'
import { hadNoEffect, withTimeLimit } from './connection.ts'
import { IF_WHOLE, type Item, stateOf, toItem, WHOLE_VALUES, WholeJoke, wordsOfJoke } from './item.ts'
import { Reads } from './reads.ts'
import { findJokes, type Page } from './search.ts'
import type { Store } from './store.ts'
import { takeBackRows, writeRows } from './wordLists.ts'

/**
 * Adds a joke. Where new jokes need approval, it waits until an operator lets it in.
 *
 * @param requestId of the request that adds it; `createdBy` of the stored joke starts with it
 * @throws {DuplicateJoke} if an equal joke exists, waits or was removed
 * @throws {Unavailable}
 */
export async function addJoke(store: Store, input: JokeInput, requestId = 'unknown'): Promise<Joke> {
  const id = identify(input)
  const createdBy = `${requestId}#${randomBytes(9).toString('base64url')}`
  return withTimeLimit(
    store.limits,
    () => JOKE_MAY_HAVE_BEEN_ADDED,
    async (abortSignal) => {
      // An eventually consistent read costs half a unit and saves all writes for a joke that exists.
      const get = new GetCommand({ TableName: store.jokesTable, Key: { id } })
      const { Item: existing } = await store.database.send(get, { abortSignal })
      if (existing) throw duplicateOf(id, existing)
      const joke: Joke = { id, ...input, thumbsUp: 0, thumbsDown: 0, dateAdded: new Date().toISOString() }
      const words = wordsOfJoke(joke)
      const item = toItem(joke, words, createdBy, store.approval)
      // Rows first. A crash in between leaves orphan rows, which readers skip, but never an unsearchable joke.
      if (!store.approval) await writeRows(store, joke, words, abortSignal)
      try {
        await putNew(store, item, abortSignal)
      } catch (error) {
        // Nothing may be left of a joke that was removed, or even erased, meanwhile.
        if (error instanceof DuplicateJoke && error.state === 'removed')
          await takeBackRows(store, joke, words, abortSignal)
        throw error
      }
      return joke
    },
  )
}

/** @throws {DuplicateJoke} */
async function putNew(
  { database, jokesTable }: Store,
  item: ReturnType<typeof toItem>,
  abortSignal: AbortSignal,
): Promise<void> {
  const put = new PutCommand({
    TableName: jokesTable,
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
    // The local database does not return the item: most likely, it is like this one.
    throw duplicateOf(item.id, existing ?? item)
  }
}

function duplicateOf(id: string, existing: Item): DuplicateJoke {
  const state = stateOf(existing)
  return new DuplicateJoke(id, state === 'erased' ? 'removed' : state)
}

/** @throws {Unavailable} */
export async function listJokes(store: Store, listing: Listing): Promise<Page> {
  return withTimeLimit(
    store.limits,
    () => LISTING_FAILED,
    (abortSignal) => findJokes(listing, new Reads(store, abortSignal)),
  )
}

/**
 * Adds one upvote to a joke, and returns the joke after that.
 *
 * @throws {UnknownJoke} if no joke has that id, or it was removed
 * @throws {Unavailable} whose message says whether the upvote may have been counted
 */
export async function upvoteJoke(store: Store, id: string): Promise<WholeJoke> {
  if (!v.is(JokeId, id)) throw new UnknownJoke()
  return withTimeLimit(
    store.limits,
    (error) => (hadNoEffect(error) ? UPVOTE_NOT_COUNTED : UPVOTE_MAY_HAVE_COUNTED),
    async (abortSignal) => {
      const command = new UpdateCommand({
        TableName: store.jokesTable,
        Key: { id },
        UpdateExpression: 'ADD thumbsUp :one',
        // Once the upvote is counted, the response needs all fields.
        ConditionExpression: `attribute_exists(shelf) AND ${IF_WHOLE}`,
        ExpressionAttributeValues: { ':one': 1, ...WHOLE_VALUES },
        ReturnValues: 'ALL_NEW',
      })
      const { Attributes } = await store.upvoteDatabase.send(command, { abortSignal }).catch((error: unknown) => {
        throw error instanceof ConditionalCheckFailedException ? new UnknownJoke() : error
      })
      return v.parse(WholeJoke, Attributes)
    },
  )
}
