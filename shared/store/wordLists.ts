/** The word lists: for each beginning of a word, the jokes that have such a word, in the order of their dates. */
import { paginateQuery } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { JokeId, type StoredJoke } from '../joke.ts'
import type { Listing } from '../listing.ts'
import { beginningsOf, firstLetters, isLongestBeginning, longest, longestBeginningOf } from '../words.ts'
import { writeItems } from './batches.ts'
import { type Item, properItems, storedWordsOf, wordsIn, wordsOfJoke } from './item.ts'
import { compare } from './order.ts'
import type { Reads } from './reads.ts'
import { Intersection } from './sources.ts'
import type { Store } from './store.ts'

/**
 * A row as it is stored. The prefix names the list, the entry is `<time>#<id>#<category>`. In lists of the longest
 * beginnings, the joke's words that begin so follow, `#chicken,chickens`: words may differ after it.
 */
const WordRow = v.object({ prefix: v.string(), entry: v.string() })
export type WordRow = v.InferOutput<typeof WordRow>

/** A row of a joke's own list also has its stored words, because equal jokes may differ in spelling. */
const OwnRow = v.object({ ...WordRow.entries, words: v.string() })
type OwnRow = v.InferOutput<typeof OwnRow>

type Indexed = Pick<StoredJoke, 'id' | 'dateAdded' | 'category'>

/** A joke that stands in all lists of a search. It may turn out not to match, or not to exist. */
export interface Candidate {
  id: string
  /** See {@link placeOf}. Unless its rows are orphans, the joke itself has the same. */
  place: string
  /** Where reading continues after this candidate. */
  position: string
}

/** The rows of a joke with these words: one in each of its lists. */
export function rowsOf(joke: Indexed, words: string[]): WordRow[] {
  return rowsAt(placeOf(joke), words)
}

/** Where a joke stands in its lists: `<time>#<id>#<category>`. */
export function placeOf({ id, dateAdded, category }: Indexed): string {
  return `${positionAt(new Date(dateAdded))}#${id}#${category}`
}

/** The position directly before the places of jokes added at a date: in a search, the newest first, older jokes follow. */
export function positionAt(date: Date): string {
  return date.getTime().toString(36).padStart(TIME_DIGITS, '0')
}

/** Digits of a time in milliseconds, in base 36: enough until the year 5188. Padded, entries are in the order of time. */
const TIME_DIGITS = 9

/**
 * Writes the rows of a joke. Writing them again changes nothing.
 *
 * First comes a row in the joke's own list, `@<id>`. It lists all places at which rows were written, also by requests that
 * crashed, or lost against another that added the same joke, so that {@link deleteRows} finds them.
 */
export async function writeRows(store: Store, joke: Indexed, words: string[], signal: AbortSignal): Promise<void> {
  await putRows(store, [{ ...ownRowOf(joke), words: storedWordsOf(words) }], signal)
  await putRows(store, rowsOf(joke, words), signal)
}

/** Deletes what {@link writeRows} wrote. */
export async function takeBackRows(store: Store, joke: Indexed, words: string[], signal: AbortSignal): Promise<void> {
  await removeRows(store, rowsOf(joke, words), signal)
  await removeRows(store, [ownRowOf(joke)], signal)
}

/**
 * Deletes all rows that were ever written for a joke.
 *
 * @param item of the joke: its text, and its stored words, in which an earlier version of this code may have found others
 * @param kept rows that stay, and the joke's own list with them; absent: none stay
 */
export async function deleteRows(store: Store, item: Item, signal: AbortSignal, kept?: WordRow[]): Promise<void> {
  const own: OwnRow[] = []
  const input = {
    TableName: store.wordsTable,
    KeyConditionExpression: 'prefix = :prefix',
    ExpressionAttributeValues: { ':prefix': ownListOf(String(item.id)) },
    ConsistentRead: true,
  }
  for await (const { Items } of paginateQuery({ client: store.database }, input, { abortSignal: signal }))
    own.push(...properItems(OwnRow, Items))
  const versions = [wordsOfJoke({ joke: String(item.joke), punchline: String(item.punchline) }), wordsIn(item.words)]
  const rows = own.flatMap(({ entry, words }) => [...versions, wordsIn(words)].flatMap((each) => rowsAt(entry, each)))
  // By key, because a batch that names a row twice is rejected.
  const distinct = new Map(rows.map((row) => [keyOf(row), row]))
  if (kept) for (const row of kept) distinct.delete(keyOf(row))
  await removeRows(store, [...distinct.values()], signal)
  // Last, because these lead to the others. While the joke stays, a request that loses may still write some.
  if (!kept) await removeRows(store, own, signal)
}

/**
 * Opens the lists of a search: those of its longest words, and that of its category.
 *
 * @param start the position after which to read; absent: from the start
 * @param maxRows how many rows to read at most, from all lists together
 */
