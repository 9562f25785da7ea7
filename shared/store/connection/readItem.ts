/** Reads a single item. `batches.ts` reads many. */
import { GetCommand } from '@aws-sdk/lib-dynamodb'
import type { Item } from '../item.ts'
import type { Store } from '../store.ts'

/** Reads the latest item with this id, or returns `undefined` if there is none. */
export async function readItem(
  { database, jokesTable }: Store,
  id: string,
  { ConsistentRead = true, abortSignal = new AbortController().signal } = {},
): Promise<Item | undefined> {
  const get = new GetCommand({ TableName: jokesTable, Key: { id }, ConsistentRead })
  return (await database.send(get, { abortSignal })).Item
}
