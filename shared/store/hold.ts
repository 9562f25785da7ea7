/** Commands that change a joke and its rows in the word lists take turns: each holds the joke while it works. */
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { Unavailable, UnknownJoke } from '../errors.ts'
import { isTemporary } from './connection.ts'
import { type Item, type State, stateOf } from './item.ts'
import type { Store } from './store.ts'

/** A joke that is held. */
export interface Held {
  item: Item
  /** Ends all calls before somebody else can hold the joke. */
  signal: AbortSignal
  /** Changes the item by an update expression. */
  update(change: string, values?: Item): Promise<void>
  /** Replaces the item. The joke stays held. */
  replace(item: Item): Promise<void>
  release(): Promise<void>
}

/**
 * Does work on a joke while no other command does, and waits for that if necessary. A joke whose holder was killed is free
 * again after `holdMs`. Clients can list and upvote it meanwhile. The machine must not sleep during the work, and clocks
 * must agree within half of `holdMs`.
 *
 * @param states in which the joke may be
 * @throws {UnknownJoke} if it is in no such state
 * @throws {Unavailable} if the database fails, or the work takes too long; it can be repeated
 */
export async function hold<Result>(
  store: Store,
  id: string,
  states: State[],
  work: (held: Held) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(await take(store, id, states))
  } catch (error) {
    if (!isTemporary(error)) throw error
    throw new Unavailable(`The work on the joke ${id} was not finished: run the command again.`, { cause: error })
  }
}

/** Reads an item as it is now; undefined: there is none. */
export async function readItem({ database, jokesTable }: Store, id: string): Promise<Item | undefined> {
  const get = new GetCommand({ TableName: jokesTable, Key: { id }, ConsistentRead: true })
  return (await database.send(get)).Item
}

const WAIT_MS = 50

/** Conditions that an item is in a state. */
const IF_IN = {
  listed: 'attribute_exists(shelf)',
  waiting: 'attribute_exists(waiting)',
  removed: 'attribute_exists(removedFrom)',
  erased: 'attribute_exists(erasedAt)',
}

async function take(store: Store, id: string, states: State[]): Promise<Held> {
  const { holdMs } = store.limits
  for (;;) {
    const now = Date.now()
    const held = `${timeText(now + holdMs)} ${randomUUID()}`
    const signal = AbortSignal.timeout(holdMs / 2)
    const command = new UpdateCommand({
      TableName: store.jokesTable,
      Key: { id },
      ConditionExpression: `(${states.map((state) => IF_IN[state]).join(' OR ')}) AND (attribute_not_exists(held) OR held < :now)`,
      UpdateExpression: 'SET held = :held',
      ExpressionAttributeValues: { ':held': held, ':now': timeText(now) },
    })
    const isTaken = await ifConditionHolds(store.database.send(command, { abortSignal: signal }))
    const item = await readItem(store, id)
    if (item === undefined || !states.includes(stateOf(item))) throw new UnknownJoke()
    // The update is repeated if its response was lost, and then its condition does not hold any more.
    if (isTaken || item.held === held) return heldJoke(store, item, held, signal)
    await setTimeout(Math.random() * WAIT_MS)
  }
}

function heldJoke({ database, jokesTable, limits }: Store, item: Item, held: string, signal: AbortSignal): Held {
  const { id } = item
  const values = { ':held': held }
  const own = { TableName: jokesTable, ConditionExpression: 'held = :held' }
  const until = Date.now() + limits.holdMs / 2
  /** A change is repeated if its response was lost. If it released the joke, its condition then does not hold. */
  const ended = async (call: Promise<unknown>) => {
    if (!(await ifConditionHolds(call)) && Date.now() > until) throw new UnknownJoke()
  }
  const update = (change: string, changeValues: Item = {}) =>
    ended(
      database.send(
        new UpdateCommand({
          ...own,
          Key: { id },
          UpdateExpression: change,
          ExpressionAttributeValues: { ...values, ...changeValues },
        }),
        { abortSignal: signal },
      ),
    )
  return {
    item,
    signal,
    update,
    release: () => update('REMOVE held'),
    replace: (replacement) =>
      ended(
        database.send(new PutCommand({ ...own, Item: { ...replacement, held }, ExpressionAttributeValues: values }), {
          abortSignal: signal,
        }),
      ),
  }
}

/** Whether the condition of a call held. */
export async function ifConditionHolds(call: Promise<unknown>): Promise<boolean> {
  try {
    await call
    return true
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false
    throw error
  }
}

/** Milliseconds as text that sorts by time. */
function timeText(milliseconds: number): string {
  return String(milliseconds).padStart(16, '0')
}
