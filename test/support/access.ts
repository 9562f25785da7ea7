/** Direct access to the tables of a store, without the service's limits and meter. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb'
import { type StoredJoke, wordsOfJoke } from '../../shared/joke.ts'
import { writeItems } from '../../shared/store/connection/batches.ts'
import { entriesFor, entryKeyOf, type IndexEntry, writeEntries } from '../../shared/store/indexEntries.ts'
import { type Item, toItem } from '../../shared/store/item.ts'
import type { Store } from '../../shared/store/store.ts'

/** The number of jokes written in parallel. */
const CHUNK = 200

/** The item of a joke, and its index entries. */
export function toStored(joke: StoredJoke) {
  return { item: toItem(joke, 'listed', CREATED_BY), rows: entriesFor(entryKeyOf(joke), wordsOfJoke(joke)) }
}

/** A value as long as the service's own, so that items have the same size. */
const CREATED_BY = 'JKJaXmPLvHcESHA=#0123456789ab'

/** Writes the index entries of jokes that do not exist, or exist with other dates or categories. */
export async function writeOrphans(store: Store, ...jokes: StoredJoke[]): Promise<void> {
  const rows = jokes.flatMap((joke) => toStored(joke).rows)
  await writeEntries(store, rows, AbortSignal.timeout(60_000))
}

export async function itemsOf(store: Store, TableName: string): Promise<Item[]> {
  const items: Item[] = []
  const pages = paginateScan({ client: direct(store) }, { TableName, ConsistentRead: true })
  for await (const { Items = [] } of pages) items.push(...Items)
  return items
}

export async function emptyTables(store: Store): Promise<void> {
  await Promise.all([emptyTable(store, store.jokesTable), emptyTable(store, store.wordsTable)])
}

export async function emptyTable(store: Store, table: string): Promise<void> {
  const keyOf = ({ id, prefix, entry }: Item) => (table === store.jokesTable ? { id } : { prefix, entry })
  const deletes = (await itemsOf(store, table)).map((item) => ({ DeleteRequest: { Key: keyOf(item) } }))
  await writeBatches(store, table, deletes)
}

/**
 * Writes jokes directly to the tables.
 *
 * @param isWanted selects the index entries to write, by default all
 */
export async function load(store: Store, jokes: StoredJoke[], isWanted = (_: IndexEntry) => true): Promise<void> {
  for (let start = 0; start < jokes.length; start += CHUNK) {
    const stored = jokes.slice(start, start + CHUNK).map(toStored)
    await put(store, store.wordsTable, ...stored.flatMap(({ rows }) => rows).filter(isWanted))
    await put(store, store.jokesTable, ...stored.map(({ item }) => item))
  }
}

export async function put(store: Store, table: string, ...items: Item[]): Promise<void> {
  const puts = items.map((Item) => ({ PutRequest: { Item } }))
  await writeBatches(store, table, puts)
}

const clients = new WeakMap<Store, DynamoDBDocumentClient>()

/** A client that is not metered and has no time limits. */
function direct(store: Store): DynamoDBDocumentClient {
  const { region, credentials, endpoint } = store.database.config
  const client =
    clients.get(store) ??
    DynamoDBDocumentClient.from(new DynamoDBClient({ region, credentials, ...(endpoint && { endpoint }) }))
  clients.set(store, client)
  return client
}

async function writeBatches(store: Store, table: string, requests: Parameters<typeof writeItems>[2]): Promise<void> {
  await writeItems({ ...store, database: direct(store) }, table, requests, AbortSignal.timeout(60_000))
}
