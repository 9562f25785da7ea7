/** Bringing the word index up to date: after a change of how words are found, and after a restore. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { paginateScan, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { Joke } from '../joke.ts'
import { database } from './database.ts'
import { JOKES_TABLE } from './environment.ts'
import { filterWordsOf, properItems, storedWords, wordsOfJoke } from './item.ts'
import { deleteRows, toRows, writeRows } from './wordIndex.ts'

const IndexedJoke = v.object({ ...Joke.entries, words: v.optional(v.string()) })
export type IndexedJoke = v.InferOutput<typeof IndexedJoke>

/** A page of stored jokes, removed ones included. */
export interface ScannedPage {
  jokes: IndexedJoke[]
  /** How many items the page held: the jokes, erased ones, and what is not as the service writes it. */
  items: number
  /** Where a later scan can continue; absent: at the end. */
  lastId?: string
}

/**
 * Reads all stored jokes, in no order.
 *
 * @param afterId where to continue; absent: from the start
 */
export async function* scanJokes(afterId?: string, table = JOKES_TABLE): AsyncGenerator<ScannedPage> {
  const pages = paginateScan(
    { client: database },
    { TableName: table, ConsistentRead: true, ...(afterId !== undefined && { ExclusiveStartKey: { id: afterId } }) },
  )
  for await (const { Items = [], LastEvaluatedKey } of pages) {
    const jokes = properItems(
      IndexedJoke,
      Items.filter(({ erasedAt }) => erasedAt === undefined),
    )
    yield { jokes, items: Items.length, ...(LastEvaluatedKey && { lastId: `${LastEvaluatedKey.id}` }) }
  }
}

/**
 * Makes a joke's words and rows those that it would be stored with today. May run at any time: until it is done, the
 * joke is found by its words of before; a removal or erasure meanwhile wins.
 *
 * @param all writes all rows, whatever the joke says of its words: for tables that were restored
 * @returns whether there was anything to write
 */
export async function reindexJoke(joke: IndexedJoke, all: boolean): Promise<boolean> {
  const words = wordsOfJoke(joke)
  const filterWords = filterWordsOf(words)
  if (joke.words === filterWords && !all) return false
  const rows = toRows(joke, words)
  const oldRows = toRows(joke, storedWords(joke.words))
  const newEntries = new Set(rows.map(({ entry }) => entry))
  const oldEntries = new Set(oldRows.map(({ entry }) => entry))
  const missing = all ? rows : rows.filter(({ entry }) => !oldEntries.has(entry))
  await writeRows(missing)
  if (!(await setWords(joke.id, filterWords))) {
    await deleteRows(rows)
    return false
  }
  await deleteRows(oldRows.filter(({ entry }) => !newEntries.has(entry)))
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
