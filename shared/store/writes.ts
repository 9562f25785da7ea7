/**
 * Writes items. Each write sets `changedAt`, by which readers of the feeds find it. Each raises `rev`, which alone decides
 * between versions, because clocks differ. Both are those of the attempt that DynamoDB carries out.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { PutCommand, type PutCommandInput, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { type CallOptions, call } from './attempts.ts'
import type { Connection } from './connection.ts'
import type { Item } from './item.ts'
import { readItem } from './reads.ts'

/**
 * Returns a new item. Its `rev` is the time in milliseconds, so that it outranks an earlier item with this id, which may
 * still be in memory somewhere.
 */
export function newItem<Attributes extends Item>({ now }: Pick<Connection, 'now'>, attributes: Attributes) {
  const time = now()
  return { ...attributes, changedAt: new Date(time).toISOString(), rev: time }
}

/**
 * Puts a new item if the table has none with its id. If an attempt put the item, although its response was lost, the item
 * counts as put.
 *
 * @returns the existing item, or `undefined` if the new one was put
 */
export async function putIfAbsent(
  connection: Connection,
  attributes: Item,
  signal?: AbortSignal,
): Promise<Item | undefined> {
  let mayBePut = false
  const onUncertain = () => {
    mayBePut = true
  }
  for (;;) {
    const isNew = { ConditionExpression: 'attribute_not_exists(id)' }
    if (await put(connection, () => newItem(connection, attributes), isNew, { signal, onUncertain })) return undefined
    const existing = await readItem(connection, String(attributes.id), signal)
    if (existing && mayBePut && existing.createdBy === attributes.createdBy) {
      await touch(connection, existing, { signal })
      return undefined
    }
    // Somebody has deleted the item since, so there is room for the new one.
    if (existing) return existing
  }
}

/** Replaces an item that was read, unless it has changed since. @returns whether it was replaced */
export async function replace(
  connection: Connection,
  { rev }: Item,
  attributes: Item,
  options?: CallOptions,
): Promise<boolean> {
  const isUnchanged = { ConditionExpression: 'rev = :rev', ExpressionAttributeValues: { ':rev': rev } }
  const next = () => ({ ...newItem(connection, attributes), rev: Number(rev) + 1 })
  return put(connection, next, isUnchanged, options)
}

/**
 * Gives an item the time of now, if a change was made by an attempt that seemed to have failed. That attempt may have been
 * late, so that listings would miss its time. If the item has changed since, another write has given it a time.
 */
export async function touch(connection: Connection, read: Item, options?: CallOptions): Promise<void> {
  await replace(connection, read, read, options)
}

/** A conditional change of an item. */
export interface Update {
  /** In the language of DynamoDB. */
  condition: string
  /** The values that the condition names, such as `:listed`. */
  values: Item
  set?: Item
  add?: Record<string, number>
  remove?: string[]
}

/** Updates an item. @returns the item after the update, or `undefined` if its condition refused it */
export async function update(
  connection: Connection,
  id: string,
  { condition, values, set = {}, add = {}, remove = [] }: Update,
  options?: CallOptions,
): Promise<Item | undefined> {
  const numbers = { rev: 1, ...add }
  const sets = ['changedAt', ...Object.keys(set)].map((name) => `${name} = :set_${name}`)
  const adds = Object.keys(numbers).map((name) => `${name} :add_${name}`)
  const removes = remove.length > 0 ? ` REMOVE ${remove}` : ''
  const command = () =>
    new UpdateCommand({
      TableName: connection.jokesTable,
      Key: { id },
      UpdateExpression: `SET ${sets} ADD ${adds}${removes}`,
      ConditionExpression: condition,
      ExpressionAttributeValues: {
        ...values,
        ...prefixed(':set_', { ...set, changedAt: new Date(connection.now()).toISOString() }),
        ...prefixed(':add_', numbers),
      },
      ReturnValues: 'ALL_NEW',
    })
  return call(connection, (database, sent) => database.send(command(), sent), options).then(
    ({ Attributes }) => Attributes,
    undefinedIfRefused,
  )
}

function prefixed(prefix: string, values: Item): Item {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [prefix + name, value]))
}

/** @param next returns the item of each attempt */
async function put(
  connection: Connection,
  next: () => Item,
  condition: Pick<PutCommandInput, 'ConditionExpression' | 'ExpressionAttributeValues'>,
  options?: CallOptions,
): Promise<boolean> {
  const command = () => new PutCommand({ TableName: connection.jokesTable, Item: next(), ...condition })
  return call(connection, (database, sent) => database.send(command(), sent), options).then(
    () => true,
    (error) => undefinedIfRefused(error) ?? false,
  )
}

/** Takes no notice of an error by which DynamoDB says that the condition of a write does not hold. */
function undefinedIfRefused(error: unknown): undefined {
  if (!(error instanceof ConditionalCheckFailedException)) throw error
}
