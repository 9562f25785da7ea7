/** Reads items: by id or all from the table, and by feed from its index. */
import { setTimeout } from 'node:timers/promises'
import { BatchGetCommand, GetCommand, QueryCommand, ScanCommand, type ScanCommandOutput } from '@aws-sdk/lib-dynamodb'
import { call, waitAfter } from './attempts.ts'
import type { Connection } from './connection.ts'
import type { Item } from './item.ts'
import { CACHE } from './limits.ts'
import type { Feed, JOKES } from './tables.ts'

const INDEX = 'byChange' satisfies keyof typeof JOKES.indexes

/** Reads the latest item with this id, or returns `undefined` if there is none. */
export async function readItem(connection: Connection, id: string, signal?: AbortSignal): Promise<Item | undefined> {
  const get = new GetCommand({ TableName: connection.jokesTable, Key: { id }, ConsistentRead: true })
  return (await call(connection, (database, options) => database.send(get, options), { signal })).Item
}

/** Reads the latest items with these ids, at most 100, in any order. Repeats what DynamoDB left unprocessed. */
export async function readItems(connection: Connection, ids: string[], signal: AbortSignal): Promise<Item[]> {
  const { jokesTable, limits } = connection
  const items: Item[] = []
  let keys: Item[] = ids.map((id) => ({ id }))
  for (let retry = 0; keys.length > 0; retry++) {
    if (retry > 0) await setTimeout(waitAfter(retry, limits), undefined, { signal })
    const get = new BatchGetCommand({ RequestItems: { [jokesTable]: { Keys: keys, ConsistentRead: true } } })
    const { Responses, UnprocessedKeys } = await call(connection, (database, options) => database.send(get, options), {
      signal,
    })
    items.push(...(Responses?.[jokesTable] ?? []))
    keys = UnprocessedKeys?.[jokesTable]?.Keys ?? []
  }
  return items
}

/** A page of items, at most 1 MB. */
export interface ItemPage {
  items: Item[]
  /** The key after which the next page begins. Absent on the last page. */
  lastKey?: Item | undefined
}

/**
 * Reads a page of a feed, in the order of changes. The index may lack the changes of the last moments.
 *
 * @param since the time from which changes are read, ISO 8601
 * @param afterKey the last key of the page before
 */
export async function readFeed(
  connection: Connection,
  feed: Feed,
  since: string,
  afterKey?: Item,
  signal?: AbortSignal,
): Promise<ItemPage> {
  const query = new QueryCommand({
    TableName: connection.jokesTable,
    IndexName: INDEX,
    KeyConditionExpression: 'feed = :feed AND changedAt >= :since',
    ExpressionAttributeValues: { ':feed': feed, ':since': since },
    ExclusiveStartKey: afterKey,
  })
  return pageOf(await call(connection, (database, options) => database.send(query, options), { signal }))
}

/**
 * Reads a page of a segment of the table, in no order. It may lack the changes of the last moments.
 *
 * @param segment from 0 to {@link CACHE.segments} - 1
 * @param afterKey the last key of the page before
 */
export async function readSegment(
  connection: Connection,
  segment: number,
  afterKey?: Item,
  signal?: AbortSignal,
): Promise<ItemPage> {
  const scan = new ScanCommand({
    TableName: connection.jokesTable,
    Segment: segment,
    TotalSegments: CACHE.segments,
    ExclusiveStartKey: afterKey,
  })
  return pageOf(await call(connection, (database, options) => database.send(scan, options), { signal }))
}

/** Reads all items of a table, in their latest state. */
export async function readTable(connection: Connection, TableName: string): Promise<Item[]> {
  const items: Item[] = []
  let afterKey: Item | undefined
  do {
    const scan = new ScanCommand({ TableName, ConsistentRead: true, ExclusiveStartKey: afterKey })
    const page = pageOf(await call(connection, (database) => database.send(scan)))
    for (const item of page.items) items.push(item)
    afterKey = page.lastKey
  } while (afterKey)
  return items
}

/** Whether a feed has at least one row. */
export async function isAnyIn(connection: Connection, feed: Feed): Promise<boolean> {
  const query = new QueryCommand({
    TableName: connection.jokesTable,
    IndexName: INDEX,
    KeyConditionExpression: 'feed = :feed',
    ExpressionAttributeValues: { ':feed': feed },
    Select: 'COUNT',
    Limit: 1,
  })
  return (await call(connection, (database) => database.send(query))).Count === 1
}

function pageOf({ Items = [], LastEvaluatedKey }: Pick<ScanCommandOutput, 'Items' | 'LastEvaluatedKey'>): ItemPage {
  return { items: Items, lastKey: LastEvaluatedKey }
}
