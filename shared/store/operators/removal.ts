/**
 * What operators do with single jokes: they let them in, remove them, bring them back, or erase them.
 *
 * A listed joke always has its rows in the word lists, at its place. One that waits has none but those of an approval that
 * was interrupted, a removed one has them at most until the command that removes it ends. Each command can be interrupted
 * anywhere, and repeated. Commands that change rows take turns, because each holds the joke: see `hold.ts`.
 */
import { paginateQuery } from '@aws-sdk/lib-dynamodb'
import { StoredJoke } from '../../joke.ts'
import { getItems } from '../connection/batches.ts'
import { type Item, properItems, STATE_NAME, type State, stateOf } from '../item.ts'
import type { Store } from '../store.ts'
import type { JOKES } from '../tables.ts'
import { deleteRows } from '../wordRows.ts'
import { changeRows, rowsOf } from './heldRows.ts'
import { hold, readItem } from './hold.ts'

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
  return item && recordOf(item)
}

/** Reads the jokes in a state, a page at a time, in the order of their ids. Those of the last moments may be missing. */
export async function* findByState(store: Store, state: State): AsyncGenerator<JokeRecord[]> {
  const input = {
    TableName: store.jokesTable,
    IndexName: 'byState' satisfies keyof typeof JOKES.indexes,
    KeyConditionExpression: '#state = :state',
    ExpressionAttributeNames: STATE_NAME,
    ExpressionAttributeValues: { ':state': state },
  }
  for await (const { Items = [] } of paginateQuery({ client: store.database }, input)) {
    const ids = Items.map(({ id }) => String(id))
    const signal = AbortSignal.timeout(store.limits.operationMs)
    const { items } = await getItems(store, ids, { ConsistentRead: true }, signal)
    // The index may not have followed yet.
    yield items.map(recordOf).filter((record) => record.state === state)
  }
}

/**
 * Removes a joke from all listings and searches, or from those that wait. Its votes and text are kept, and its id stays
 * taken.
 *
 * @throws {UnknownJoke} if no joke has that id, or it was erased
 */
export function removeJoke(store: Store, id: string): Promise<void> {
  return hold(store, id, ['listed', 'waiting', 'removed'], async ({ item, state, signal, update }) => {
    const values = { ':state': 'removed' satisfies State, ':now': now() }
    if (state !== 'removed') await update('SET #state = :state, removedAt = :now REMOVE shelf', values)
    await deleteRows(store, rowsOf(item), signal)
  })
}

/**
 * Brings a removed joke back, with its votes.
 *
 * @throws {UnknownJoke} if no joke has that id, or it is neither removed nor listed
 */
export function undoRemoval(store: Store, id: string): Promise<void> {
  return setListed(store, id, 'removed')
}

/**
 * Lets in a joke that waits for approval, with the date at which it was added.
 *
 * @throws {UnknownJoke} if no joke has that id, or it neither waits nor is listed
 */
export function approveJoke(store: Store, id: string): Promise<void> {
  return setListed(store, id, 'waiting')
}

/**
 * Erases a removed joke: its text, its words and who added it. Its id stays, so that it cannot be added again. Rows left by
 * races or crashes may remain: {@link sweep} makes sure that there are none.
 *
 * @throws {UnknownJoke} if no joke has that id, or it was not removed
 */
export function eraseJoke(store: Store, id: string): Promise<void> {
  return hold(store, id, ['removed', 'erased'], async ({ item, state, signal, replace }) => {
    if (state === 'erased') return
    // Rows first: without the text they cannot be found.
    await deleteRows(store, rowsOf(item), signal)
    await replace({ id, state: 'erased' satisfies State, removedAt: item.removedAt, erasedAt: now() })
  })
}

/** Lists a joke that is in a certain state. */
function setListed(store: Store, id: string, from: State): Promise<void> {
  return hold(store, id, ['listed', from], async ({ item, state, signal, update }) => {
    if (state === 'listed') return
    await changeRows(store, item, item, signal, (words) =>
      update('SET #state = :state, shelf = :shelf, words = :words REMOVE removedAt', {
        ':state': 'listed' satisfies State,
        ':shelf': item.category,
        ':words': words,
      }),
    )
  })
}

function recordOf(item: Item): JokeRecord {
  const id = String(item.id)
  const state = stateOf(item)
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

function now(): string {
  return new Date().toISOString()
}
