/** The word index: which jokes have a word that begins in a certain way. */
import { paginateQuery } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import type { Position } from '../cursor.ts'
import { CATEGORIES, type Joke, JokeId } from '../joke.ts'
import type { Listing } from '../listing.ts'
import { longest, prefixLength } from '../words.ts'
import { writeItems } from './batches.ts'
import { database } from './database.ts'
import { WORDS_TABLE } from './environment.ts'
import { properItems } from './item.ts'
import { KEPT_LETTERS, MAX_LOOKUPS, WORD_ROW_BYTES } from './limits.ts'
import type { Reads } from './reads.ts'

/** A row as it is stored: all key, no attributes. The entry is `<word>#<time>#<id>#<category>`. */
const WordRow = v.object({ prefix: v.string(), entry: v.string() })
export type WordRow = v.InferOutput<typeof WordRow>

type IndexedFields = Pick<Joke, 'id' | 'dateAdded' | 'category'>

/** A joke that a row names. It may turn out not to match, or not to exist. */
export interface Candidate {
  /** The suffix of the row's entry; see {@link suffixOf}. */
  suffix: string
  id: string
  category: Joke['category']
  /** In the order of `dateAdded`. */
  position: Position
}

/** The rows of a joke with these words. */
export function toRows(joke: IndexedFields, words: string[]): WordRow[] {
  const suffix = suffixOf(joke)
  return Array.from(indexedWords(words), (word) => ({ prefix: prefixOf(word), entry: `${word}#${suffix}` }))
}

/** The part of an entry after the word, the same in all rows of a joke: `<time>#<id>#<category>`. */
export function suffixOf({ id, dateAdded, category }: IndexedFields): string {
  const time = Date.parse(dateAdded).toString(36).padStart(TIME_DIGITS, '0')
  return `${time}#${id}#${category}`
}

/** Digits of a time in milliseconds, in base 36: enough until the year 5188. Padded, rows are in the order of time. */
const TIME_DIGITS = 9

/** Writes rows. Writing them again changes nothing. */
export async function writeRows(rows: WordRow[], abortSignal?: AbortSignal): Promise<void> {
  const puts = rows.map((Item) => ({ PutRequest: { Item } }))
  await writeItems(WORDS_TABLE, puts, abortSignal)
}

/** Deletes rows, if they exist. */
export async function deleteRows(rows: WordRow[]): Promise<void> {
  const deletes = rows.map(({ prefix, entry }) => ({ DeleteRequest: { Key: { prefix, entry } } }))
  await writeItems(WORDS_TABLE, deletes)
}

/** Deletes all rows of these words that name the joke, orphans of other dates and categories included. */
export async function deleteRowsOf(id: string, words: string[]): Promise<void> {
  for (const word of indexedWords(words)) {
    const pages = paginateQuery({ client: database }, { ...rowsFrom(`${word}#`), ConsistentRead: true })
    for await (const { Items } of pages) {
      await deleteRows(properItems(WordRow, Items).filter(({ entry }) => entry.includes(`#${id}#`)))
    }
  }
}

/**
 * All jokes of a category that match a search, and perhaps some that do not.
 *
 * @param limits rows to read at most for each word, and for all words together
 * @returns undefined if no word can be looked up: each is too short or reaches its limit, or too few units are left
 */
export async function lookUp(
  searchWords: string[],
  category: Listing['category'],
  limits: { rowsPerWord: number; rowsInAll: number },
  reads: Reads,
): Promise<Candidate[] | undefined> {
  const words = longest(searchWords.filter(isLongEnough), MAX_LOOKUPS)
  const rowsInAll = Math.min(limits.rowsInAll, reads.affordableRows(WORD_ROW_BYTES, RESERVED_UNITS))
  const rowsPerWord = Math.min(limits.rowsPerWord, Math.floor(rowsInAll / words.length))
  if (rowsPerWord === 0) return undefined
  const lookups = await Promise.all(words.map((word) => lookUpWord(word, rowsPerWord, reads)))
  const [first, ...others] = lookups.filter((candidates) => candidates !== undefined)
  if (first === undefined) return undefined
  const candidates: Candidate[] = []
  for (const candidate of first.values()) {
    if (category !== undefined && candidate.category !== category) continue
    if (others.every((other) => other.has(candidate.suffix))) candidates.push(candidate)
  }
  return candidates
}

/** Read units kept for reading the candidates' jokes. */
const RESERVED_UNITS = 25

/** The candidates of one word by suffix; undefined if it has `limit` rows or more. */
async function lookUpWord(word: string, limit: number, reads: Reads): Promise<Map<string, Candidate> | undefined> {
  const { Items, LastEvaluatedKey } = await reads.query({ ...rowsFrom(truncate(word)), Limit: limit })
  if (LastEvaluatedKey !== undefined) return undefined
  return new Map(properItems(CandidateOfRow, Items).map((candidate) => [candidate.suffix, candidate]))
}

const CandidateOfRow = v.pipe(
  WordRow,
  v.transform(({ entry }) => {
    const suffix = entry.slice(entry.indexOf('#') + 1)
    const [time = '', id, category] = suffix.split('#')
    return { suffix, id, category, dateAdded: new Date(Number.parseInt(time, 36)) }
  }),
  v.object({ suffix: v.string(), id: JokeId, category: v.picklist(CATEGORIES), dateAdded: v.date() }),
  v.transform(({ dateAdded, ...row }): Candidate => ({ ...row, position: [dateAdded.toISOString(), row.id] })),
)

/** A query of all rows whose entry begins with `start`, which is at least as long as a prefix. */
function rowsFrom(start: string) {
  return {
    TableName: WORDS_TABLE,
    KeyConditionExpression: 'prefix = :prefix AND begins_with(entry, :start)',
    ExpressionAttributeValues: { ':prefix': prefixOf(start), ':start': start },
  }
}

/** The words that have rows, truncated as in the rows. */
function indexedWords(words: string[]): Set<string> {
  return new Set(words.filter(isLongEnough).map(truncate))
}

/** Shorter words have no rows: a search for `c` would have to find `cat`, which has another prefix. */
function isLongEnough(word: string): boolean {
  return [...word].length >= prefixLength(word)
}

function prefixOf(word: string): string {
  return [...word].slice(0, prefixLength(word)).join('')
}

/** Longer words are truncated; callers check the joke itself. */
function truncate(word: string): string {
  return [...word].slice(0, KEPT_LETTERS).join('')
}
