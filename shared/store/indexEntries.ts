/** Index entries: the items of the inverted index. A joke has one in each of its index lists. */
import * as v from 'valibot'
import { JokeId, type StoredJoke } from '../joke.ts'
import { firstLetters, isLongestPrefix, longestPrefixOf, prefixesOf } from '../words.ts'
import { writeItems } from './connection/batches.ts'
import type { Store } from './store.ts'

/**
 * An index entry as stored. `prefix` names the index list. `entry` is the entry key of the joke. After a prefix of the
 * maximum length, words may differ, so the joke's words follow its entry key: `#chicken,chickens`.
 */
const IndexEntry = v.object({ prefix: v.string(), entry: v.string() })
export type IndexEntry = v.InferOutput<typeof IndexEntry>

/** An index entry as read. */
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
    // `undefined` in lists of shorter prefixes, where every word matches.
    words: v.undefinedable(v.array(v.string())),
  }),
)
export type ParsedEntry = v.InferOutput<typeof ParsedEntry>

/**
 * Returns the entry key of a joke: `<time>#<id>#<category>`. Entries with another key are orphans, which readers skip.
 * A crash left them, the loser of two simultaneous requests that add the joke, or a killed correction.
 */
export function entryKeyOf({ id, dateAdded, category }: Pick<StoredJoke, 'id' | 'dateAdded' | 'category'>): string {
  return `${timeOf(new Date(dateAdded))}#${id}#${category}`
}

/** Returns the start of the entry keys of jokes added at a date. It sorts directly before them. */
export function timeOf(date: Date): string {
  return date.getTime().toString(36).padStart(TIME_DIGITS, '0')
}

/** Digits of a time in milliseconds, in base 36. Enough until the year 5188. Padding makes entries sort by time. */
const TIME_DIGITS = 9

/** Returns the index entries of a joke with these words, one for each of its lists. */
export function entriesFor(entryKey: string, words: string[]): IndexEntry[] {
  const [, , category = ''] = entryKey.split('#')
  const entries = new Map([[categoryList(category), entryKey]])
  for (const [longestPrefix, alike] of Map.groupBy(words, longestPrefixOf)) {
    for (const prefix of prefixesOf(longestPrefix)) entries.set(prefix, entryKey)
    if (isLongestPrefix(longestPrefix)) entries.set(longestPrefix, `${entryKey}#${entryWords(alike)}`)
  }
  return Array.from(entries, ([prefix, entry]) => ({ prefix, entry }))
}

/** Returns the prefix of a category's index list. No word begins with it. */
export function categoryList(category: string): string {
  return `#${category}`
}

export function mayContainWord({ words }: ParsedEntry, searchWord: string): boolean {
  const start = firstLetters(searchWord, KEPT_LETTERS)
  return words === undefined || words.some((word) => word.startsWith(start) || word === MORE_WORDS)
}

/** Writes index entries. This is idempotent. */
export async function writeEntries(store: Store, entries: IndexEntry[], signal?: AbortSignal): Promise<void> {
  const puts = entries.map((Item) => ({ PutRequest: { Item } }))
  await writeItems(store, store.wordsTable, puts, signal)
}

/** Deletes index entries. DynamoDB rejects a call that names one twice. */
export async function deleteEntries(store: Store, entries: IndexEntry[]): Promise<void> {
  const deletes = entries.map(({ prefix, entry }) => ({ DeleteRequest: { Key: { prefix, entry } } }))
  await writeItems(store, store.wordsTable, deletes)
}

/** Returns the distinct entries that `others` lacks. */
export function difference<Entry extends IndexEntry>(entries: Entry[], others: IndexEntry[]): Entry[] {
  const keyOf = ({ prefix, entry }: IndexEntry) => `${prefix} ${entry}`
  const byKey = new Map(entries.map((entry) => [keyOf(entry), entry]))
  for (const entry of others) byKey.delete(keyOf(entry))
  return [...byKey.values()]
}

/** Maximum size of an entry, with words of 4-byte letters. A usual one takes 50 to 60 bytes. */
export const ENTRY_BYTES = 240

/** Letters of a word that entries keep. */
const KEPT_LETTERS = 16

/** Maximum size of the words in an entry. If not all fit, {@link MORE_WORDS} makes the entry match every word. */
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
