/** Direct access to the table of a store. */
import { BatchWriteCommand, DeleteCommand, paginateScan } from '@aws-sdk/lib-dynamodb'
import type { StoredJoke } from '../../shared/joke.ts'
import type { Item } from '../../shared/store/item.ts'
import { openCache, type Store } from '../../shared/store/store.ts'
import type { Feed } from '../../shared/store/tables.ts'
import { newItem } from '../../shared/store/writes.ts'

/** Items in one BatchWriteItem. */
const BATCH = 25

/** A value as long as the service's own, so that items have the same size. */
const CREATED_BY = 'JKJaXmPLvHcESHA=#0123456789ab'

/** The item of a joke in a feed. */
export function toItem(store: Store, joke: StoredJoke, feed: Feed = 'listed') {
  return newItem(store, { ...joke, feed, createdBy: CREATED_BY })
}

/** Reads all items. */
export async function itemsOf(store: Store): Promise<Item[]> {
  const pages = paginateScan({ client: store.database }, { TableName: store.jokesTable, ConsistentRead: true })
  return (await Array.fromAsync(pages, ({ Items = [] }) => Items)).flat()
}

/** Deletes all items, which listings of this process then leave out. */
export async function emptyTable(store: Store): Promise<void> {
  for (const { id } of await itemsOf(store))
    await store.database.send(new DeleteCommand({ TableName: store.jokesTable, Key: { id } }))
  store.cache = openCache(store)
}

/** Writes jokes directly to the table. */
export async function load(store: Store, jokes: StoredJoke[]): Promise<void> {
  await put(store, ...jokes.map((joke) => toItem(store, joke)))
}

/** Writes any items. The next listing of this process has them. */
export async function put(store: Store, ...items: Item[]): Promise<void> {
  for (let start = 0; start < items.length; start += BATCH) {
    const puts = items.slice(start, start + BATCH).map((Item) => ({ PutRequest: { Item } }))
    const batch = new BatchWriteCommand({ RequestItems: { [store.jokesTable]: puts } })
    const { UnprocessedItems } = await store.database.send(batch)
    // The local engines process all items.
    if (UnprocessedItems?.[store.jokesTable]) throw new Error('The database left items unprocessed.')
  }
  store.cache.invalidate()
}
