/** What operators do with whole tables: update the word lists, sweep them, and restore jokes from a backup. */
import { paginateScan } from '@aws-sdk/lib-dynamodb'
import { getItems } from '../connection/batches.ts'
import { difference, ParsedEntry, timeOf } from '../indexEntries.ts'
import { type Item, listedJoke, stateOf, validItems } from '../item.ts'
import type { Store } from '../store.ts'
import { forEachAtOnce } from './pace.ts'
import { change, expectedEntries, readItem, reconcile, withCurrentWords, writeItem } from './reconcile.ts'

/** A part of a table whose work is done, or has failed: then, the error follows. */
export interface Part {
  /** How many items it held. */
  items: number
  /** How many of them were changed, written or deleted. */
  changed: number
  /** Where the work can continue later; absent: it has failed, or can only begin anew. */
  lastId?: string
}

/**
 * Updates the stored words and the rows of all listed jokes to those of today's code. May run at any time: until it is
 * done, a joke is found by its earlier words. Removed jokes get theirs when they are brought back.
 *
 * @param all writes all rows, whatever the stored words: for restored tables
 * @param afterId where to continue; absent: from the start
 */
export async function* reindex(store: Store, all: boolean, afterId?: string): AsyncGenerator<Part> {
  for await (const items of scan(store, store.jokesTable, JOKES_AT_ONCE, afterId)) {
    yield* workOnPart(store, items, items, async (item) => {
      if (!listedJoke(item) || (!all && item.words === withCurrentWords(item).words)) return false
      return change(store, String(item.id), (current) =>
        current && listedJoke(current) ? withCurrentWords(current) : undefined,
      )
    })
  }
}

/** A joke whose rows are from the last minute may still be on its way: its item comes after them. */
const RECENT_MS = 60_000

/** A sweep reads the jokes of so many rows at once: some megabytes. */
const ENTRIES_AT_ONCE = 2_000

/**
 * Looks through all word lists, deletes the rows that no listed joke has by its stored words, and settles the jokes of these
 * rows. May run at any time.
 *
 * @param ids of erased jokes, to delete only their rows; absent: all
 */
export async function* sweep(store: Store, ids?: Set<string>): AsyncGenerator<Part> {
  const cutoff = timeOf(new Date(Date.now() - RECENT_MS))
  for await (const items of scan(store, store.wordsTable, ENTRIES_AT_ONCE)) {
    const entries = validItems(ParsedEntry, items).filter(({ id }) => ids === undefined || ids.has(id))
    const entriesById = Map.groupBy(entries, ({ id }) => id)
    // A joke that was just erased must not be taken for a listed one. Otherwise an eventually consistent read, at half the price,
    // is enough, because settling reads again.
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

/** Which jokes to restore, besides those that are gone. */
export interface Overwrite {
  /** Jokes that still exist: as they were, votes included. */
  existing: boolean
  /** Of these, also jokes that were lost since the backup, and added again. */
  newer: boolean
}

/**
 * Copies jokes from a restored table, and writes their rows. Jokes that were removed or erased since stay so, and jokes
 * that were added since stay.
 *
 * @param from name of the restored table
 * @param afterId where to continue; absent: from the start
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

/** How many items a table holds. */
export async function countItems({ database }: Store, TableName: string): Promise<number> {
  const pages = paginateScan({ client: database }, { TableName, Select: 'COUNT' })
  return (await Array.fromAsync(pages, ({ Count = 0 }) => Count)).reduce((sum, count) => sum + count, 0)
}

/** So that work can be continued near where it was stopped. */
const JOKES_AT_ONCE = 100

/** All items of a table, some at a time, as they are now. */
async function* scan(store: Store, TableName: string, pageSize: number, afterId?: string): AsyncGenerator<Item[]> {
  const ExclusiveStartKey = afterId === undefined ? undefined : { id: afterId }
  const input = { TableName, ConsistentRead: true, ExclusiveStartKey }
  for await (const { Items = [] } of paginateScan({ client: store.database, pageSize }, input)) yield Items
}

/**
 * Works on items, or what was found among them, several at once, and yields what was done, also if that is not all.
 *
 * @param work returns how much it has changed
 */
async function* workOnPart<Thing>(
  store: Store,
  items: Item[],
  things: Thing[],
  work: (thing: Thing) => Promise<number | boolean>,
): AsyncGenerator<Part> {
  const part: Part = { items: items.length, changed: 0 }
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

/** @returns whether it was missing, or overwritten */
async function restoreJoke(store: Store, item: Item, { existing, newer }: Overwrite): Promise<boolean> {
  const id = String(item.id)
  if (stateOf(item) !== 'listed') return writeItem(store, id, undefined, item)
  if (!listedJoke(item)) return false
  // It waits until it has its rows, so that a restore that is repeated finds what a killed one has left half done.
  if (!(await readItem(store, id)))
    await writeItem(store, id, undefined, { ...item, state: 'waiting', shelf: undefined })
  return change(store, id, (current) => {
    const isHalfDone = current?.state === 'waiting' && current.createdBy === item.createdBy
    const isOlder = String(current?.dateAdded) <= String(item.dateAdded)
    const isReplaced = existing && current?.state === 'listed' && (newer || isOlder)
    return isHalfDone || isReplaced ? withCurrentWords(item) : undefined
  })
}
