/** What operators do with whole tables: update the word lists, sweep them, and restore jokes from a backup. */
import { PutCommand, paginateScan, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { UnknownJoke } from '../../errors.ts'
import { wordsOfJoke } from '../../joke.ts'
import { type Item, listedJoke, properItems, STATE_NAME, type State, stateOf, storedWordsOf, wordsIn } from '../item.ts'
import type { Store } from '../store.ts'
import { ParsedRow, placeOf, rowsAt, timeOf, writeRows } from '../wordRows.ts'
import { forEachAtOnce } from './patientStore.ts'
import { approveJoke } from './removal.ts'
import { ifConditionHolds, readItem, rowsOf, settle, todaysRows } from './settle.ts'

/** A part of a table whose work is done. */
export interface Part {
  /** How many items it held. */
  items: number
  /** How many of them were changed, written or deleted. */
  changed: number
  /** Where the work can continue later; absent: it is done, or can only begin anew. */
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
  yield* forEachItem(store, store.jokesTable, afterId, async (item) => {
    const joke = listedJoke(item)
    if (joke === undefined) return false
    if (!all && item.words === storedWordsOf(wordsOfJoke(joke))) return false
    return reindexJoke(store, joke.id)
  })
}

/** Jokes added in the last minute may still be on their way: their rows come before their items. */
const NEW_MS = 60_000

/**
 * Looks through all word lists, deletes the rows that no listed joke has by its stored words, and settles the jokes of these
 * rows. May run at any time.
 *
 * @param ids of erased jokes, to delete only their rows; absent: all
 */
export async function* sweep(store: Store, ids?: Set<string>): AsyncGenerator<Part> {
  const cutoff = timeOf(new Date(Date.now() - NEW_MS))
  const words = ids ? new Map<string, string>() : await wordsByPlace(store)
  const isOrphan = (row: ParsedRow) => (ids ? ids.has(row.id) : row.place < cutoff && !isRowOf(words, row))
  for await (const items of scan(store, store.wordsTable)) {
    const orphans = properItems(ParsedRow, items).filter(isOrphan)
    const byId = Map.groupBy(orphans, ({ id }) => id)
    await forEachAtOnce(store, byId, async ([id, rows]) => void (await settle(store, id, rows)))
    yield { items: items.length, changed: orphans.length }
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
  yield* forEachItem(store, from, afterId, async (item) => {
    const current = await readItem(store, String(item.id))
    if (current === undefined || isHalfRestored(item, current)) return restoreMissing(store, item)
    return overwrite.existing && restoreExisting(store, item, overwrite.newer)
  })
}

/** So that work can be continued near where it was stopped. */
const PART_SIZE = 100

/** Works through the items of a table, several at once. `work` returns whether it changed anything. */
async function* forEachItem(
  store: Store,
  table: string,
  afterId: string | undefined,
  work: (item: Item) => Promise<boolean>,
): AsyncGenerator<Part> {
  for await (const items of scan(store, table, afterId === undefined ? undefined : { id: afterId })) {
    for (let start = 0; start < items.length; start += PART_SIZE) {
      const part = items.slice(start, start + PART_SIZE)
      let changed = 0
      await forEachAtOnce(store, part, async (item) => {
        if (await work(item)) changed += 1
      })
      yield { items: part.length, changed, lastId: String(part.at(-1)?.id) }
    }
  }
  yield { items: 0, changed: 0 }
}

/** All items of a table, page by page, as they are now. */
async function* scan({ database }: Store, TableName: string, ExclusiveStartKey?: Item): AsyncGenerator<Item[]> {
  const pages = paginateScan({ client: database }, { TableName, ConsistentRead: true, ExclusiveStartKey })
  for await (const { Items = [] } of pages) yield Items
}

/** The stored words of all listed jokes, by their places: some 300 bytes each. */
async function wordsByPlace(store: Store): Promise<Map<string, string>> {
  const words = new Map<string, string>()
  for await (const items of scan(store, store.jokesTable)) {
    for (const item of items) {
      const joke = listedJoke(item)
      if (joke) words.set(placeOf(joke), String(item.words))
    }
  }
  return words
}

/** Whether a row is one of the joke at its place. */
function isRowOf(words: Map<string, string>, { place, prefix, entry }: ParsedRow): boolean {
  const stored = words.get(place)
  if (stored === undefined) return false
  const candidates = rowsAt(
    place,
    wordsIn(stored).filter((word) => word.startsWith(prefix)),
  )
  return candidates.some((row) => row.prefix === prefix && row.entry === entry)
}

/** @returns whether it is listed, and not damaged */
async function reindexJoke(store: Store, id: string): Promise<boolean> {
  const item = await readItem(store, id)
  if (!item || !listedJoke(item)) return false
  const { words, rows } = todaysRows(item)
  await writeRows(store, rows, AbortSignal.timeout(store.limits.operationMs))
  const update = new UpdateCommand({
    TableName: store.jokesTable,
    Key: { id },
    // A restore may have replaced its text meanwhile.
    ConditionExpression: '#state = :listed AND dateAdded = :dateAdded',
    UpdateExpression: 'SET words = :words',
    ExpressionAttributeNames: STATE_NAME,
    ExpressionAttributeValues: {
      ':listed': 'listed' satisfies State,
      ':dateAdded': item.dateAdded,
      ':words': storedWordsOf(words),
    },
  })
  const isUpdated = await ifConditionHolds(store.database.send(update))
  await settle(store, id, [...rowsOf(item), ...rows])
  return isUpdated
}

/** Whether a restore was interrupted: its backup has a listed joke, which waits since then. */
function isHalfRestored(item: Item, current: Item): boolean {
  return stateOf(item) === 'listed' && stateOf(current) === 'waiting' && item.createdBy === current.createdBy
}

/** @returns whether it was still missing */
async function restoreMissing(store: Store, item: Item): Promise<boolean> {
  const isListed = stateOf(item) === 'listed'
  if (isListed && !listedJoke(item)) return false
  // It waits before it has its rows: never listed without them, and there for a sweep beside it.
  const { shelf: _, ...rest } = item
  const Item = isListed ? { ...rest, state: 'waiting' satisfies State } : item
  const put = new PutCommand({ TableName: store.jokesTable, Item, ConditionExpression: 'attribute_not_exists(id)' })
  const isPut = await ifConditionHolds(store.database.send(put))
  if (!isListed) return isPut
  const current = await readItem(store, String(item.id))
  // Meanwhile, a client may have added it again, and it waits for an operator.
  if (!current || !isHalfRestored(item, current)) return false
  return ifKnown(approveJoke(store, String(item.id)).then(() => true))
}

/** @returns whether it was overwritten */
async function restoreExisting(store: Store, item: Item, newer: boolean): Promise<boolean> {
  const joke = listedJoke(item)
  if (joke === undefined) return false
  const { words, rows } = todaysRows(item)
  const current = await readItem(store, joke.id)
  if (!current || stateOf(current) !== 'listed') return false
  if (!newer && String(current.dateAdded) > joke.dateAdded) return false
  await writeRows(store, rows, AbortSignal.timeout(store.limits.operationMs))
  const put = new PutCommand({
    TableName: store.jokesTable,
    Item: { ...item, words: storedWordsOf(words) },
    // What it replaces is what was read, so its rows are known.
    ConditionExpression: '#state = :listed AND dateAdded = :dateAdded',
    ExpressionAttributeNames: STATE_NAME,
    ExpressionAttributeValues: { ':listed': 'listed' satisfies State, ':dateAdded': current.dateAdded },
  })
  const isPut = await ifConditionHolds(store.database.send(put))
  await settle(store, joke.id, [...rowsOf(current), ...rows])
  return isPut
}

/** @returns false if no joke has that id, or it is in another state by now */
async function ifKnown(work: Promise<boolean>): Promise<boolean> {
  try {
    return await work
  } catch (error) {
    if (error instanceof UnknownJoke) return false
    throw error
  }
}
