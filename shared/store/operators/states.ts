/** Changes the states of jokes for operators, each by one conditional write, and finds jokes in any state. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { StoredJoke } from '../../joke.ts'
import type { Item } from '../item.ts'
import { readFeed, readItem } from '../reads.ts'
import type { Store } from '../store.ts'
import type { Feed } from '../tables.ts'
import { type Change, newItem, updateOf } from '../writes.ts'

export type Action = 'approve' | 'remove' | 'undo' | 'erase'

/**
 * The change that each action makes. Expressions see the item before the change. `feed = removedFrom` works because the
 * feeds of listed and waiting jokes have the names of their states.
 */
const CHANGES: Record<Exclude<Action, 'erase'>, Change> = {
  approve: { condition: '#state = :waiting', state: 'listed', values: { ':waiting': 'waiting' } },
  remove: {
    condition: '#state IN (:listed, :waiting)',
    state: 'removed',
    set: ['removedFrom = #state'],
    values: { ':listed': 'listed', ':waiting': 'waiting' },
  },
  undo: {
    condition: '#state = :removed AND removedFrom IN (:listed, :waiting)',
    set: ['#state = removedFrom', 'feed = removedFrom'],
    remove: ['removedFrom'],
    values: { ':removed': 'removed', ':listed': 'listed', ':waiting': 'waiting' },
  },
}

/** The states in which an action is done already. */
const DONE = { approve: ['listed'], remove: ['removed'], undo: ['listed', 'waiting'], erase: ['erased'] }

/** The result of an action: it changed the joke, found it done already, or left it because of its state. */
export interface Outcome {
  result: 'changed' | 'done already' | 'left'
  /** The item before the change, or the present one if nothing was changed. `undefined` if no joke has this id. */
  item: Item | undefined
}

/** Acts on a joke if its state allows it. A change whose response was lost counts as made. */
export async function act(store: Store, id: string, action: Action): Promise<Outcome> {
  if (action === 'erase') return erase(store, id)
  const update = updateOf(store, id, CHANGES[action])
  try {
    const { Attributes } = await store.database.send(new UpdateCommand({ ...update, ReturnValues: 'ALL_OLD' }))
    return { result: 'changed', item: Attributes }
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error
    const item = await readItem(store, id)
    if (item?.changedAt !== update.ExpressionAttributeValues[':changedAt']) return unchanged(action, item)
    // A removed joke names its state before. Only `undo` removes this attribute.
    const before = action === 'approve' ? 'waiting' : (item.removedFrom ?? 'removed')
    return { result: 'changed', item: { ...item, state: before } }
  }
}

/**
 * Erases everything of a removed joke but its id, so that nobody can add it again. It reads first, because an update
 * cannot remove attributes that it does not know. It begins again if the joke changes.
 */
async function erase(store: Store, id: string, last?: { before: Item; changedAt: string }): Promise<Outcome> {
  const item = await readItem(store, id)
  if (last && item?.changedAt === last.changedAt) return { result: 'changed', item: last.before }
  if (item?.state !== 'removed') return unchanged('erase', item)
  const { rev } = item
  const Item = { ...newItem(store, { id }, 'erased'), ...(typeof rev === 'number' && { rev: rev + 1 }) }
  const condition =
    rev === undefined
      ? { ConditionExpression: 'attribute_not_exists(rev)' }
      : { ConditionExpression: 'rev = :read', ExpressionAttributeValues: { ':read': rev } }
  try {
    await store.database.send(new PutCommand({ TableName: store.jokesTable, Item, ...condition }))
    return { result: 'changed', item }
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException) || last?.before.rev === rev) throw error
    return erase(store, id, { before: item, changedAt: Item.changedAt })
  }
}

function unchanged(action: Action, item: Item | undefined): Outcome {
  return { result: DONE[action].some((state) => state === item?.state) ? 'done already' : 'left', item }
}

/** Reads the items of a feed, each once, in the order of their last changes. Those of the last moments may be missing. */
export async function findByFeed(store: Store, feed: Feed): Promise<Item[]> {
  const items = new Map<unknown, Item>()
  let afterKey: Item | undefined
  do {
    const page = await readFeed(store, feed, new Date(0).toISOString(), afterKey)
    // A joke that is upvoted while its feed is read comes again at its end.
    for (const item of page.items) items.set(item.id, item)
    afterKey = page.lastKey
  } while (afterKey)
  return [...items.values()]
}

/** Returns the joke of an item in any state, or `undefined` if it is damaged, erased or an alias. */
export function jokeOf(item: Item): StoredJoke | undefined {
  const { success, output } = v.safeParse(StoredJoke, item)
  return success ? output : undefined
}
