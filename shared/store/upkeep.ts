/** What operators do with whole tables: update the word lists, and restore jokes from a backup. */
import { PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb'
import { forEachAtOnce } from '../atOnce.ts'
import { UnknownJoke } from '../errors.ts'
import { StoredJoke } from '../joke.ts'
import { hold, ifConditionHolds, readItem } from './hold.ts'
import { type Item, isComplete, isListed, properItems, storedWordsOf, wordsOfJoke } from './item.ts'
import type { Store } from './store.ts'
import { deleteRows, rowsOf, writeRows } from './wordLists.ts'

/** A page of a scan whose work is done. */
export interface ScannedPage {
  /** How many items the page held. */
  items: number
  /** How many of them were changed or written. */
  changed: number
  /** Where the work can continue later; absent: it is done. */
  lastId?: string
}

/**
 * Updates the stored words and the rows of all listed jokes to those of today's code. May run at any time: until it is
 * done, a joke is found by its earlier words. Removed jokes get theirs when they are brought back.
 *
 * @param all writes all rows, whatever the stored words: for restored tables
 * @param afterId where to continue; absent: from the start
 */
export async function* reindex(store: Store, all: boolean, afterId?: string): AsyncGenerator<ScannedPage> {
  yield* forEachItem(store, store.jokesTable, afterId, async (item) => {
    if (!isListed(item)) return false
    const [joke] = properItems(StoredJoke, [item])
    if (joke === undefined) return false
    // Words that are not stored may have changed, too.
    if (!all && item.words === storedWordsOf(wordsOfJoke(joke)) && isComplete(item.words)) return false
    return reindexJoke(store, joke.id)
  })
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
): AsyncGenerator<ScannedPage> {
  yield* forEachItem(store, from, afterId, async (item) => {
    if (!(await readItem(store, String(item.id)))) return restoreMissing(store, item)
    return overwrite.existing && isListed(item) && restoreExisting(store, item, overwrite.newer)
  })
}

/** Works through the items of a table, several at once. `work` returns whether it changed anything. */
async function* forEachItem(
  { database }: Store,
  table: string,
  afterId: string | undefined,
  work: (item: Item) => Promise<boolean>,
): AsyncGenerator<ScannedPage> {
  const ExclusiveStartKey = afterId === undefined ? undefined : { id: afterId }
  const pages = paginateScan({ client: database }, { TableName: table, ConsistentRead: true, ExclusiveStartKey })
  for await (const { Items = [], LastEvaluatedKey } of pages) {
    let changed = 0
    await forEachAtOnce(Items, async (item) => {
      if (await work(item)) changed += 1
    })
    yield { items: Items.length, changed, ...(LastEvaluatedKey && { lastId: String(LastEvaluatedKey.id) }) }
  }
}

/** @returns whether it was still listed */
async function reindexJoke(store: Store, id: string): Promise<boolean> {
  return ifListed(
    hold(store, id, ['listed'], async ({ item, signal, update, release }) => {
      const [joke] = properItems(StoredJoke, [item])
      if (joke !== undefined) {
        const words = wordsOfJoke(joke)
        await writeRows(store, joke, words, signal)
        await update('SET words = :words', { ':words': storedWordsOf(words) })
        await deleteRows(store, item, signal, rowsOf(joke, words))
      }
      await release()
      return joke !== undefined
    }),
  )
}

/** @returns whether it was still missing */
async function restoreMissing(store: Store, item: Item): Promise<boolean> {
  const signal = AbortSignal.timeout(store.limits.holdMs)
  let words: string[] = []
  if (isListed(item)) {
    const [joke] = properItems(StoredJoke, [item])
    if (joke === undefined) return false
    words = wordsOfJoke(joke)
    await writeRows(store, joke, words, signal)
  }
  const Item = isListed(item) ? { ...item, words: storedWordsOf(words) } : item
  const put = new PutCommand({ TableName: store.jokesTable, Item, ConditionExpression: 'attribute_not_exists(id)' })
  return ifConditionHolds(store.database.send(put, { abortSignal: signal }))
}

/** @returns whether it was overwritten */
async function restoreExisting(store: Store, item: Item, newer: boolean): Promise<boolean> {
  const [joke] = properItems(StoredJoke, [item])
  if (joke === undefined) return false
  return ifListed(
    hold(store, joke.id, ['listed'], async ({ item: current, signal, replace, release }) => {
      const isDue = newer || String(current.dateAdded) <= joke.dateAdded
      if (isDue) {
        const words = wordsOfJoke(joke)
        await writeRows(store, joke, words, signal)
        await replace({ ...item, words: storedWordsOf(words) })
        await deleteRows(store, current, signal, rowsOf(joke, words))
      }
      await release()
      return isDue
    }),
  )
}

/** @returns false if a joke was removed or erased meanwhile */
async function ifListed(work: Promise<boolean>): Promise<boolean> {
  try {
    return await work
  } catch (error) {
    if (error instanceof UnknownJoke) return false
    throw error
  }
}
