/**
 * What operators do with single jokes: they let them in, remove them, bring them back, or erase them. Only listed jokes have
 * rows in the word lists: see `settle.ts`. A command that was killed must be repeated before its joke is certain.
 */
import { PutCommand, paginateQuery, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { UnknownJoke } from '../../errors.ts'
import { StoredJoke } from '../../joke.ts'
import { getItems } from '../connection/batches.ts'
import { type Item, properItems, STATE_NAME, type State, stateOf, storedWordsOf } from '../item.ts'
import type { Store } from '../store.ts'
import type { JOKES } from '../tables.ts'
import { type WordRow, writeRows } from '../wordRows.ts'
import { ifConditionHolds, readItem, rowsOf, settle, todaysRows } from './settle.ts'

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
export async function removeJoke(store: Store, id: string): Promise<void> {
  await change(store, id, {
    if: '#state IN (:listed, :waiting)',
    to: 'removed',
    // In an update, the right sides are the values before it.
    update: 'SET removedFrom = #state, #state = :to, removedAt = :now REMOVE shelf',
    values: { ':listed': 'listed', ':waiting': 'waiting', ':now': now() },
  })
}

/**
 * Brings a removed joke back to where it was, with its votes: it is listed, or waits again.
 *
 * @returns where it is now
 * @throws {UnknownJoke} if no joke has that id, or it was erased
 */
export async function undoRemoval(store: Store, id: string): Promise<'listed' | 'waiting'> {
  const item = await readItem(store, id)
  // If it is not removed, an earlier call may have brought it back.
  if (item?.removedFrom !== 'waiting' && item?.state !== 'waiting') {
    await list(store, id, item, 'removed')
    return 'listed'
  }
  await change(store, id, {
    if: '#state = :removed AND removedFrom = :to',
    to: 'waiting',
    update: 'SET #state = :to REMOVE removedAt, removedFrom',
    values: { ':removed': 'removed' },
  })
  return 'waiting'
}

/**
 * Lets in a joke that waits for approval, with the date at which it was added.
 *
 * @throws {UnknownJoke} if no joke has that id, or it neither waits nor is listed
 */
export async function approveJoke(store: Store, id: string): Promise<void> {
  await list(store, id, await readItem(store, id), 'waiting')
}

/**
 * Erases a removed joke: its text, its words and who added it. Its id stays, so that it cannot be added again. Rows left by
 * races or crashes may remain: {@link sweep} makes sure that there are none.
 *
 * @throws {UnknownJoke} if no joke has that id, or it was not removed
 */
export async function eraseJoke(store: Store, id: string): Promise<void> {
  // Rows first: without the text they cannot be found.
  const item = await settle(store, id)
  if (item?.state === 'removed') {
    const put = new PutCommand({
      TableName: store.jokesTable,
      Item: { id, state: 'erased' satisfies State, removedAt: item.removedAt, erasedAt: now() },
      ConditionExpression: '#state = :removed',
      ExpressionAttributeNames: STATE_NAME,
      ExpressionAttributeValues: { ':removed': 'removed' satisfies State },
    })
    await ifConditionHolds(store.database.send(put))
  }
  const erased = await settle(store, id, rowsOf(item))
  if (erased?.state !== 'erased') throw new UnknownJoke()
}

/** Lists a joke that is in a certain state, once it has its rows. */
async function list(store: Store, id: string, item: Item | undefined, from: State): Promise<void> {
  if (item?.state !== from) {
    // An earlier call may have listed it, and been killed before its rows were settled.
    if ((await settle(store, id))?.state !== 'listed') throw new UnknownJoke()
    return
  }
  const { words, rows } = todaysRows(item)
  await writeRows(store, rows, AbortSignal.timeout(store.limits.operationMs))
  await change(
    store,
    id,
    {
      if: '#state = :from',
      to: 'listed',
      update: 'SET #state = :to, shelf = category, words = :words REMOVE removedAt, removedFrom',
      values: { ':from': from, ':words': storedWordsOf(words) },
    },
    rowsOf(item),
  )
}

/** One change of the state of a joke. */
interface Change {
  /** The condition, an expression in which `#state` is the state. */
  if: string
  to: State
  update: string
  values: Record<string, string>
}

/**
 * Changes a joke, and settles its rows. One that was changed already only has its rows settled, as what did so may have been
 * killed before.
 *
 * @param rows that the joke may have had before
 * @throws {UnknownJoke} if the condition does not hold, and the joke is in another state than the wanted one
 */
async function change(
  store: Store,
  id: string,
  { if: condition, to, update, values }: Change,
  rows?: WordRow[],
): Promise<void> {
  const command = new UpdateCommand({
    TableName: store.jokesTable,
    Key: { id },
    ConditionExpression: condition,
    UpdateExpression: update,
    ExpressionAttributeNames: STATE_NAME,
    ExpressionAttributeValues: { ':to': to, ...values },
  })
  const isChanged = await ifConditionHolds(store.database.send(command))
  const item = await settle(store, id, rows)
  if (!isChanged && item?.state !== to) throw new UnknownJoke()
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
