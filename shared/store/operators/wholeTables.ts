/** What operators do with whole tables: update the word lists, sweep them, and restore jokes from a backup. */
import { PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb'
import { UnknownJoke } from '../../errors.ts'
import { wordsOfJoke } from '../../joke.ts'
import { type Item, listedJoke, properItems, STATES, type State, stateOf, storedWordsOf } from '../item.ts'
import type { Store } from '../store.ts'
import { deleteRows, ParsedRow, placeOf, timeOf } from '../wordRows.ts'
import { changeRows } from './heldRows.ts'
import { hold, ifConditionHolds, readItem } from './hold.ts'
import { forEachAtOnce } from './patientStore.ts'
import { approveJoke } from './removal.ts'

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
 * Looks through all word lists, and deletes the rows of jokes that are not listed at the place of the row. May run at any
 * time.
 *
 * @param ids of erased jokes, to delete only their rows; absent: all
 */
export async function* sweep(store: Store, ids?: Set<string>): AsyncGenerator<Part> {
  const cutoff = timeOf(new Date(Date.now() - NEW_MS))
  const places = ids ? new Set<string>() : await listedPlaces(store)
  const isOrphan = ({ id, place }: ParsedRow) => (ids ? ids.has(id) : place < cutoff && !places.has(place))
  for await (const items of scan(store, store.wordsTable)) {
    const orphans = Map.groupBy(properItems(ParsedRow, items).filter(isOrphan), ({ id }) => id)
    let changed = 0
    await forEachAtOnce(store, orphans, async ([id, rows]) => {
      const deleted = await deleteOrphans(store, id, rows)
      changed += deleted
    })
    yield { items: items.length, changed }
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

/** The places of all listed jokes: some 100 bytes each. */
async function listedPlaces(store: Store): Promise<Set<string>> {
  const places = new Set<string>()
  for await (const items of scan(store, store.jokesTable)) {
    for (const joke of items.map(listedJoke)) if (joke) places.add(placeOf(joke))
  }
  return places
}

/** Deletes rows of a joke that are not where it stands now. Returns how many. */
async function deleteOrphans(store: Store, id: string, rows: ParsedRow[]): Promise<number> {
  try {
    return await hold(store, id, STATES, async ({ item, signal }) => {
      const joke = listedJoke(item)
      const place = joke && placeOf(joke)
      const orphans = rows.filter((row) => row.place !== place)
      await deleteRows(store, orphans, signal)
      return orphans.length
    })
  } catch (error) {
    if (!(error instanceof UnknownJoke)) throw error
    await deleteRows(store, rows, AbortSignal.timeout(store.limits.operationMs))
    // A restore puts the item before the rows, so it is there now if a row was written meanwhile.
    await reindexJoke(store, id)
    return rows.length
  }
}

/** @returns whether it is listed, and not damaged */
async function reindexJoke(store: Store, id: string): Promise<boolean> {
  return ifKnown(
    hold(store, id, STATES, async ({ item, signal, update }) => {
      if (!listedJoke(item)) return false
      await changeRows(store, item, item, signal, (words) => update('SET words = :words', { ':words': words }))
      return true
    }),
  )
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
  const { shelf: _, held: __, ...rest } = item
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
  return ifKnown(
    hold(store, joke.id, ['listed'], async ({ item: current, signal, replace }) => {
      if (!newer && String(current.dateAdded) > joke.dateAdded) return false
      await changeRows(store, current, item, signal, (words) => replace({ ...item, words }))
      return true
    }),
  )
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
