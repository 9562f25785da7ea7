/** What operators do with whole tables: bring the word index up to date, and bring jokes back from a backup. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { BatchGetCommand, BatchWriteCommand, paginateScan, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { Joke } from '../joke.ts'
import { database, sendBatches } from './database.ts'
import { JOKES_TABLE } from './environment.ts'
import { filterWordsOf, properItems, storedWords, wordsOfJoke } from './item.ts'
import { deleteRows, toRows, writeRows } from './wordIndex.ts'

/** How far the work has come: one for each page of a table. */
export interface Progress {
  /** How many items the page held. */
  items: number
  /** How many of them were changed or written. */
  changed: number
  /** Where the work can continue later; absent: it is done. */
  lastId?: string
}

/**
 * Makes the words and rows of all jokes, removed ones included, those that they would be stored with today. May run at
 * any time: until it is done, a joke is found by its words of before. A removal or erasure meanwhile wins.
 *
 * @param all writes all rows, whatever a joke says of its words: for tables that were restored
 * @param afterId where to continue; absent: from the start
 */
export async function* reindex(all: boolean, afterId?: string): AsyncGenerator<Progress> {
  for await (const { items, ...rest } of scan(JOKES_TABLE, afterId)) {
    const jokes = properItems(
      IndexedJoke,
      items.filter((item) => !isErased(item)),
    ).values()
    let changed = 0
    const work = async () => {
      for (const joke of jokes) if (await reindexJoke(joke, all)) changed += 1
    }
    await Promise.all(Array.from({ length: JOKES_AT_ONCE }, work))
    yield { items: items.length, changed, ...rest }
  }
}

/**
 * Copies jokes from a restored table, and writes their words. What was removed or erased since stays so; what was added
 * since stays.
 *
 * @param from name of the restored table
 * @param missing copies only jokes that are gone; otherwise all, so that they are as they were, votes included
 * @param afterId where to continue; absent: from the start
 */
export async function* restore(from: string, missing: boolean, afterId?: string): AsyncGenerator<Progress> {
  for await (const { items, ...rest } of scan(from, afterId)) {
    let changed = 0
    for (let start = 0; start < items.length; start += BATCH_ITEMS) {
      changed += await restoreBatch(items.slice(start, start + BATCH_ITEMS), missing)
    }
    yield { items: items.length, changed, ...rest }
  }
}

/** BatchWriteItem's limit. */
const BATCH_ITEMS = 25

/** Enough for a million jokes in minutes, and well below what DynamoDB takes. */
const JOKES_AT_ONCE = 16

type Item = Record<string, unknown>

const IndexedJoke = v.object({ ...Joke.entries, words: v.optional(v.string()) })
type IndexedJoke = v.InferOutput<typeof IndexedJoke>

async function* scan(table: string, afterId: string | undefined) {
  const start = afterId === undefined ? {} : { ExclusiveStartKey: { id: afterId } }
  const pages = paginateScan({ client: database }, { TableName: table, ConsistentRead: true, ...start })
  for await (const { Items = [], LastEvaluatedKey } of pages) {
    const items: Item[] = Items
    yield { items, ...(LastEvaluatedKey && { lastId: String(LastEvaluatedKey.id) }) }
  }
}

/** @returns whether there was anything to write */
async function reindexJoke(joke: IndexedJoke, all: boolean): Promise<boolean> {
  const words = wordsOfJoke(joke)
  const filterWords = filterWordsOf(words)
  if (joke.words === filterWords && !all) return false
  const rows = toRows(joke, words)
  const oldRows = toRows(joke, storedWords(joke.words))
  const entries = new Set(rows.map(({ entry }) => entry))
  const oldEntries = new Set(oldRows.map(({ entry }) => entry))
  await writeRows(all ? rows : rows.filter(({ entry }) => !oldEntries.has(entry)))
  if (!(await setWords(joke.id, filterWords))) {
    await deleteRows(rows)
    return false
  }
  await deleteRows(oldRows.filter(({ entry }) => !entries.has(entry)))
  return true
}

/** @returns false where the joke was erased meanwhile */
async function setWords(id: string, words: string): Promise<boolean> {
  const command = new UpdateCommand({
    TableName: JOKES_TABLE,
    Key: { id },
    ConditionExpression: 'attribute_exists(joke)',
    UpdateExpression: 'SET words = :words',
    ExpressionAttributeValues: { ':words': words },
  })
  try {
    await database.send(command)
    return true
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false
    throw error
  }
}

/** @returns how many were written */
async function restoreBatch(backup: Item[], missing: boolean): Promise<number> {
  const present = await itemsOf(backup.map(({ id }) => String(id)))
  const restored = backup.filter((item) => {
    const now = present.get(String(item.id))
    return now === undefined || (!missing && isListed(now) && isListed(item))
  })
  const erased = restored.filter(isErased)
  const jokes = restored
    .filter((item) => !isErased(item))
    .flatMap((item) => properItems(IndexedJoke, [item]).map((joke) => ({ item, joke, words: wordsOfJoke(joke) })))
  await writeRows(jokes.flatMap(({ joke, words }) => toRows(joke, words)))
  const items = [...erased, ...jokes.map(({ item, words }) => ({ ...item, words: filterWordsOf(words) }))]
  await putItems(items)
  return items.length
}

function isListed(item: Item): boolean {
  return 'shelf' in item
}

function isErased(item: Item): boolean {
  return 'erasedAt' in item
}

async function itemsOf(ids: string[]): Promise<Map<string, Item>> {
  const found: Item[] = []
  const keys: Item[] = ids.map((id) => ({ id }))
  await sendBatches(keys, BATCH_ITEMS, undefined, async (batch) => {
    const RequestItems = { [JOKES_TABLE]: { Keys: batch, ConsistentRead: true } }
    const { Responses, UnprocessedKeys } = await database.send(new BatchGetCommand({ RequestItems }))
    found.push(...(Responses?.[JOKES_TABLE] ?? []))
    return UnprocessedKeys?.[JOKES_TABLE]?.Keys
  })
  return new Map(found.map((item) => [String(item.id), item]))
}

async function putItems(items: Item[]): Promise<void> {
  type Requests = NonNullable<ConstructorParameters<typeof BatchWriteCommand>[0]['RequestItems']>[string]
  const requests: Requests = items.map((Item) => ({ PutRequest: { Item } }))
  await sendBatches(requests, BATCH_ITEMS, undefined, async (batch) => {
    const command = new BatchWriteCommand({ RequestItems: { [JOKES_TABLE]: batch } })
    const { UnprocessedItems } = await database.send(command)
    return UnprocessedItems?.[JOKES_TABLE]
  })
}
