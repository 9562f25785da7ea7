/** What operators do to the table: change the states of jokes, and read all items. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { PutCommand, paginateScan, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { Connection } from '../shared/store/connection.ts'
import { FEED, type Item, type State } from '../shared/store/item.ts'
import { readItem } from '../shared/store/reads.ts'

export type Action = 'approve' | 'remove' | 'undo' | 'erase'

/** Returns the state into which an action brings a joke: the present one if it is done, `undefined` if it is not allowed. */
function stateAfter(action: Action, item: Item): State | undefined {
  const next: Record<Action, Partial<Record<State, State | undefined>>> = {
    approve: { waiting: 'listed', listed: 'listed' },
    remove: { listed: 'removed', waiting: 'removed', removed: 'removed' },
    undo: { removed: item.stateBefore, listed: 'listed', waiting: 'waiting' },
    erase: { removed: 'erased', erased: 'erased' },
  }
  return item.jokeState && next[action][item.jokeState]
}

export interface Outcome {
  result: 'changed' | 'done already' | 'left'
  /** The item before the change, or the present one if nothing was changed. `undefined` if no item has this id. */
  item: Item | undefined
}

/** Acts on a joke if its state allows it. */
export async function act(connection: Connection, id: string, action: Action): Promise<Outcome> {
  for (let conflicts = 0; conflicts < 10; conflicts++) {
    const item = await readItem(connection, id)
    const next = item && stateAfter(action, item)
    if (!next) return { result: 'left', item }
    if (next === item.jokeState) return { result: 'done already', item }
    try {
      await (next === 'erased' ? erase(connection, item) : move(connection, item, next))
      return { result: 'changed', item }
    } catch (error) {
      // Another operator changed the joke at the same time, or an earlier attempt did it, although its response was lost.
      if (!(error instanceof ConditionalCheckFailedException)) throw error
    }
  }
  throw new Error(`Others change the joke ${id} all the time. Repeat the command later.`)
}

/** Whether no operator has changed the item since it was read. So an attempt that arrives late undoes nothing. */
const IS_UNCHANGED = 'jokeState = :state AND edits = :edits'

async function move(connection: Connection, { id, jokeState, edits }: Item, next: State): Promise<void> {
  const { database, jokesTable, limits, now } = connection
  const update = new UpdateCommand({
    TableName: jokesTable,
    Key: { id },
    ConditionExpression: IS_UNCHANGED,
    UpdateExpression: 'SET jokeState = :next, stateBefore = :state, changedAt = :now ADD edits :one, rev :one',
    ExpressionAttributeValues: {
      ':state': jokeState,
      ':edits': edits,
      ':next': next,
      ':now': new Date(now()).toISOString(),
      ':one': 1,
    },
  })
  await database.send(update, { abortSignal: AbortSignal.timeout(limits.operationMs) })
}

/** Replaces the item, because an update would keep attributes that it does not know. */
async function erase(connection: Connection, { id, jokeState, edits = 0, rev = 0 }: Item): Promise<void> {
  const { database, jokesTable, limits, now } = connection
  const put = new PutCommand({
    TableName: jokesTable,
    Item: {
      id,
      feed: FEED,
      jokeState: 'erased',
      changedAt: new Date(now()).toISOString(),
      rev: rev + 1,
      edits: edits + 1,
    },
    ConditionExpression: IS_UNCHANGED,
    ExpressionAttributeValues: { ':state': jokeState, ':edits': edits },
  })
  await database.send(put, { abortSignal: AbortSignal.timeout(limits.operationMs) })
}

/**
 * Reads all items of a table, in their latest state.
 *
 * @param onPage is called with the number of items that are read
 */
export async function readTable(
  { database }: Connection,
  table: string,
  onPage?: (count: number) => void,
): Promise<Item[]> {
  const items: Item[] = []
  for await (const { Items = [] } of paginateScan({ client: database }, { TableName: table, ConsistentRead: true })) {
    items.push(...Items)
    onPage?.(items.length)
  }
  return items
}
