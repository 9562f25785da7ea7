/** The access module: adds, lists and upvotes jokes. `operators/` has the operations of operators. */
import { randomBytes } from 'node:crypto'
import * as v from 'valibot'
import { ProblemError } from '../errors.ts'
import { identify, type Joke, JokeId, type JokeInput, type StoredJoke } from '../joke.ts'
import type { Listing, Page } from '../listing.ts'
import { hadNoEffect, unavailableIf, withTimeLimit } from './attempts.ts'
import { findPage } from './cache/find.ts'
import { ListedJokes } from './cache/listedJokes.ts'
import { type Item, listedJokeOf, stateOf, TypedJoke } from './item.ts'
import { isAnyIn, readItem, readItems } from './reads.ts'
import type { Store } from './store.ts'
import type { Feed } from './tables.ts'
import { putIfAbsent, update } from './writes.ts'

/**
 * Adds a joke. If new jokes need approval, it waits until an operator approves it. Its `createdBy` begins with the id
 * of the request.
 *
 * @throws {ProblemError} `duplicate`, `waiting` or `removed` if there is an equal joke, or `unknown-outcome`
 */
export async function createJoke(store: Store, input: JokeInput, requestId = 'unknown'): Promise<Joke> {
  const dateAdded = new Date(store.now()).toISOString()
  const joke: Joke = { id: identify(input), ...input, thumbsUp: 0, thumbsDown: 0, dateAdded }
  const createdBy = `${requestId}#${randomBytes(9).toString('base64url')}`
  const feed: Feed = store.approval ? 'waiting' : 'listed'
  return withTimeLimit(
    store.limits,
    () => 'unknown-outcome',
    async (signal) => {
      const existing = await putIfAbsent(store, { ...joke, feed, createdBy }, signal)
      if (existing) throw await duplicateOf(store, existing, signal)
      store.cache.invalidate()
      return joke
    },
  )
}

/** Makes the error for a joke that exists. An alias stands for the joke that was corrected to the new text. */
async function duplicateOf(store: Store, existing: Item, signal: AbortSignal): Promise<ProblemError> {
  const isAlias = stateOf(existing) === 'alias'
  const joke = isAlias ? await readItem(store, String(existing.of), signal) : existing
  const state = stateOf(joke ?? {})
  if (state === 'listed') return new ProblemError('duplicate', { id: String(joke?.id ?? existing.id) })
  return new ProblemError(state === 'waiting' ? 'waiting' : 'removed')
}

/**
 * Lists a page of jokes, as they were some moments ago. Jokes that were asked for by their ids are in their latest
 * state, all on one page.
 *
 * @throws {ProblemError} `invalid` if the cursor belongs to another listing, or `unavailable`
 */
export async function listJokes(store: Store, listing: Listing): Promise<Page> {
  if (listing.id) return findPage(await jokesById(store, listing.id), listing)
  const jokes = await store.cache.current().catch((error) => {
    throw unavailableIf(error, () => 'unavailable')
  })
  return findPage(jokes, listing)
}

async function jokesById(store: Store, ids: string[]): Promise<ListedJokes> {
  const valid = [...new Set(ids.filter((id) => v.is(JokeId, id)))]
  const read = (signal: AbortSignal) => readItems(store, valid, signal)
  const jokes = new ListedJokes(Infinity)
  jokes.apply(await withTimeLimit(store.limits, () => 'unavailable', read))
  return jokes
}

/**
 * Reads the latest state of a joke, within `previewMs`. Returns `undefined` if no listed joke has this id.
 *
 * @throws {ProblemError} `unavailable`
 */
export async function readJoke(store: Store, id: string): Promise<StoredJoke | undefined> {
  if (!v.is(JokeId, id)) return undefined
  const limits = { ...store.limits, operationMs: store.limits.previewMs }
  const item = await withTimeLimit(
    limits,
    () => 'unavailable',
    (signal) => readItem(store, id, signal),
  )
  return item && listedJokeOf(item)
}

/** Conditions of an upvote. The response to a counted upvote needs all fields of {@link TypedJoke}. */
const IF_LISTED_AND_TYPED = [
  'feed = :listed',
  'attribute_type(id, :string)',
  'attribute_type(joke, :string)',
  'attribute_type(category, :string)',
  'attribute_type(thumbsUp, :number)',
  'attribute_type(thumbsDown, :number)',
  'attribute_type(dateAdded, :string)',
  // Adding to a revision that was edited into a text would fail.
  'attribute_type(rev, :number)',
].join(' AND ')

/**
 * Adds one upvote to a joke. The result is the joke right after this upvote.
 *
 * @throws {ProblemError} `unknown-joke` if no listed joke has this id, `not-counted`, or `unknown-outcome`
 */
export async function thumbsUpJoke(store: Store, id: string): Promise<TypedJoke> {
  if (!v.is(JokeId, id)) throw new ProblemError('unknown-joke')
  return withTimeLimit(
    store.limits,
    (error) => (hadNoEffect(error) ? 'not-counted' : 'unknown-outcome'),
    async (signal) => {
      const upvote = {
        condition: IF_LISTED_AND_TYPED,
        values: { ':listed': 'listed' satisfies Feed, ':string': 'S', ':number': 'N' },
        add: { thumbsUp: 1 },
      }
      // Repeating an upvote that may have been counted could count it twice.
      const upvoted = await update(store, id, upvote, { signal, mayRepeat: hadNoEffect })
      if (!upvoted) throw new ProblemError('unknown-joke')
      store.cache.invalidate()
      return v.parse(TypedJoke, upvoted)
    },
  )
}

/** Whether at least one joke waits for approval. */
export async function isAnyWaiting(store: Store): Promise<boolean> {
  return isAnyIn(store, 'waiting')
}
