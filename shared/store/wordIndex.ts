/** The word index: which jokes hold a word that begins in a certain way. */
import { BatchWriteCommand, type BatchWriteCommandInput, QueryCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { JokeId } from '../joke.ts'
import { database, sendBatches } from './database.ts'
import { LOOKUP_ROWS } from './limits.ts'
import { settings } from './settings.ts'

/**
 * A row's partition is named by this many letters of its word. Shorter words have no rows: a search for `ca` has to find
 * `cat` as well, which stands elsewhere, so only a walk can tell.
 */
const PREFIX_LETTERS = 3

/** Letters of a word that are kept: a sort key may have 1,024 bytes. Who looks up a longer word checks what is found. */
const KEPT_LETTERS = 60

/** The longest words of a search are looked up; they tell most. The others are checked with the jokes found. */
const MAX_LOOKUPS = 8

/** DynamoDB takes so many rows in one call. */
const BATCH_ROWS = 25

/** A row as it is stored. */
export interface WordRow {
  prefix: string
  /** `<word>#<id>` */
  entry: string
}

/** The rows for a joke with these words. */
export function toRows(id: string, words: string[]): WordRow[] {
  const kept = new Set(words.filter(isLongEnough).map(keep))
  return Array.from(kept, (word) => ({ prefix: prefixOf(word), entry: `${word}#${id}` }))
}

/** Writes rows. Writing them again changes nothing. */
export async function writeRows(rows: WordRow[], abortSignal: AbortSignal): Promise<void> {
  const { WORDS_TABLE } = settings
  const puts: BatchWriteItems = rows.map((Item) => ({ PutRequest: { Item } }))
  await sendBatches(puts, BATCH_ROWS, abortSignal, async (batch) => {
    const command = new BatchWriteCommand({ RequestItems: { [WORDS_TABLE]: batch } })
    const { UnprocessedItems } = await database.send(command, { abortSignal })
    return UnprocessedItems?.[WORDS_TABLE]
  })
}

/**
 * The ids of all jokes that may hold a word beginning with each of `words`: all that do are among them.
 *
 * @returns nothing where each word is too short or too common to be looked up
 */
export async function lookUp(words: string[], abortSignal: AbortSignal): Promise<string[] | undefined> {
  const longest = words.filter(isLongEnough).toSorted((one, other) => other.length - one.length)
  const found = await Promise.all(longest.slice(0, MAX_LOOKUPS).map((word) => idsOf(keep(word), abortSignal)))
  const complete = found.filter((ids) => ids !== undefined)
  if (complete.length === 0) return undefined
  return [...complete.reduce((all, ids) => all.intersection(ids))]
}

/** The jokes with a word that begins so, unless there are too many rows. */
async function idsOf(word: string, abortSignal: AbortSignal): Promise<Set<string> | undefined> {
  const { Items, LastEvaluatedKey } = await database.send(
    new QueryCommand({
      TableName: settings.WORDS_TABLE,
      KeyConditionExpression: 'prefix = :prefix AND begins_with(entry, :word)',
      ExpressionAttributeValues: { ':prefix': prefixOf(word), ':word': word },
      Limit: LOOKUP_ROWS,
    }),
    { abortSignal },
  )
  if (LastEvaluatedKey !== undefined) return undefined
  return new Set(v.parse(v.array(Row), Items).map(({ entry }) => entry))
}

/** A row as it is read: all that matters is the id behind the word. */
const Row = v.object({
  entry: v.pipe(
    v.string(),
    v.transform((entry) => entry.slice(entry.indexOf('#') + 1)),
    JokeId,
  ),
})

type BatchWriteItems = NonNullable<BatchWriteCommandInput['RequestItems']>[string]

function isLongEnough(word: string): boolean {
  return [...word].length >= PREFIX_LETTERS
}

function prefixOf(word: string): string {
  return [...word].slice(0, PREFIX_LETTERS).join('')
}

function keep(word: string): string {
  return [...word].slice(0, KEPT_LETTERS).join('')
}
