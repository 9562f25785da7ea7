/**
 * What operators do with single jokes: they let them in, remove them, bring them back, or erase them. A command that was killed
 * must be repeated before its joke is certain.
 */
import { paginateQuery } from '@aws-sdk/lib-dynamodb'
import { UnknownJoke } from '../../errors.ts'
import { StoredJoke } from '../../joke.ts'
import { getItems } from '../connection/batches.ts'
import { type Item, STATE_NAME, type State, stateOf, validItems } from '../item.ts'
import type { Store } from '../store.ts'
import type { JOKES } from '../tables.ts'
import { change, readItem, reconcile, withCurrentWords } from './reconcile.ts'

/** A joke as operators see it, in any state. */
export interface JokeRecord {
  id: string
  /** Absent: its text was erased, or its item is damaged. */
  joke?: StoredJoke
  state: State
  /** The id of the request that added it, as in API Gateway's access log. Absent: erased, or not stored. */
  requestId?: string
}

/** Reads a joke, whatever its state; undefined: there is none with that id. */
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
  // A page of the index may hold 15,000 ids, and all of its batches would be read at once.
  for await (const { Items = [] } of paginateQuery({ client: store.database, pageSize: 1_000 }, input)) {
    const ids = Items.map(({ id }) => String(id))
    const { items } = await getItems(store, ids, { ConsistentRead: true })
    // The index may not have followed yet.
    yield items.map(recordOf).filter((record) => record.state === state)
  }
}

/** A change of state. */
export interface Transition {
  from: State[]
  /** The states in which it is done. */
  to: State[]
  next(item: Item): Item & { state: State }
}

export const TRANSITIONS = {
  /** Lets in a joke that waits for approval, with the date at which it was added. */
  approve: { from: ['waiting'], to: ['listed'], next: listed },

  /** Removes a joke from all listings and searches, or from those that wait. Its votes and text are kept. */
  remove: {
    from: ['listed', 'waiting'],
    to: ['removed'],
    next: ({ shelf: _, ...item }) => ({ ...item, state: 'removed', removedFrom: item.state, removedAt: now() }),
  },

  /** Brings a removed joke back to where it was, with its votes: it is listed, or waits again. */
  undo: {
    from: ['removed'],
    to: ['listed', 'waiting'],
    next: ({ removedAt: _, removedFrom, ...item }) =>
      removedFrom === 'waiting' ? { ...item, state: 'waiting' } : listed(item),
  },

  /**
   * Erases a removed joke: its text, its words and who added it. Its id stays, so that it cannot be added again. Rows left
   * by races or crashes may remain: `sweep` in `tableScans.ts` makes sure that there are none.
   */
  erase: {
    from: ['removed'],
    to: ['erased'],
    next: ({ id, removedAt }) => ({ id, state: 'erased', removedAt, erasedAt: now() }),
  },
} satisfies Record<string, Transition>

/**
 * Brings a joke into another state. If it is there already, its rows are settled, as whatever brought it there may have been
 * killed before.
 *
 * @throws {UnknownJoke} if no joke has that id, or it was in none of the states
 */
export async function changeState(store: Store, id: string, { from, to, next }: Transition): Promise<void> {
  if (await change(store, id, (item) => (isIn(from, item) ? next(item) : undefined))) return
  if (!isIn(to, await reconcile(store, id))) throw new UnknownJoke()
}

function isIn(states: State[], item: Item | undefined): item is Item {
  return states.some((state) => state === item?.state)
}

function listed(item: Item) {
  return { ...withCurrentWords(item), state: 'listed', shelf: item.category } as const
}

function recordOf(item: Item): JokeRecord {
  const id = String(item.id)
  const state = stateOf(item)
  if (state === 'erased') return { id, state }
  const [joke] = validItems(StoredJoke, [item])
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
