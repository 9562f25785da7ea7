/** A joke as the table holds it. */
import * as v from 'valibot'
import { MAX_TEXT_LENGTH } from '../inputLimits.ts'
import { StoredJoke } from '../joke.ts'
import { logSkipped } from '../log.ts'
import { longest, wordsOf } from '../words.ts'

/** An item of a table, or a row of an index, before it is checked. */
export type Item = Record<string, unknown>

/**
 * A joke that waits for approval is listed once it is approved. A removed one keeps its text, so that its removal can be
 * undone. Of an erased one, only the id is left.
 */
export type State = 'listed' | 'waiting' | 'removed' | 'erased'

export function stateOf(item: Item): State {
  if (isListed(item)) return 'listed'
  if ('waiting' in item) return 'waiting'
  return 'removedFrom' in item ? 'removed' : 'erased'
}

export function isListed(item: Item): boolean {
  return 'shelf' in item
}

/** A joke whose fields have their types, but perhaps values that the service would not write, such as half an upvote. */
export const WholeJoke = v.object({
  id: v.string(),
  joke: v.string(),
  // Not in the condition: the local database takes an empty text for none.
  punchline: v.fallback(v.string(), ''),
  category: v.string(),
  thumbsUp: v.number(),
  thumbsDown: v.number(),
  dateAdded: v.string(),
})
export type WholeJoke = v.InferOutput<typeof WholeJoke>

/** The condition that an item's fields have these types, and its values. */
export const IF_WHOLE = Object.entries(WholeJoke.entries)
  .filter(([field]) => field !== 'punchline')
  .map(([field, { type }]) => `attribute_type(${field}, :${type})`)
  .join(' AND ')
export const WHOLE_VALUES = { ':string': 'S', ':number': 'N' }

type Texts = Pick<StoredJoke, 'joke' | 'punchline'>

/** The text by which a joke can be found: its lead-in and punchline. */
export function textOf({ joke, punchline }: Texts): string {
  return `${joke}\n${punchline}`
}

/** The words of that text. */
export function wordsOfJoke(texts: Texts): string[] {
  return wordsOf(textOf(texts))
}

/** The item of a new joke with these words. */
export function toItem(joke: StoredJoke, words: string[], createdBy: string, isWaiting = false) {
  const state = isWaiting ? { waiting: WAITING } : { shelf: joke.category }
  return { ...joke, ...state, words: storedWordsOf(words), createdBy }
}

/** Puts all jokes that wait for approval into one partition of their index. */
export const WAITING = 'yes'

/** Bytes of an item's stored words: about 150 words, more than all but the longest jokes have. */
const STORED_WORDS_BYTES = 1_000

/** Marks stored words that are incomplete. No word contains it. */
const MORE = ' …'

/**
 * The attribute `words`, by which searches are compared. Each word has a space before it, so the string contains ` ca` if
 * a word begins with `ca`. If not all words fit, a mark says so.
 */
export function storedWordsOf(words: string[]): string {
  let storedWords = ''
  for (const word of words) {
    if (Buffer.byteLength(storedWords) + Buffer.byteLength(word) >= STORED_WORDS_BYTES) return storedWords + MORE
    storedWords += ` ${word}`
  }
  return storedWords
}

/** The words in the attribute `words`, as far as it has them. */
export function wordsIn(storedWords: unknown): string[] {
  if (typeof storedWords !== 'string') return []
  return storedWords.split(' ').filter((word) => word !== '' && word !== MORE.trim())
}

/** Whether the attribute `words` has all words of its joke. */
export function isComplete(storedWords: unknown): boolean {
  return typeof storedWords === 'string' && !storedWords.endsWith(MORE)
}

/** A joke, and its stored words. If it has none, perhaps because it was written by hand, they count as incomplete. */
export const SearchableJoke = v.pipe(
  v.object({ ...StoredJoke.entries, words: v.optional(v.string(), MORE) }),
  v.transform(({ words, ...joke }) => ({ joke, words })),
)
export type SearchableJoke = v.InferOutput<typeof SearchableJoke>

/** Whether stored words contain one that begins with each search word; undefined: they are incomplete. */
export function matchesStored(searchWords: string[], storedWords: string): boolean | undefined {
  if (searchWords.every((word) => storedWords.includes(` ${word}`))) return true
  return storedWords.endsWith(MORE) ? undefined : false
}

/** DynamoDB limits the size of an expression. */
const MAX_FILTERED = 10

/** The filter of a query that leaves out jokes that cannot match a search, and its values. */
export function filterBy(searchWords: string[]) {
  const conditions: string[] = []
  const values: Record<string, string> = { ':more': MORE }
  for (const [number, word] of longest(searchWords, MAX_FILTERED).entries()) {
    conditions.push(`contains(words, :word${number})`)
    values[`:word${number}`] = ` ${word}`
  }
  return { expression: `contains(words, :more) OR (${conditions.join(' AND ')})`, values }
}

/** The largest item of a joke: two texts of characters of 3 bytes, its stored words, and everything else. */
export const JOKE_BYTES = 2 * 3 * MAX_TEXT_LENGTH + STORED_WORDS_BYTES + 500

/** The largest row of an index that holds ids and stored words only. */
export const ID_ROW_BYTES = STORED_WORDS_BYTES + 200

/** The items that fit a schema. Others, perhaps edited by hand, are skipped and logged, so that no request fails. */
export function properItems<Output>(schema: v.GenericSchema<unknown, Output>, items: Item[] = []): Output[] {
  const proper: Output[] = []
  for (const item of items) {
    const result = v.safeParse(schema, item)
    if (result.success) {
      proper.push(result.output)
    } else {
      const faults = result.issues.map((issue) => `${v.getDotPath(issue)}: ${issue.message}`)
      logSkipped(String(item.id ?? `${item.prefix} ${item.entry}`), faults)
    }
  }
  return proper
}
