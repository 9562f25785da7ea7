/** The access module: adds, lists and upvotes jokes. `operators/` has the operations of operators. */
import { randomBytes } from 'node:crypto'
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
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
import type { Spent } from '../log.ts'
import { hadNoEffect, isTemporary, withTimeLimit } from './connection/connection.ts'
import { readItem } from './connection/readItem.ts'
import { BudgetedReads } from './finding/budgetedReads.ts'
import { findJokes } from './finding/find.ts'
import type { Page } from './finding/page.ts'
import { entriesFor, entryKeyOf, writeEntries } from './indexEntries.ts'
import { type Item, STATE_NAME, type State, stateOf, TypedJoke, toItem, wordsIn } from './item.ts'
import type { Store } from './store.ts'

/**
 * Adds a joke. If new jokes need approval, it waits until an operator approves it. Its `createdBy` begins with the id
 * of the request.
 *
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
      const existing = await readExisting(store, id, abortSignal)
      if (existing) throw await duplicateOf(store, existing, abortSignal)
      const joke: Joke = { id, ...input, thumbsUp: 0, thumbsDown: 0, dateAdded: new Date().toISOString() }
      const item = toItem(joke, store.approval ? 'waiting' : 'listed', createdBy)
      // After a crash, entries without a joke may remain, but no listed joke lacks its entries.
      if (item.state === 'listed') await writeEntries(store, entriesFor(entryKeyOf(joke), wordsIn(item)), abortSignal)
      await putNew(store, item, abortSignal)
      return joke
    },
  )
}

/**
 * Reads an equal joke that may exist. For half a unit, this saves all writes if it does. After a timeout, the put
 * decides.
 */
async function readExisting(store: Store, id: string, signal: AbortSignal) {
  const abortSignal = AbortSignal.any([signal, AbortSignal.timeout(store.limits.readExistingMs)])
  try {
    return await readItem(store, id, { ConsistentRead: false, abortSignal })
  } catch (error) {
    if (isTemporary(error)) return undefined
    throw error
  }
}

/** @throws {DuplicateJoke} */
async function putNew(store: Store, item: ReturnType<typeof toItem>, abortSignal: AbortSignal): Promise<void> {
  const put = new PutCommand({
    TableName: store.jokesTable,
    Item: item,
    ConditionExpression: 'attribute_not_exists(id)',
  })
  try {
    await store.database.send(put, { abortSignal })
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error
    const existing = (await readItem(store, item.id, { abortSignal })) ?? {}
    // A retry after a lost response finds the item of its first attempt.
    if (existing.createdBy !== item.createdBy) throw await duplicateOf(store, existing, abortSignal)
  }
}

/** Makes the error for a joke that exists. An alias stands for the joke that was corrected to the new text. */
async function duplicateOf(store: Store, existing: Item, abortSignal: AbortSignal): Promise<DuplicateJoke> {
  const isAlias = stateOf(existing) === 'alias'
  const joke = isAlias ? await readItem(store, String(existing.of), { abortSignal }) : existing
  const state = stateOf(joke ?? {})
  return new DuplicateJoke(
    String(joke?.id ?? existing.id),
    state === 'listed' || state === 'waiting' ? state : 'removed',
  )
}

/**
 * Lists a page of jokes, and returns what it cost.
 *
 * @throws {InvalidInput} if the cursor belongs to another listing
 * @throws {Unavailable}
 */
export async function listJokes(store: Store, listing: Listing): Promise<Page & { spent: Spent }> {
  const startedAt = performance.now()
  return withTimeLimit(
    store.limits,
    () => LISTING_FAILED,
    async (abortSignal) => {
      const reads = new BudgetedReads(store, abortSignal)
      const page = await findJokes(listing, reads)
      return { ...page, spent: { ...reads.spent, milliseconds: Math.round(performance.now() - startedAt) } }
    },
  )
}

/** Conditions of an upvote. The response to a counted upvote needs all fields of {@link TypedJoke}. */
const IF_LISTED_AND_TYPED = [
  '#state = :listed',
  'attribute_type(id, :string)',
  'attribute_type(joke, :string)',
  'attribute_type(category, :string)',
  'attribute_type(thumbsUp, :number)',
  'attribute_type(thumbsDown, :number)',
  'attribute_type(dateAdded, :string)',
].join(' AND ')

/**
 * Adds one upvote to a joke. The result is the joke right after this upvote.
 *
 * @throws {UnknownJoke} if no listed joke has this id
 * @throws {Unavailable} says whether the upvote may have been counted
 */
export async function upvoteJoke(store: Store, id: string): Promise<TypedJoke> {
  if (!v.is(JokeId, id)) throw new UnknownJoke()
  return withTimeLimit(
    store.limits,
    (error) => (hadNoEffect(error) ? UPVOTE_NOT_COUNTED : UPVOTE_MAY_HAVE_COUNTED),
    async (abortSignal) => {
      const command = new UpdateCommand({
        TableName: store.jokesTable,
        Key: { id },
        UpdateExpression: 'ADD thumbsUp :one',
        ConditionExpression: IF_LISTED_AND_TYPED,
        ExpressionAttributeNames: STATE_NAME,
        ExpressionAttributeValues: { ':one': 1, ':listed': 'listed' satisfies State, ':string': 'S', ':number': 'N' },
        ReturnValues: 'ALL_NEW',
      })
      const { Attributes } = await store.upvoteDatabase.send(command, { abortSignal }).catch((error: unknown) => {
        throw error instanceof ConditionalCheckFailedException ? new UnknownJoke() : error
      })
      return v.parse(TypedJoke, Attributes)
    },
  )
}
