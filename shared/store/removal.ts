/**
 * What operators do with single jokes: they let them in, remove them, bring them back, or erase them.
 *
 * A joke waits, is listed, removed or erased. A listed joke always has its rows in the word lists. One that waits has none
 * but those of an approval that was interrupted, a removed one has them at most until the command that removes it ends, and
 * an erased one has none. Each command can be interrupted anywhere, and repeated. Commands that change rows take turns,
 * because each holds the joke: see `hold.ts`.
 */
import { paginateQuery } from '@aws-sdk/lib-dynamodb'
import { StoredJoke } from '../joke.ts'
import { hold, readItem } from './hold.ts'
import { type Item, isListed, properItems, type State, stateOf, storedWordsOf, WAITING, wordsOfJoke } from './item.ts'
import type { Store } from './store.ts'
import type { JOKES } from './tables.ts'
import { deleteRows, writeRows } from './wordLists.ts'

/** A joke as operators see it, in any state. */
export interface JokeRecord {
  id: string
  /** Absent: its text was erased, or its item is damaged. */
  joke?: StoredJoke
  state: State
  /** The id of the request that added it, as in API Gateway's access log. Absent: erased, or not stored. */
  requestId?: string
}

/** Reads a joke, whatever its state; undefined: no joke ever had that id. */
export async function findRecord(store: Store, id: string): Promise<JokeRecord | undefined> {
  const item = await readItem(store, id)
  return item && recordOf(id, item, stateOf(item))
}

/** Reads the jokes that wait for approval, a page at a time, the oldest first. Those of the last moments may be missing. */
export async function* findWaiting({ database, jokesTable }: Store): AsyncGenerator<JokeRecord[]> {
  const input = {
    TableName: jokesTable,
    IndexName: 'waiting' satisfies keyof typeof JOKES.indexes,
    KeyConditionExpression: 'waiting = :waiting',
    ExpressionAttributeValues: { ':waiting': WAITING },
  }
  for await (const { Items = [] } of paginateQuery({ client: database }, input))
    yield Items.map((item) => recordOf(String(item.id), item, 'waiting'))
}

/**
 * Removes a joke from all listings and searches, or from those that wait. Its votes and text are kept, and its id stays
 * taken.
 *
 * @throws {UnknownJoke} if no joke has that id, or it was erased
 * @throws {Unavailable}
 */
export function removeJoke(store: Store, id: string): Promise<void> {
  return hold(store, id, ['listed', 'waiting', 'removed'], async ({ item, signal, update, release }) => {
    const values = { ':shelf': item.shelf ?? item.category, ':now': new Date().toISOString() }
    if (stateOf(item) !== 'removed')
      await update('SET removedFrom = :shelf, removedAt = :now REMOVE shelf, waiting', values)
    await deleteRows(store, item, signal)
    await release()
  })
}

/**
 * Brings a removed joke back, with its votes.
 *
 * @throws {UnknownJoke} if no joke has that id, or it is neither removed nor listed
 * @throws {Unavailable}
 */
export function undoRemoval(store: Store, id: string): Promise<void> {
  return list(store, id, 'removed')
}

/**
 * Lets in a joke that waits for approval, with the date at which it was added.
 *
 * @throws {UnknownJoke} if no joke has that id, or it neither waits nor is listed
 * @throws {Unavailable}
 */
export function approveJoke(store: Store, id: string): Promise<void> {
  return list(store, id, 'waiting')
}

/**
 * Erases a removed joke: its text, its words and who added it. Its id stays, so that it cannot be added again. Erasing it
 * again changes nothing.
 *
 * @throws {UnknownJoke} if no joke has that id, or it was not removed
 * @throws {Unavailable}
 */
export function eraseJoke(store: Store, id: string): Promise<void> {
  return hold(store, id, ['removed', 'erased'], async ({ item, signal, replace, release }) => {
    if (stateOf(item) === 'erased') return release()
    // Rows first: without the text they cannot be found.
    await deleteRows(store, item, signal)
    await replace({ id, removedAt: item.removedAt, erasedAt: new Date().toISOString() })
    await release()
  })
}

/** Lists a joke that is in a certain state. */
function list(store: Store, id: string, from: State): Promise<void> {
  return hold(store, id, ['listed', from], async ({ item, signal, update, release }) => {
    if (isListed(item)) return release()
    const [joke] = properItems(StoredJoke, [item])
    const words = joke ? wordsOfJoke(joke) : []
    if (joke) await writeRows(store, joke, words, signal)
    await update('SET shelf = :shelf, words = :words REMOVE waiting, removedFrom, removedAt, held', {
      ':shelf': item.removedFrom ?? item.category,
      ':words': storedWordsOf(words),
    })
  })
}

function recordOf(id: string, item: Item, state: State): JokeRecord {
  if (state === 'erased') return { id, state }
  const [joke] = properItems(StoredJoke, [item])
  const { createdBy } = item
  return {
    id,
    ...(joke && { joke }),
    state,
    ...(typeof createdBy === 'string' && { requestId: createdBy.replace(/#.*/, '') }),
  }
}