export function openLists(
  { searchWords = [], category, sortOrder, numberofJokes }: Listing,
  reads: Reads,
  start?: string,
  maxRows = Number.POSITIVE_INFINITY,
): Intersection<Candidate, string> {
  const { limits, wordsTable } = reads.store
  let rowsRequested = 0
  const isAscending = sortOrder === 'asc'
  const positionAfter = (place: string) => (isAscending ? place + AFTER_PLACE : place)
  const listOf = (prefix: string, rowsPerCandidate: number, isWanted: (entry: Entry) => boolean) => ({
    resumeAfter: start,
    rowsPerCandidate,
    read: async (after: string | undefined, limit: number) => {
      rowsRequested += limit
      const range = after === undefined ? '' : ` AND entry ${isAscending ? '>' : '<'} :after`
      const { Items, LastEvaluatedKey } = await reads.query({
        TableName: wordsTable,
        KeyConditionExpression: `prefix = :prefix${range}`,
        ExpressionAttributeValues: { ':prefix': prefix, ':after': after },
        ScanIndexForward: isAscending,
        Limit: limit,
      })
      const entries = properItems(Entry, Items).filter(isWanted)
      return {
        rows: entries.map(({ id, place }): Candidate => ({ id, place, position: positionAfter(place) })),
        // Not after its place: while a joke is reindexed, a second row of it may follow.
        readUpTo: LastEvaluatedKey && String(LastEvaluatedKey.entry),
      }
    },
  })
  const isOfCategory = (entry: Entry) => category === undefined || entry.category === category
  const wordsByList = Map.groupBy(longest(searchWords, MAX_LISTS), longestBeginningOf)
  const lists = Array.from(wordsByList, ([prefix, words]) =>
    listOf(prefix, limits.rowsPerJoke, (entry) => isOfCategory(entry) && words.every((word) => holds(entry, word))),
  )
  // Entries tell the category themselves, so its list is worth reading only if it has the fewest.
  if (category !== undefined) lists.push(listOf(categoryList(category), 1, () => true))
  return new Intersection(lists, {
    compare: (one, other) => (isAscending ? compare(one, other) : compare(other, one)),
    // Without its last letter, a place sorts directly before itself.
    before: (position) => (isAscending ? position.slice(0, -AFTER_PLACE.length - 1) : position + AFTER_PLACE),
    firstReadLimit: Math.max(limits.firstRows, numberofJokes + 1),
    // At least half of the units are for the jokes.
    rowsLeft: () => Math.min(maxRows - rowsRequested, reads.affordableRows(WORD_ROW_BYTES, limits.readUnits / 2)),
  })
}

/** The lists of the longest words suffice, which are the most selective: candidates are checked for all words. */
const MAX_LISTS = 8

/** The largest row of a list, with words of 4-byte letters; a usual one takes 50 to 60. */
const WORD_ROW_BYTES = 240

/** Letters of a word that entries keep. */
const KEPT_LETTERS = 16

/** Bytes of the words in an entry. If not all fit, a mark lets the entry pass every search. */
const ENTRY_WORDS_BYTES = 120
const MORE_WORDS = '*'

/** Sorts directly after the `#` that follows a place. */
const AFTER_PLACE = '$'

/** A row as it is read. */
const Entry = v.pipe(
  WordRow,
  v.transform(({ entry }) => {
    const [, id, category, words] = entry.split('#')
    return { place: placeIn(entry), id: String(id), category: String(category), words: words?.split(',') }
  }),
  v.object({
    place: v.string(),
    id: JokeId,
    category: v.string(),
    // Undefined: the list's name is a whole word, or the beginning of words that need not be told apart.
    words: v.undefinedable(v.array(v.string())),
  }),
)
type Entry = v.InferOutput<typeof Entry>

function holds({ words }: Entry, searchWord: string): boolean {
  const start = firstLetters(searchWord, KEPT_LETTERS)
  return words === undefined || words.some((word) => word.startsWith(start) || word === MORE_WORDS)
}

/** What an entry says before the words. */
function placeIn(entry: string): string {
  return entry.split('#', 3).join('#')
}

function rowsAt(place: string, words: string[]): WordRow[] {
  const [, , category] = place.split('#')
  const rows = new Map([[categoryList(String(category)), place]])
  for (const [longestBeginning, alike] of Map.groupBy(words, longestBeginningOf)) {
    for (const beginning of beginningsOf(longestBeginning)) rows.set(beginning, place)
    if (isLongestBeginning(longestBeginning)) rows.set(longestBeginning, `${place}#${entryWords(alike)}`)
  }
  return Array.from(rows, ([prefix, entry]) => ({ prefix, entry }))
}

function entryWords(words: string[]): string {
  let kept = ''
  for (const word of new Set(words.map((word) => firstLetters(word, KEPT_LETTERS)))) {
    if (Buffer.byteLength(`${kept},${word}`) > ENTRY_WORDS_BYTES) return `${kept},${MORE_WORDS}`
    kept = kept === '' ? word : `${kept},${word}`
  }
  return kept
}

/** Names of lists that no word begins with. */
function categoryList(category: string): string {
  return `#${category}`
}
function ownListOf(id: string): string {
  return `@${id}`
}

function ownRowOf(joke: Indexed): WordRow {
  return { prefix: ownListOf(joke.id), entry: placeOf(joke) }
}

function keyOf({ prefix, entry }: WordRow): string {
  return `${prefix} ${entry}`
}

async function putRows(store: Store, rows: (WordRow | OwnRow)[], signal: AbortSignal): Promise<void> {
  const puts = rows.map((Item) => ({ PutRequest: { Item } }))
  await writeItems(store, store.wordsTable, puts, signal)
}

async function removeRows(store: Store, rows: WordRow[], signal: AbortSignal): Promise<void> {
  const deletes = rows.map(({ prefix, entry }) => ({ DeleteRequest: { Key: { prefix, entry } } }))
  await writeItems(store, store.wordsTable, deletes, signal)
}
