/** The access module: adds, lists and upvotes jokes. `tools/changes.ts` has the changes of operators. */
import { randomBytes } from 'node:crypto'
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { ProblemError } from '../errors.ts'
import { identify, type Joke, JokeId, type JokeInput } from '../joke.ts'
import type { Listing, Page } from '../listing.ts'
import { findPage } from './cache/find.ts'
import { ListedJokes } from './cache/listedJokes.ts'
import { hadNoEffect, throwAs } from './failures.ts'
import { FEED, type Item, jokeOf } from './item.ts'
import { readItem } from './reads.ts'
import type { Store } from './store.ts'

/**
 * Adds a joke. If new jokes need approval, it waits until an operator approves it.
 *
 * @param createdBy the request or import that adds it
 * @throws {ProblemError} `duplicate`, `waiting` or `removed` if there is an equal joke, or `unknown-outcome`
 */
export async function createJoke(store: Store, input: JokeInput, createdBy = 'unknown'): Promise<Joke> {
  const dateAdded = new Date(store.now()).toISOString()
  const joke: Joke = { id: identify(input), ...input, thumbsUp: 0, thumbsDown: 0, dateAdded }
  const item: Item = {
    ...joke,
    jokeState: store.approval ? 'waiting' : 'listed',
    edits: 0,
    createdBy: `${createdBy}#${randomBytes(6).toString('base64url')}`,
  }
  const abortSignal = AbortSignal.timeout(store.limits.operationMs)
  try {
    if (await putIfAbsent(store, item, abortSignal)) return joke
    const existing = await readItem(store, joke.id, abortSignal)
    // An earlier attempt may have put the item, although its response was lost.
    if (existing?.createdBy === item.createdBy) return joke
    if (existing?.jokeState === 'listed') throw new ProblemError('duplicate', { id: joke.id })
    throw new ProblemError(existing?.jokeState === 'waiting' ? 'waiting' : 'removed')
  } catch (error) {
    // Clients may retry, because a joke is never stored twice.
    return throwAs('unknown-outcome', error, { mayRetry: true })
  }
}

/** Puts an item with a new `rev` and `changedAt`, unless the table has one with its id. @returns whether it was put */
export async function putIfAbsent(store: Store, item: Item, abortSignal?: AbortSignal): Promise<boolean> {
  const rev = store.now()
  const written = { ...item, feed: FEED, changedAt: new Date(rev).toISOString(), rev }
  const put = new PutCommand({
    TableName: store.jokesTable,
    Item: written,
    ConditionExpression: 'attribute_not_exists(id)',
  })
  try {
    await store.database.send(put, { abortSignal: abortSignal ?? AbortSignal.timeout(store.limits.operationMs) })
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false
    throw error
  }
  store.cache.apply(written)
  return true
}

/**
 * Lists a page of jokes, as they were some moments ago. Jokes that are asked for by their ids are in their latest state.
 *
 * @throws {ProblemError} `invalid` if the cursor belongs to another listing, or `unavailable`
 */
export async function listJokes(store: Store, listing: Listing): Promise<Page> {
  const jokes = listing.ids ? jokesById(store, listing.ids) : store.cache.current()
  return findPage(await jokes.catch((error) => throwAs('unavailable', error, { mayRetry: true })), listing)
}

async function jokesById(store: Store, ids: string[]): Promise<ListedJokes> {
  const valid = [...new Set(ids.filter((id) => v.is(JokeId, id)))]
  const signal = AbortSignal.timeout(store.limits.operationMs)
  const items = await Promise.all(valid.map((id) => readItem(store, id, signal)))
  const jokes = new ListedJokes()
  jokes.apply(items.filter((item) => item !== undefined))
  return jokes
}

/**
 * Reads the latest state of a joke, within `previewMs`. Returns `undefined` if no listed joke has this id.
 *
 * @throws {ProblemError} `unavailable`
 */
export async function readJoke(store: Store, id: string): Promise<Joke | undefined> {
  if (!v.is(JokeId, id)) return undefined
  const signal = AbortSignal.timeout(store.limits.previewMs)
  const item = await readItem(store, id, signal).catch((error) => throwAs('unavailable', error, { mayRetry: true }))
  return item?.jokeState === 'listed' ? jokeOf(item) : undefined
}

/**
 * Adds one upvote to a joke. The result is the joke right after this upvote.
 *
 * @throws {ProblemError} `unknown-joke` if no listed joke has this id, `not-counted`, or `unknown-outcome`
 */
export async function thumbsUpJoke(store: Store, id: string): Promise<Joke> {
  if (!v.is(JokeId, id)) throw new ProblemError('unknown-joke')
  const { databaseOnce, jokesTable, limits, now, cache } = store
  const upvote = new UpdateCommand({
    TableName: jokesTable,
    Key: { id },
    ConditionExpression: 'jokeState = :listed',
    UpdateExpression: 'SET changedAt = :now ADD thumbsUp :one, rev :one',
    ExpressionAttributeValues: { ':listed': 'listed', ':now': new Date(now()).toISOString(), ':one': 1 },
    ReturnValues: 'ALL_NEW',
  })
  const abortSignal = AbortSignal.timeout(limits.operationMs)
  // A retry could count twice.
  const { Attributes: item = {} } = await databaseOnce.send(upvote, { abortSignal }).catch((error) => {
    if (error instanceof ConditionalCheckFailedException) throw new ProblemError('unknown-joke')
    const isNotCounted = hadNoEffect(error)
    return throwAs(isNotCounted ? 'not-counted' : 'unknown-outcome', error, { mayRetry: isNotCounted })
  })
  cache.apply(item)
  const joke = jokeOf(item)
  // An item with a damaged text can be upvoted, although nobody sees it.
  if (!joke) throw new ProblemError('unknown-joke')
  return joke
}
