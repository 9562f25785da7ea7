/**
 * Parts that all writes of jokes share. Each write sets `changedAt`, by which readers of the feeds find it. Each raises
 * `rev`, which alone decides between versions, because clocks differ.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { PutCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb'
import { FEED_OF, type Item, STATE_NAME, type State } from './item.ts'
import type { Store } from './store.ts'

/**
 * Returns a new item. Its `rev` is the time in milliseconds, so that it outranks an earlier item with this id, which may
 * still be in memory somewhere.
 */
export function newItem<Attributes extends Item>({ now }: Store, attributes: Attributes, state: State) {
  const time = now()
  const feed = FEED_OF[state]
  return { ...attributes, state, ...(feed && { feed }), changedAt: new Date(time).toISOString(), rev: time }
}

/** Puts an item if the table has none with its id. @returns whether it was put */
export async function putIfAbsent({ database, jokesTable }: Store, Item: Item, signal?: AbortSignal): Promise<boolean> {
  const put = new PutCommand({ TableName: jokesTable, Item, ConditionExpression: 'attribute_not_exists(id)' })
  return database.send(put, { ...(signal && { abortSignal: signal }) }).then(Boolean, falseIfRefused)
}

/** Returns false if DynamoDB refused a write because of its condition. @throws any other error */
export function falseIfRefused(error: unknown): false {
  if (error instanceof ConditionalCheckFailedException) return false
  throw error
}

/** A conditional change of an item, in the expressions of DynamoDB. */
export interface Change {
  /** Names the state `#state`. DynamoDB refuses a name that no expression uses. */
  condition: string
  /** The new state, if it changes. */
  state?: Exclude<State, 'alias'>
  set?: string[]
  add?: string[]
  remove?: string[]
  values?: Item
}

/** Returns the update that makes a change. */
export function updateOf({ now, jokesTable }: Store, id: string, change: Change) {
  const { condition, state, set = [], add = [], remove = [], values } = change
  const sets = ['changedAt = :changedAt', ...(state ? ['#state = :newState', 'feed = :newFeed'] : []), ...set]
  const removes = remove.length > 0 ? ` REMOVE ${remove}` : ''
  return {
    TableName: jokesTable,
    Key: { id },
    UpdateExpression: `SET ${sets} ADD ${['rev :one', ...add]}${removes}`,
    // Adding to a revision that was edited into a text would fail.
    ConditionExpression: `${condition} AND (attribute_not_exists(rev) OR attribute_type(rev, :number))`,
    ExpressionAttributeNames: STATE_NAME,
    ExpressionAttributeValues: {
      ...values,
      ...(state && { ':newState': state, ':newFeed': FEED_OF[state] }),
      ':changedAt': new Date(now()).toISOString(),
      ':one': 1,
      ':number': 'N',
    },
  } satisfies UpdateCommandInput
}
