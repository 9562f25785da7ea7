/** The rows of the word lists: how a joke is written to them, and deleted from them. */
import * as v from 'valibot'
import { JokeId, type StoredJoke } from '../joke.ts'
import { firstLetters, isLongestPrefix, longestPrefixOf, prefixesOf } from '../words.ts'
import { writeItems } from './connection/batches.ts'
import type { Store } from './store.ts'

/**
 * A row as it is stored. The prefix names the list. The entry is the entry key of the joke; in lists of the longest prefixes, the
 * joke's words that begin so follow, `#chicken,chickens`: words may differ after it.
 */
const IndexEntry = v.object({ prefix: v.string(), entry: v.string() })
export type IndexEntry = v.InferOutput<typeof IndexEntry>

/** A row as it is read. */
export const ParsedEntry = v.pipe(
  IndexEntry,
  v.transform(({ prefix, entry }) => {
    const [time = '', id = '', category = '', words] = entry.split('#')
    return { prefix, entry, entryKey: [time, id, category].join('#'), id, category, words: words?.split(',') }
  }),
  v.object({
    ...IndexEntry.entries,
    entryKey: v.string(),
    id: JokeId,
    category: v.string(),
    // Undefined: the list's name is a whole word, or the beginning of words that need not be told apart.
    words: v.undefinedable(v.array(v.string())),
  }),
)
export type ParsedEntry = v.InferOutput<typeof ParsedEntry>

/**
 * Where a joke stands in all its lists: `<time>#<id>#<category>`. Rows elsewhere are orphans, left by a crash, or by the
 * loser of two simultaneous requests that add the joke: readers skip them.
 */
export function entryKeyOf({ id, dateAdded, category }: Pick<StoredJoke, 'id' | 'dateAdded' | 'category'>): string {
  return `${timeOf(new Date(dateAdded))}#${id}#${category}`
}

/** What the entry keys of jokes added at a date begin with. It sorts directly before them. */
export function timeOf(date: Date): string {
  return date.getTime().toString(36).padStart(TIME_DIGITS, '0')
}

/** Digits of a time in milliseconds, in base 36: enough until the year 5188. Padded, entries are in the order of time. */
const TIME_DIGITS = 9

/** The rows of a joke with these words: one in each of its lists. */
export function entriesAt(entryKey: string, words: string[]): IndexEntry[] {
  const [, , category = ''] = entryKey.split('#')
  const entries = new Map([[categoryList(category), entryKey]])
  for (const [longestPrefix, alike] of Map.groupBy(words, longestPrefixOf)) {
    for (const prefix of prefixesOf(longestPrefix)) entries.set(prefix, entryKey)
    if (isLongestPrefix(longestPrefix)) entries.set(longestPrefix, `${entryKey}#${entryWords(alike)}`)
  }
  return Array.from(entries, ([prefix, entry]) => ({ prefix, entry }))
}

/** The list of the jokes of a category. No word begins with its name. */
export function categoryList(category: string): string {
  return `#${category}`
}

/** Whether a joke has a word that begins with a search word, as far as a row says. */
export function mayContainWord({ words }: ParsedEntry, searchWord: string): boolean {
  const start = firstLetters(searchWord, KEPT_LETTERS)
  return words === undefined || words.some((word) => word.startsWith(start) || word === MORE_WORDS)
}

/** Writes rows. Writing them again changes nothing. */
export async function writeEntries(store: Store, entries: IndexEntry[], signal?: AbortSignal): Promise<void> {
  const puts = entries.map((Item) => ({ PutRequest: { Item } }))
  await writeItems(store, store.wordsTable, puts, signal)
}

/** Deletes rows, each of which is named once. */
export async function deleteEntries(store: Store, entries: IndexEntry[]): Promise<void> {
  const deletes = entries.map(({ prefix, entry }) => ({ DeleteRequest: { Key: { prefix, entry } } }))
  await writeItems(store, store.wordsTable, deletes)
}

/** The rows that are not among others, each once. */
export function difference<Entry extends IndexEntry>(entries: Entry[], others: IndexEntry[]): Entry[] {
  const keyOf = ({ prefix, entry }: IndexEntry) => `${prefix} ${entry}`
  const byKey = new Map(entries.map((entry) => [keyOf(entry), entry]))
  for (const entry of others) byKey.delete(keyOf(entry))
  return [...byKey.values()]
}

/** The largest row, with words of 4-byte letters; a usual one takes 50 to 60 bytes. */
export const ENTRY_BYTES = 240

/** Letters of a word that entries keep. */
const KEPT_LETTERS = 16

/** Bytes of the words in an entry. If not all fit, a mark lets the entry pass every search. */
const ENTRY_WORDS_BYTES = 120
const MORE_WORDS = '*'

function entryWords(words: string[]): string {
  let kept = ''
  for (const word of new Set(words.map((word) => firstLetters(word, KEPT_LETTERS)))) {
    if (Buffer.byteLength(`${kept},${word}`) > ENTRY_WORDS_BYTES) return `${kept},${MORE_WORDS}`
    kept = kept === '' ? word : `${kept},${word}`
  }
  return kept
}
