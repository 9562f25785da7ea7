/** Works on whole tables for operators: updates and sweeps the inverted index, and restores jokes from a backup. */
import { isDeepStrictEqual } from 'node:util'
import { paginateScan } from '@aws-sdk/lib-dynamodb'
import { getItems } from '../connection/batches.ts'
import { readItem } from '../connection/readItem.ts'
import { difference, ParsedEntry, timeOf } from '../indexEntries.ts'
import { type Item, listedJoke, STATE_NAME, type State, stateOf, validItems } from '../item.ts'
import type { Store } from '../store.ts'
import { reserveText } from './correction.ts'
import { forEachAtOnce } from './pace.ts'
import { change, expectedEntries, reconcile, withCurrentWords, writeItem } from './reconcile.ts'

/** The result for a part of a table. If its work failed, the error follows. */
export interface Part {
  /** Number of items in the part, without aliases. */
  items: number
  /** Number of items that were changed, written or deleted. */
  changed: number
  /** The id after which the work can continue later. Absent if it failed, or must start over. */
  lastId?: string
}

/**
 * Updates the stored words and the index entries of all listed jokes to those of the current code. It may run at any
 * time. Until then, searches find a joke by its earlier words. A removed joke is updated when its removal is undone.
 *
 * @param all for restored tables; includes jokes whose stored words are current
 * @param afterId continues after this id
 */
export async function* reindex(store: Store, all: boolean, afterId?: string): AsyncGenerator<Part> {
  for await (const items of scan(store, store.jokesTable, JOKES_AT_ONCE, afterId)) {
    yield* workOnPart(store, items, items, async (item) => {
      if (!listedJoke(item) || (!all && isDeepStrictEqual(item, withCurrentWords(item)))) return false
      return change(store, String(item.id), (current) =>
        current && listedJoke(current) ? withCurrentWords(current) : undefined,
      )
    })
  }
}

/** Entries of the last minute may have no item yet, because adding a joke writes its item last. */
const RECENT_MS = 60_000

/** Number of entries whose jokes a sweep reads at once. They take some megabytes. */
const ENTRIES_AT_ONCE = 2_000

/**
 * Deletes index entries that match no listed joke, and reconciles their jokes. Recent entries without an item stay.
 * May run at any time.
 *
 * @param ids the ids of erased jokes, to delete only their entries; by default, of all jokes
 */
export async function* sweep(store: Store, ids?: Set<string>): AsyncGenerator<Part> {
  const cutoff = timeOf(new Date(Date.now() - RECENT_MS))
  for await (const items of scan(store, store.wordsTable, ENTRIES_AT_ONCE)) {
    const entries = validItems(ParsedEntry, items).filter(({ id }) => ids === undefined || ids.has(id))
    const entriesById = Map.groupBy(entries, ({ id }) => id)
    // A consistent read does not return a joke that was just erased as a listed one. Otherwise an eventually consistent
    // read is enough, at half the price, because reconciling reads again.
    const read = await getItems(store, [...entriesById.keys()], { ConsistentRead: ids !== undefined })
    const jokes = new Map(read.items.map((item) => [item.id, item]))
    const orphansOfJokes = Array.from(entriesById, ([id, stored]) => {
      const joke = jokes.get(id)
      const candidates = joke ? stored : stored.filter(({ entryKey }) => entryKey < cutoff)
      return { id, orphans: difference(candidates, expectedEntries(joke)) }
    }).filter(({ orphans }) => orphans.length > 0)
    yield* workOnPart(store, items, orphansOfJokes, async ({ id, orphans }) => {
      return difference(orphans, expectedEntries(await reconcile(store, id, orphans))).length
    })
  }
}

/** The existing jokes that a restore overwrites. It always restores jokes that are gone. */
export interface Overwrite {
  /** Jokes that still exist, including their votes. */
  existing: boolean
  /** Even existing jokes that were lost since the backup, and added again. */
  newer: boolean
}

/**
 * Copies jokes from a restored table, and writes their entries. Jokes that were added, removed or erased since the
 * backup stay so.
 *
 * @param from the name of the restored table
 * @param afterId the id after which to continue
 */
export async function* restore(
  store: Store,
  from: string,
  overwrite: Overwrite,
  afterId?: string,
): AsyncGenerator<Part> {
  for await (const items of scan(store, from, JOKES_AT_ONCE, afterId)) {
    yield* workOnPart(store, items, items, (item) => restoreJoke(store, item, overwrite))
  }
}

/** Counts the jokes in a table, in any state. */
export async function countJokes({ database }: Store, TableName: string): Promise<number> {
  const noAlias = {
    FilterExpression: '#state <> :alias',
    ExpressionAttributeNames: STATE_NAME,
    ExpressionAttributeValues: { ':alias': 'alias' satisfies State },
  }
  const pages = paginateScan({ client: database }, { TableName, Select: 'COUNT', ...noAlias })
  return (await Array.fromAsync(pages, ({ Count = 0 }) => Count)).reduce((sum, count) => sum + count, 0)
}

/** Number of jokes in a part. Work that was stopped continues after its last complete part. */
const JOKES_AT_ONCE = 100

/** Reads the latest items of a table, a page at a time. */
async function* scan(store: Store, TableName: string, pageSize: number, afterId?: string): AsyncGenerator<Item[]> {
  const ExclusiveStartKey = afterId === undefined ? undefined : { id: afterId }
  const input = { TableName, ConsistentRead: true, ExclusiveStartKey }
  for await (const { Items = [] } of paginateScan({ client: store.database, pageSize }, input)) yield Items
}

/**
 * Works on several things at once. Even if the work fails, the result follows.
 *
 * @param items the items in which the things were found
 * @param work returns the number of changes
 */
async function* workOnPart<Thing>(
  store: Store,
  items: Item[],
  things: Thing[],
  work: (thing: Thing) => Promise<number | boolean>,
): AsyncGenerator<Part> {
  const part: Part = { items: items.filter(({ state }) => state !== 'alias').length, changed: 0 }
  try {
    await forEachAtOnce(store, things, async (thing) => {
      const changed = await work(thing)
      part.changed += Number(changed)
    })
    const lastId = items.at(-1)?.id
    if (typeof lastId === 'string') part.lastId = lastId
  } finally {
    yield part
  }
}

/** @returns whether the joke was missing or overwritten */
async function restoreJoke(store: Store, item: Item, { existing, newer }: Overwrite): Promise<boolean> {
  const id = String(item.id)
  if (stateOf(item) !== 'listed') return writeItem(store, id, undefined, item)
  const joke = listedJoke(item)
  // Without its text, which somebody has added since, a corrected joke would be equal to the new one.
  if (!joke || (await reserveText(store, joke))) return false
  // The joke waits until it has its entries. So a repeated restore recognizes what a killed one left half done.
  if (!(await readItem(store, id)))
    await writeItem(store, id, undefined, { ...item, state: 'waiting', shelf: undefined })
  return change(store, id, (current) => {
    const isHalfDone = current?.state === 'waiting' && current.createdBy === item.createdBy
    const isOlder = String(current?.dateAdded) <= String(item.dateAdded)
    const isReplaced = existing && current?.state === 'listed' && (newer || isOlder)
    return isHalfDone || isReplaced ? withCurrentWords(item) : undefined
  })
}
