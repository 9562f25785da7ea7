/** The word index: which jokes hold a word that begins in a certain way. */
import { BatchWriteCommand, type BatchWriteCommandInput, paginateQuery } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { CATEGORIES, type Joke, JokeId } from '../joke.ts'
import { prefixLength } from '../words.ts'
import { database, sendBatches } from './database.ts'
import { WORDS_TABLE } from './environment.ts'
import { properItems } from './item.ts'
import { KEPT_LETTERS, MAX_LOOKUPS, WORD_ROW_BYTES } from './limits.ts'
import type { Reads } from './reads.ts'

/** BatchWriteItem's limit. */
const BATCH_ROWS = 25

/** A row as it is stored. All it tells is in its key; the entry is `<word>#<dateAdded>#<id>#<category>`. */
const WordRow = v.object({ prefix: v.string(), entry: v.string() })
export type WordRow = v.InferOutput<typeof WordRow>

/** What a row tells of the joke that holds its word. */
export interface Candidate {
  /** The part of the row's key behind the word, the same in all rows of one joke; sorts by date, then by id. */
  key: string
  id: string
  dateAdded: string
  category: string
}

/** The rows for a joke with these words. */
export function toRows(joke: Pick<Joke, 'id' | 'dateAdded' | 'category'>, words: string[]): WordRow[] {
  const kept = new Set(words.filter(isLongEnough).map(keep))
  return Array.from(kept, (word) => ({ prefix: prefixOf(word), entry: `${word}#${keyOf(joke)}` }))
}

/** The sort key's part behind the word. Its order is that of the dates, then that of the ids. */
export function keyOf({ id, dateAdded, category }: Pick<Joke, 'id' | 'dateAdded' | 'category'>): string {
  return `${timeOf(dateAdded)}#${id}#${category}`
}

/** A time in milliseconds, so that texts sort as times do. */
export function timeOf(dateAdded: string): string {
  return Date.parse(dateAdded).toString(36).padStart(TIME_DIGITS, '0')
}

/** Enough until the year 5188. */
const TIME_DIGITS = 9

/** Writes rows. Writing them again changes nothing. */
export async function writeRows(rows: WordRow[], abortSignal?: AbortSignal): Promise<void> {
  const requests: WriteRequests = rows.map((Item) => ({ PutRequest: { Item } }))
  await sendWrites(requests, abortSignal)
}

/** Deletes rows, if they exist. */
export async function deleteRows(rows: WordRow[]): Promise<void> {
  const requests: WriteRequests = rows.map(({ prefix, entry }) => ({ DeleteRequest: { Key: { prefix, entry } } }))
  await sendWrites(requests)
}

/** Deletes all rows that tell that a joke holds one of some words, orphans of other dates and categories included. */
export async function deleteRowsOf(id: string, words: string[]): Promise<void> {
  for (const word of new Set(words.filter(isLongEnough).map(keep))) {
    const pages = paginateQuery(
      { client: database },
      {
        TableName: WORDS_TABLE,
        KeyConditionExpression: 'prefix = :prefix AND begins_with(entry, :word)',
        ExpressionAttributeValues: { ':prefix': prefixOf(word), ':word': `${word}#` },
        ConsistentRead: true,
      },
    )
    for await (const { Items } of pages) {
      await deleteRows(properItems(WordRow, Items).filter(({ entry }) => entry.includes(`#${id}#`)))
    }
  }
}

/**
 * The jokes that may hold a word beginning with each of `words`; all that do are among them.
 *
 * @param maxRows for each word
 * @param maxRowsInAll for all words together
 * @returns nothing where no word can be looked up: each is too short, or has more rows
 */
export async function lookUp(
  words: string[],
  maxRows: number,
  maxRowsInAll: number,
  reads: Reads,
): Promise<Candidate[] | undefined> {
  const longest = words
    .filter(isLongEnough)
    .toSorted((one, other) => other.length - one.length)
    .slice(0, MAX_LOOKUPS)
  const affordable = reads.affordableRows(WORD_ROW_BYTES, RESERVED_UNITS)
  const share = Math.floor(Math.min(maxRowsInAll, affordable) / longest.length)
  if (longest.length === 0 || share === 0) return undefined
  const found = await Promise.all(longest.map((word) => candidatesOf(keep(word), Math.min(maxRows, share), reads)))
  const [fewest, ...others] = found
    .filter((candidates) => candidates !== undefined)
    .toSorted((one, other) => one.size - other.size)
  if (fewest === undefined) return undefined
  return [...fewest.values()].filter(({ key }) => others.every((candidates) => candidates.has(key)))
}

/** Kept for reading the jokes that are found. */
const RESERVED_UNITS = 25

/** All candidates by their keys, unless there are more rows than `limit`. */
async function candidatesOf(word: string, limit: number, reads: Reads): Promise<Map<string, Candidate> | undefined> {
  const { Items, LastEvaluatedKey } = await reads.query({
    TableName: WORDS_TABLE,
    KeyConditionExpression: 'prefix = :prefix AND begins_with(entry, :word)',
    ExpressionAttributeValues: { ':prefix': prefixOf(word), ':word': word },
    Limit: limit,
  })
  if (LastEvaluatedKey !== undefined) return undefined
  return new Map(properItems(Row, Items).map(({ entry }) => [entry.key, entry]))
}

const Row = v.object({
  entry: v.pipe(
    v.string(),
    v.transform((entry) => {
      const key = entry.slice(entry.indexOf('#') + 1)
      const [time = '', id, category] = key.split('#')
      return { key, id, category, dateAdded: new Date(Number.parseInt(time, 36)) }
    }),
    v.object({
      key: v.string(),
      id: JokeId,
      category: v.picklist(CATEGORIES),
      dateAdded: v.pipe(
        v.date(),
        v.transform((date) => date.toISOString()),
      ),
    }),
  ),
})

type WriteRequests = NonNullable<BatchWriteCommandInput['RequestItems']>[string]

async function sendWrites(requests: WriteRequests, abortSignal?: AbortSignal): Promise<void> {
  await sendBatches(requests, BATCH_ROWS, abortSignal, async (batch) => {
    const command = new BatchWriteCommand({ RequestItems: { [WORDS_TABLE]: batch } })
    const { UnprocessedItems } = await database.send(command, abortSignal && { abortSignal })
    return UnprocessedItems?.[WORDS_TABLE]
  })
}

/** Shorter words have no rows: a search for `c` would have to find `cat` as well, which has another prefix. */
function isLongEnough(word: string): boolean {
  return [...word].length >= prefixLength(word)
}

function prefixOf(word: string): string {
  return [...word].slice(0, prefixLength(word)).join('')
}

/** Longer words are truncated; callers check the joke itself. */
function keep(word: string): string {
  return [...word].slice(0, KEPT_LETTERS).join('')
}
