/** Direct access to the table of a store. */
import { BatchWriteCommand, DeleteCommand } from '@aws-sdk/lib-dynamodb'
import type { Joke } from '../../shared/joke.ts'
import { FEED, type Item, type State } from '../../shared/store/item.ts'
import { openCache, type Store } from '../../shared/store/store.ts'
import { readTable } from '../../tools/changes.ts'

/** Items in one BatchWriteItem. */
const BATCH = 25

/** The item of a joke in a state. */
export function toItem({ now }: Pick<Store, 'now'>, joke: Joke, jokeState: State = 'listed') {
  const rev = now()
  return {
    ...joke,
    feed: FEED,
    jokeState,
    edits: 0,
    // As long as the service's own, so that items have the same size.
    createdBy: 'JKJaXmPLvHcESHA=#u3dM0sPq1xYz',
    changedAt: new Date(rev).toISOString(),
    rev,
  }
}

/** Reads all items. */
export function itemsOf(store: Store): Promise<Item[]> {
  return readTable(store, store.jokesTable)
}

/** Deletes all items, which listings of this process then leave out. */
export async function emptyTable(store: Store): Promise<void> {
  for (const { id } of await itemsOf(store))
    await store.database.send(new DeleteCommand({ TableName: store.jokesTable, Key: { id } }))
  store.cache = openCache(store)
}

/** Writes jokes directly to the table. */
export async function putJokes(store: Store, jokes: Joke[]): Promise<void> {
  await put(store, ...jokes.map((joke) => toItem(store, joke)))
}

/** Writes any items. The next listing of this process has them. */
export async function put(store: Store, ...items: object[]): Promise<void> {
  for (let start = 0; start < items.length; start += BATCH) {
    const puts = items.slice(start, start + BATCH).map((Item) => ({ PutRequest: { Item } }))
    const batch = new BatchWriteCommand({ RequestItems: { [store.jokesTable]: puts } })
    const { UnprocessedItems } = await store.database.send(batch)
    // The local engines process all items.
    if (UnprocessedItems?.[store.jokesTable]) throw new Error('The database left items unprocessed.')
  }
  store.cache = openCache(store)
}
