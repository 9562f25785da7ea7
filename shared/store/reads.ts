/** Reads items: by id from the table, all jokes in its segments, and changes from its index. */
import { GetCommand, QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import type { Connection } from './connection.ts'
import { isThrottled } from './failures.ts'
import { FEED, type Item, JOKES } from './item.ts'
import { CACHE } from './limits.ts'

/** Reads the latest item with this id, if there is one. */
export async function readItem(
  { database, jokesTable, limits }: Connection,
  id: string,
  abortSignal = AbortSignal.timeout(limits.operationMs),
): Promise<Item | undefined> {
  const get = new GetCommand({ TableName: jokesTable, Key: { id }, ConsistentRead: true })
  return (await database.send(get, { abortSignal })).Item
}

/** The items that one call reads, at most 1 MB. They may lack the changes of the last moments. */
interface Batch {
  items: Item[]
  /** The key after which the next batch begins. Absent in the last one. */
  lastKey: Item | undefined
}

export type ReadBatch = (afterKey: Item | undefined, abortSignal: AbortSignal) => Promise<Batch>

/**
 * Reads a segment, in no order. After an error, a batch is read once more, but not if DynamoDB is too busy: while a container
 * waits, Lambda starts others, and each loads all jokes, too.
 *
 * @param segment from 0 to {@link CACHE.segments} - 1
 */
export function readSegment({ databaseOnce, jokesTable }: Connection, segment: number): ReadBatch {
  return async (afterKey, abortSignal) => {
    const scan = new ScanCommand({
      TableName: jokesTable,
      Segment: segment,
      TotalSegments: CACHE.segments,
      ExclusiveStartKey: afterKey,
    })
    const send = () => databaseOnce.send(scan, { abortSignal })
    const { Items = [], LastEvaluatedKey } = await send().catch((error) => {
      if (isThrottled(error)) throw error
      return send()
    })
    return { items: Items, lastKey: LastEvaluatedKey }
  }
}

/** Reads items in the order of their last changes. @param since the time of the first change, ISO 8601 */
export function readChanges({ database, jokesTable }: Connection, since: string): ReadBatch {
  return async (afterKey, abortSignal) => {
    const query = new QueryCommand({
      TableName: jokesTable,
      IndexName: JOKES.index.name,
      KeyConditionExpression: 'feed = :feed AND changedAt >= :since',
      ExpressionAttributeValues: { ':feed': FEED, ':since': since },
      ExclusiveStartKey: afterKey,
    })
    const { Items = [], LastEvaluatedKey } = await database.send(query, { abortSignal })
    return { items: Items, lastKey: LastEvaluatedKey }
  }
}
