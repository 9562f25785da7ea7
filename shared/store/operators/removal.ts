/**
 * Changes the state of single jokes for operators: approves, removes, undoes a removal, or erases. After a kill, the
 * change may be incomplete until the command is run again.
 */
import { paginateQuery } from '@aws-sdk/lib-dynamodb'
import { UnknownJoke } from '../../errors.ts'
import { StoredJoke } from '../../joke.ts'
import { getItems } from '../connection/batches.ts'
import { readItem } from '../connection/readItem.ts'
import { type Item, STATE_NAME, type State, stateOf, validItems } from '../item.ts'
import type { Store } from '../store.ts'
import type { JOKES } from '../tables.ts'
import { change, reconcile, withCurrentWords } from './reconcile.ts'

/** A joke as operators see it, in any state. */
export interface JokeRecord {
  id: string
  /** Absent if its text was erased, or its item is damaged. */
  joke?: StoredJoke
  state: State
  /** The joke for which an alias stands. */
  of?: string
  /** The id of the request that added it, as in API Gateway's access log. Absent if it was erased or not stored. */
  requestId?: string
}

/** Reads a joke in any state, or returns `undefined` if no joke has this id. */
export async function findRecord(store: Store, id: string): Promise<JokeRecord | undefined> {
  const item = await readItem(store, id)
  return item && recordOf(item)
}

/** Reads the jokes in a state, a page at a time, in the order of their ids. The newest may be missing. */
export async function* findByState(store: Store, state: State): AsyncGenerator<JokeRecord[]> {
  const input = {
    TableName: store.jokesTable,
    IndexName: 'byState' satisfies keyof typeof JOKES.indexes,
    KeyConditionExpression: '#state = :state',
    ExpressionAttributeNames: STATE_NAME,
    ExpressionAttributeValues: { ':state': state },
  }
  // Without a page size, a page of the index may have 15,000 ids, whose batches would all be read at once.
  for await (const { Items = [] } of paginateQuery({ client: store.database, pageSize: 1_000 }, input)) {
    const ids = Items.map(({ id }) => String(id))
    const { items } = await getItems(store, ids, { ConsistentRead: true })
    // The index may lag behind.
    yield items.map(recordOf).filter((record) => record.state === state)
  }
}

/** Returns the ids of jokes, and of their aliases. Aliases of the last moments may be missing. */
export async function withAliases(store: Store, ids: string[]): Promise<Set<string>> {
  const all = new Set(ids)
  for await (const aliases of findByState(store, 'alias'))
    for (const { id, of } of aliases) if (of !== undefined && ids.includes(of)) all.add(id)
  return all
}

/** A change of state. */
export interface Transition {
  from: State[]
  /** The states after the change. */
  to: State[]
  next(item: Item): Item & { state: State }
}

export const TRANSITIONS = {
  /** Lists a joke that waits for approval. It keeps the date at which it was added. */
  approve: { from: ['waiting'], to: ['listed'], next: listed },

  /** Removes a joke that is listed or waits. The item keeps votes and text. */
  remove: {
    from: ['listed', 'waiting'],
    to: ['removed'],
    next: ({ shelf: _, ...item }) => ({ ...item, state: 'removed', removedFrom: item.state, removedAt: now() }),
  },

  /** Returns a removed joke to its earlier state, with its votes. */
  undo: {
    from: ['removed'],
    to: ['listed', 'waiting'],
    next: ({ removedAt: _, removedFrom, ...item }) =>
      removedFrom === 'waiting' ? { ...item, state: 'waiting' } : listed(item),
  },

  /**
   * Erases the text, words and author of a removed joke. The id stays, so that it cannot be added again. Entries left
   * by races or crashes may remain, until `sweep` in `tableScans.ts` deletes them.
   */
  erase: {
    from: ['removed'],
    to: ['erased'],
    next: ({ id, removedAt }) => ({ id, state: 'erased', removedAt, erasedAt: now() }),
  },
} satisfies Record<string, Transition>

/**
 * Changes the state of a joke. If the joke has this state already, its entries are reconciled. An earlier command may
 * have been killed.
 *
 * @throws {UnknownJoke} if no joke has this id, or its state does not allow the transition
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
  if (state === 'alias') return { id, state, of: String(item.of) }
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
