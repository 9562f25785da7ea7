/** Reads items: by id from the table, and by feed from its index. */
import { setTimeout } from 'node:timers/promises'
import { BatchGetCommand, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb'
import { waitBefore } from './connection.ts'
import type { Item } from './item.ts'
import type { Store } from './store.ts'
import type { Feed, JOKES } from './tables.ts'

/** Reads the latest item with this id, or returns `undefined` if there is none. */
export async function readItem(
  { database, jokesTable }: Store,
  id: string,
  abortSignal?: AbortSignal,
): Promise<Item | undefined> {
  const get = new GetCommand({ TableName: jokesTable, Key: { id }, ConsistentRead: true })
  return (await database.send(get, { ...(abortSignal && { abortSignal }) })).Item
}

/** Reads the latest items with these ids, at most 100, in any order. Repeats what DynamoDB left unprocessed. */
export async function readItems(
  { database, jokesTable, limits }: Store,
  ids: string[],
  abortSignal: AbortSignal,
): Promise<Item[]> {
  const items: Item[] = []
  let keys: Item[] = ids.map((id) => ({ id }))
  for (let retry = 0; keys.length > 0; retry++) {
    if (retry > 0) await setTimeout(waitBefore(retry, limits), undefined, { signal: abortSignal })
    const get = new BatchGetCommand({ RequestItems: { [jokesTable]: { Keys: keys, ConsistentRead: true } } })
    const { Responses, UnprocessedKeys } = await database.send(get, { abortSignal })
    items.push(...(Responses?.[jokesTable] ?? []))
    keys = UnprocessedKeys?.[jokesTable]?.Keys ?? []
  }
  return items
}

/** A page of a feed, in the order of changes. */
export interface FeedPage {
  items: Item[]
  /** The key after which the next page begins. Absent on the last page. */
  lastKey?: Item | undefined
}

/**
 * Reads a page of a feed, at most 1 MB. The index may lack the changes of the last moments.
 *
 * @param since the time from which changes are read, ISO 8601
 * @param afterKey the last key of the page before
 */
export async function readFeed(
  { database, jokesTable }: Store,
  feed: Feed,
  since: string,
  afterKey?: Item,
  abortSignal?: AbortSignal,
): Promise<FeedPage> {
  const query = new QueryCommand({
    TableName: jokesTable,
    IndexName: 'byChange' satisfies keyof typeof JOKES.indexes,
    KeyConditionExpression: 'feed = :feed AND changedAt >= :since',
    ExpressionAttributeValues: { ':feed': feed, ':since': since },
    ExclusiveStartKey: afterKey,
  })
  const { Items = [], LastEvaluatedKey } = await database.send(query, { ...(abortSignal && { abortSignal }) })
  return { items: Items, lastKey: LastEvaluatedKey }
}
