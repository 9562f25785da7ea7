/** Commands that change a joke and its rows in the word lists take turns: each holds the joke while it works. */
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { UnknownJoke } from '../../errors.ts'
import { type Item, STATE_NAME, type State, stateOf } from '../item.ts'
import type { Store } from '../store.ts'

/** A joke that is held. */
export interface Held {
  item: Item
  state: State
  /** Ends all calls before somebody else can hold the joke. */
  signal: AbortSignal
  /** Changes the item by an update expression, in which `#state` is its state. */
  update(change: string, values?: Item): Promise<void>
  /** Replaces the item. The joke stays held. */
  replace(item: Item): Promise<void>
}

/**
 * Does work on a joke while no other command does, and waits for that if necessary. Clients can list and upvote the joke
 * meanwhile. While the work goes on, the hold is renewed. If that fails, the work is done again, so it must be repeatable.
 * The machine must not sleep meanwhile. A joke whose holder was killed is free again after `holdMs`. Clocks must agree
 * within half of that.
 *
 * @param states in which the joke may be
 * @throws {UnknownJoke} if it is in no such state
 */
export async function hold<Result>(
  store: Store,
  id: string,
  states: readonly State[],
  work: (held: Held) => Promise<Result>,
): Promise<Result> {
  for (;;) {
    const taken = await take(store, id, states)
    try {
      const result = await work(taken)
      await taken.release()
      return result
    } catch (error) {
      if (!(error instanceof LostHold || taken.signal.aborted)) throw error
    } finally {
      await taken.stop()
    }
  }
}

/** Reads an item as it is now; undefined: there is none. */
export async function readItem({ database, jokesTable }: Store, id: string): Promise<Item | undefined> {
  const get = new GetCommand({ TableName: jokesTable, Key: { id }, ConsistentRead: true })
  return (await database.send(get)).Item
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

/** Another command holds the joke, because this one was too slow to renew its hold. */
class LostHold extends Error {}

const WAIT_MS = 200

interface Taken extends Held {
  release(): Promise<void>
  /** Renews no more. */
  stop(): Promise<void>
}

/**
 * The attribute `held` is a time and a token: until that time, whoever knows the token holds the joke. The token stays when
 * the joke is released. So every change can be repeated if its response was lost, and a condition that fails always means that
 * another command has taken the joke.
 */
async function take(store: Store, id: string, states: readonly State[]): Promise<Taken> {
  const { database, jokesTable, limits } = store
  const token = randomUUID()
  for (;;) {
    const now = Date.now()
    const command = new UpdateCommand({
      TableName: jokesTable,
      Key: { id },
      ConditionExpression: `(${states.map((state) => `#state = :${state}`).join(' OR ')}) AND (attribute_not_exists(held) OR held < :now OR contains(held, :token))`,
      UpdateExpression: 'SET held = :held',
      ExpressionAttributeNames: STATE_NAME,
      ExpressionAttributeValues: {
        ...Object.fromEntries(states.map((state) => [`:${state}`, state])),
        ':held': heldText(now + limits.holdMs, token),
        ':now': timeText(now),
        ':token': token,
      },
    })
    const isTaken = await ifConditionHolds(database.send(command))
    const item = await readItem(store, id)
    // A damaged item may have no state at all.
    if (!item || !states.some((state) => state === item.state)) throw new UnknownJoke()
    if (isTaken) return toTaken(store, item, token, now)
    await wait(Math.random() * WAIT_MS)
  }
}

/** @param since when it was taken */
function toTaken({ database, jokesTable, limits: { holdMs } }: Store, item: Item, token: string, since: number): Taken {
  const own = { TableName: jokesTable, ConditionExpression: 'contains(held, :token)' }
  const lost = new AbortController()
  const done = new AbortController()
  let end: NodeJS.Timeout | undefined
  /** The other half of the time is for calls on their way. */
  const endAfter = (renewedAt: number) => {
    clearTimeout(end)
    const left = renewedAt + holdMs / 2 - Date.now()
    if (left > 0) end = setTimeout(() => lost.abort(), left)
    else lost.abort()
  }
  endAfter(since)
  const checked = async (call: Promise<unknown>) => {
    if (!(await ifConditionHolds(call))) throw new LostHold()
  }
  const update = (UpdateExpression: string, values: Item = {}) => {
    const command = new UpdateCommand({
      ...own,
      Key: { id: item.id },
      UpdateExpression,
      // DynamoDB refuses names that an expression does not use.
      ...(UpdateExpression.includes('#state') && { ExpressionAttributeNames: STATE_NAME }),
      ExpressionAttributeValues: { ':token': token, ...values },
    })
    return checked(database.send(command, { abortSignal: lost.signal }))
  }
  const setHeld = (time: number) => update('SET held = :held', { ':held': heldText(time, token) })
  const renew = async () => {
    for (;;) {
      await wait(holdMs / RENEWALS, undefined, { signal: done.signal }).catch(() => {})
      if (done.signal.aborted) return
      const now = Date.now()
      try {
        await setHeld(now + holdMs)
        endAfter(now)
      } catch (error) {
        // After any other error, the next one may succeed. If none does, the work ends in time.
        if (error instanceof LostHold) lost.abort()
      }
    }
  }
  const renewal = renew()
  const stop = async () => {
    done.abort()
    await renewal
    clearTimeout(end)
  }
  return {
    item,
    state: stateOf(item),
    signal: lost.signal,
    update,
    replace: (replacement) => {
      const Item = { ...replacement, held: heldText(Date.now() + holdMs, token) }
      const command = new PutCommand({ ...own, Item, ExpressionAttributeValues: { ':token': token } })
      return checked(database.send(command, { abortSignal: lost.signal }))
    },
    release: async () => {
      await stop()
      await setHeld(0)
    },
    stop,
  }
}

/** In `holdMs`: often enough that a few may fail. */
const RENEWALS = 10

function heldText(time: number, token: string): string {
  return `${timeText(time)} ${token}`
}

/** Milliseconds as text that sorts by time. */
function timeText(milliseconds: number): string {
  return String(milliseconds).padStart(16, '0')
}
