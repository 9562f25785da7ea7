/** A joke as the table holds it. */
import * as v from 'valibot'
import { MAX_TEXT_LENGTH } from '../clientLimits.ts'
import { MAX_WORD_BYTES, StoredJoke, wordsOfJoke } from '../joke.ts'
import { logSkipped } from '../log.ts'
import { longest } from '../words.ts'

/** An item of a table, or a row of an index, before it is checked. */
export type Item = Record<string, unknown>

/**
 * A joke that waits for approval is listed once it is approved. A removed one keeps its text, so that its removal can be
 * undone. Of an erased one, only the id, the state and the times of both are left.
 */
export const STATES = ['listed', 'waiting', 'removed', 'erased'] as const
export type State = (typeof STATES)[number]

/** The state of an item. One without counts as erased: nothing of either can be shown. */
export function stateOf({ state }: Item): State {
  return STATES.find((known) => known === state) ?? 'erased'
}

/** `state` is a reserved word in expressions. */
export const STATE_NAME = { '#state': 'state' }

/** The item of a new joke. Only a listed one has the attribute `shelf`, and stands in the indexes that have it. */
export function toItem(joke: StoredJoke, state: 'listed' | 'waiting', createdBy: string) {
  const shelf = state === 'listed' && { shelf: joke.category }
  return { ...joke, state, ...shelf, ...wordAttributes(joke), createdBy }
}

/** A joke whose fields have their types, but perhaps values that the service would not write, such as half an upvote. */
export const TypedJoke = v.object({
  id: v.string(),
  joke: v.string(),
  // The local database takes an empty text for none.
  punchline: v.fallback(v.string(), ''),
  category: v.string(),
  thumbsUp: v.number(),
  thumbsDown: v.number(),
  dateAdded: v.string(),
})
export type TypedJoke = v.InferOutput<typeof TypedJoke>

/** The attribute `words`. Each word has a space before it, so the text contains ` ca` if a word begins with `ca`. */
export function storedWordsOf(words: string[]): string {
  return words.map((word) => ` ${word}`).join('')
}

/** The attributes that hold the words of a joke. */
export function wordAttributes(joke: StoredJoke) {
  const words = storedWordsOf(wordsOfJoke(joke))
  return { words, ...(Buffer.byteLength(words) <= MAX_SHORT_BYTES && { shortWords: words }) }
}

/**
 * The bytes of words that the index by state holds. Jokes with more are rare. They have no `shortWords`, and pass its
 * filter. Without this limit, the largest row would have four times the size, and queries could ask for a quarter of the rows.
 */
const MAX_SHORT_BYTES = 800

/** The words in the attribute `words`. */
export function wordsIn(storedWords: unknown): string[] {
  return typeof storedWords === 'string' ? storedWords.split(' ').slice(1) : []
}

/** A joke, and its stored words. If it has none, perhaps because it was written by hand, no search finds it. */
export const SearchableJoke = v.pipe(
  v.object({ ...StoredJoke.entries, words: v.optional(v.string(), '') }),
  v.transform(({ words, ...joke }) => ({ joke, words })),
)
export type SearchableJoke = v.InferOutput<typeof SearchableJoke>

/** Whether stored words contain one that begins with each search word. */
export function matchesStored(searchWords: string[], storedWords: string): boolean {
  return searchWords.every((word) => storedWords.includes(` ${word}`))
}

/** DynamoDB limits the size of an expression. */
const MAX_FILTERED = 10

/** The filter of a query that leaves out jokes that cannot match a search, and its values. */
export function filterBy(attribute: 'words' | 'shortWords', searchWords: string[]) {
  const words = longest(searchWords, MAX_FILTERED)
  const containsAll = words.map((_, number) => `contains(${attribute}, :word${number})`).join(' AND ')
  return {
    expression: `attribute_not_exists(${attribute}) OR ${containsAll}`,
    values: Object.fromEntries(words.map((word, number) => [`:word${number}`, ` ${word}`])),
  }
}

/** The largest row of an index that does not hold the words: two texts of characters of 3 bytes, and everything else. */
export const FIELD_BYTES = 2 * 3 * MAX_TEXT_LENGTH + 500

/** The largest item of a joke. It has fewer than 1,000 words, each stored with a space. */
export const JOKE_BYTES = FIELD_BYTES + MAX_WORD_BYTES + 1_000

/** The largest row of the index by state. */
export const STATE_ROW_BYTES = MAX_SHORT_BYTES + 100

/** The joke of an item, if it is listed and proper. */
export function listedJoke(item: Item): StoredJoke | undefined {
  return stateOf(item) === 'listed' ? validItems(StoredJoke, [item])[0] : undefined
}

/** The items that fit a schema. Others, perhaps edited by hand, are skipped and logged, so that no request fails. */
export function validItems<Output>(schema: v.GenericSchema<unknown, Output>, items: Item[] = []): Output[] {
  const valid: Output[] = []
  for (const item of items) {
    const result = v.safeParse(schema, item)
    if (result.success) {
      valid.push(result.output)
    } else {
      const faults = result.issues.map((issue) => `${v.getDotPath(issue)}: ${issue.message}`)
      logSkipped(String(item.id ?? `${item.prefix} ${item.entry}`), faults)
    }
  }
  return valid
}
