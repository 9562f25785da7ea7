/** What operators do with whole tables: update the word index, and restore jokes from a backup. */
import { paginateScan } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { forEachAtOnce } from '../atOnce.ts'
import { UnknownJoke } from '../errors.ts'
import { Joke } from '../joke.ts'
import { getItems, MAX_WRITES, writeItems } from './batches.ts'
import { database } from './database.ts'
import { JOKES_TABLE } from './environment.ts'
import { filterWordsOf, type Item, isListed, MORE, properItems, storedWords, wordsOfJoke } from './item.ts'
import { updateItem } from './jokes.ts'
import { deleteRows, toRows, type WordRow, writeRows } from './wordIndex.ts'

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
 * Updates the filter words and word rows of all jokes, removed ones included, to those of today's code. May run at any
 * time: until it is done, a joke is found by its earlier words. Jokes removed or erased meanwhile stay so.
 *
 * @param all writes all rows, whatever the stored filter words: for restored tables
 * @param afterId where to continue; absent: from the start
 */
export async function* reindex(all: boolean, afterId?: string): AsyncGenerator<ScannedPage> {
  for await (const { items, ...rest } of scan(JOKES_TABLE, afterId)) {
    const notErased = items.filter((item) => !isErased(item))
    const jokes = properItems(IndexedJoke, notErased)
    let changed = 0
    await forEachAtOnce(jokes, async (joke) => {
      if (await reindexJoke(joke, all)) changed += 1
    })
    yield { items: items.length, changed, ...rest }
  }
}

/**
 * Copies jokes from a restored table, and writes their word rows. Jokes that were removed or erased since stay so, and
 * jokes that were added since stay. A joke that is removed or erased meanwhile may come back.
 *
 * @param from name of the restored table
 * @param missing copies only jokes that are gone; otherwise all, as they were, votes included
 * @param afterId where to continue; absent: from the start
 */
export async function* restore(from: string, missing: boolean, afterId?: string): AsyncGenerator<ScannedPage> {
  for await (const { items, ...rest } of scan(from, afterId)) {
    let changed = 0
    for (let start = 0; start < items.length; start += MAX_WRITES) {
      changed += await restoreBatch(items.slice(start, start + MAX_WRITES), missing)
    }
    yield { items: items.length, changed, ...rest }
  }
}

const IndexedJoke = v.object({ ...Joke.entries, words: v.optional(v.string()) })
type IndexedJoke = v.InferOutput<typeof IndexedJoke>

async function* scan(table: string, afterId: string | undefined) {
  const ExclusiveStartKey = afterId === undefined ? undefined : { id: afterId }
  const pages = paginateScan({ client: database }, { TableName: table, ConsistentRead: true, ExclusiveStartKey })
  for await (const { Items = [], LastEvaluatedKey } of pages) {
    const items: Item[] = Items
    yield { items, ...(LastEvaluatedKey && { lastId: String(LastEvaluatedKey.id) }) }
  }
}

/** @returns whether there was anything to write */
async function reindexJoke(joke: IndexedJoke, all: boolean): Promise<boolean> {
  const words = wordsOfJoke(joke)
  const filterWords = filterWordsOf(words)
  // Words that do not fit into the filter words may have changed, too.
  if (joke.words === filterWords && !filterWords.endsWith(MORE) && !all) return false
  const rows = toRows(joke, words)
  const oldRows = toRows(joke, storedWords(joke.words))
  const entries = new Set(rows.map(({ entry }) => entry))
  const oldEntries = new Set(oldRows.map(({ entry }) => entry))
  await writeRows(all ? rows : rows.filter(({ entry }) => !oldEntries.has(entry)))
  try {
    await updateItem(joke.id, 'attribute_exists(joke)', 'SET words = :words', { ':words': filterWords })
  } catch (error) {
    if (!(error instanceof UnknownJoke)) throw error
    // It was erased meanwhile.
    await deleteRows(rows)
    return false
  }
  await deleteRows(oldRows.filter(({ entry }) => !entries.has(entry)))
  return true
}

/** @returns how many were written */
async function restoreBatch(backup: Item[], missing: boolean): Promise<number> {
  const ids = backup.map(({ id }) => String(id))
  const { items } = await getItems(ids, { ConsistentRead: true })
  const currentItems = new Map(items.map((item) => [item.id, item]))
  const rows: WordRow[] = []
  const restored: Item[] = []
  for (const item of backup) {
    const current = currentItems.get(item.id)
    if (current && (missing || !isListed(current) || !isListed(item))) continue
    if (isErased(item)) {
      restored.push(item)
      continue
    }
    const [joke] = properItems(IndexedJoke, [item])
    if (joke === undefined) continue
    const words = wordsOfJoke(joke)
    rows.push(...toRows(joke, words))
    restored.push({ ...item, words: filterWordsOf(words) })
  }
  await writeRows(rows)
  const puts = restored.map((Item) => ({ PutRequest: { Item } }))
  await writeItems(JOKES_TABLE, puts)
  return restored.length
}

function isErased(item: Item): boolean {
  return 'erasedAt' in item
}
