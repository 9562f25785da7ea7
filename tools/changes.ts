/** What operators do to the table: change the states and the texts of jokes, and read all items. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { PutCommand, paginateScan, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { identify, JokeInput } from '../shared/joke.ts'
import type { Connection } from '../shared/store/connection.ts'
import { FEED, type Item, type State } from '../shared/store/item.ts'
import { readItem } from '../shared/store/reads.ts'
import { validate } from '../shared/validate.ts'
import { CannotContinue } from './commandLine.ts'

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

/** Acts on a joke if its state allows it. Returns the item before that, and its state afterwards if it is allowed. */
export function act(connection: Connection, id: string, action: Action) {
  let before: Item | undefined
  return repeatConflict(async () => {
    const item = await readItem(connection, id)
    before ??= item
    const state = item && stateAfter(action, item)
    if (!item || !state || state === item.jokeState) return { item: before, state }
    if (state === 'erased') await erase(connection, item)
    else await update(connection, item, { jokeState: state, stateBefore: item.jokeState })
    return { item: before, state }
  })
}

/** Changes a listed or waiting joke. @throws {CannotContinue} if that would change its id, which is a hash of its words */
export function correct(connection: Connection, id: string, texts: Partial<JokeInput>) {
  let before: Item | undefined
  return repeatConflict(async () => {
    const item = (await readItem(connection, id)) ?? {}
    before ??= item
    const { jokeState = 'unknown' } = item
    if (jokeState !== 'listed' && jokeState !== 'waiting')
      throw new CannotContinue(`The joke ${id} is ${jokeState}, so it can't be corrected.`)
    const known = Object.fromEntries(Object.keys(JokeInput.entries).map((name) => [name, item[name]]))
    const after = validate(JokeInput, { ...known, ...texts })
    if (identify(after) !== id)
      throw new CannotContinue(`This would be another joke, so nothing was changed. Remove ${id}, and add the new one.`)
    await update(connection, item, after)
    return { before, after }
  })
}

/** Repeats a change if another operator changed the joke at the same time, or if the response to it was lost. */
function repeatConflict<Result>(change: () => Promise<Result>): Promise<Result> {
  return change().catch((error) => {
    if (error instanceof ConditionalCheckFailedException) return change()
    throw error
  })
}

/** Whether no operator has changed the item since it was read. So an attempt that arrives late undoes nothing. */
const IS_UNCHANGED = 'jokeState = :state AND (edits = :edits OR attribute_not_exists(edits))'

async function update(connection: Connection, { id, jokeState, edits = 0 }: Item, changes: object): Promise<void> {
  const { database, jokesTable, limits, now } = connection
  const set = Object.entries({ ...changes, changedAt: new Date(now()).toISOString() })
  const values = Object.fromEntries(set.map(([name, value]) => [`:${name}`, value]))
  const command = new UpdateCommand({
    TableName: jokesTable,
    Key: { id },
    ConditionExpression: IS_UNCHANGED,
    UpdateExpression: `SET ${set.map(([name]) => `${name} = :${name}`)} ADD edits :one, rev :one`,
    ExpressionAttributeValues: { ':state': jokeState, ':edits': edits, ':one': 1, ...values },
  })
  await database.send(command, { abortSignal: AbortSignal.timeout(limits.operationMs) })
}

/** Replaces the item, because an update would keep attributes that it does not know. */
async function erase(connection: Connection, { id, jokeState, edits = 0, rev = 0 }: Item): Promise<void> {
  const { database, jokesTable, limits, now } = connection
  const changedAt = new Date(now()).toISOString()
  const put = new PutCommand({
    TableName: jokesTable,
    Item: { id, feed: FEED, jokeState: 'erased', changedAt, rev: rev + 1, edits: edits + 1 },
    ConditionExpression: IS_UNCHANGED,
    ExpressionAttributeValues: { ':state': jokeState, ':edits': edits },
  })
  await database.send(put, { abortSignal: AbortSignal.timeout(limits.operationMs) })
}

export async function readTable({ database }: Connection, table: string): Promise<Item[]> {
  const items: Item[] = []
  for await (const { Items = [] } of paginateScan({ client: database }, { TableName: table, ConsistentRead: true }))
    items.push(...Items)
  return items
}
