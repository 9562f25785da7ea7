/** The item of a joke: its states, attributes and sizes. */
import * as v from 'valibot'
import { MAX_TEXT_LENGTH } from '../clientLimits.ts'
import { MAX_WORD_BYTES, StoredJoke, wordsOfJoke } from '../joke.ts'
import { logSkipped } from '../log.ts'
import { longest } from '../words.ts'

/** An unchecked item of a table, or row of an index. */
export type Item = Record<string, unknown>

/**
 * A waiting joke is listed once it is approved. A removed one keeps its text, so that its removal can be undone. An
 * erased one keeps only its id, its state, and the times of its removal and erasure. An alias is no joke: it keeps the id
 * of a corrected text, and names the joke in its attribute `of`.
 */
export const STATES = ['listed', 'waiting', 'removed', 'erased', 'alias'] as const
export type State = (typeof STATES)[number]

/** Returns the state of an item. An item without a known state counts as erased, because it cannot be shown. */
export function stateOf({ state }: Item): State {
  return STATES.find((known) => known === state) ?? 'erased'
}

/** Names the attribute `state`, a reserved word in expressions. */
export const STATE_NAME = { '#state': 'state' }

/** Returns the item of a new joke. Only a listed joke has the attribute `shelf`, its category partition. */
export function toItem(joke: StoredJoke, state: 'listed' | 'waiting', createdBy: string) {
  const shelf = state === 'listed' && { shelf: joke.category }
  return { ...joke, state, ...shelf, ...wordAttributes(joke), createdBy }
}

/** A joke whose fields have the right types, but perhaps invalid values, such as half an upvote. */
export const TypedJoke = v.object({
  id: v.string(),
  joke: v.string(),
  // The local database omits an empty text.
  punchline: v.fallback(v.string(), ''),
  category: v.string(),
  thumbsUp: v.number(),
  thumbsDown: v.number(),
  dateAdded: v.string(),
})
export type TypedJoke = v.InferOutput<typeof TypedJoke>

/** Returns the attribute `words`. A space precedes each word, so it contains ` ca` if a word begins with `ca`. */
export function storedWordsOf(words: string[]): string {
  return words.map((word) => ` ${word}`).join('')
}

/** Returns the attribute that holds the words of a joke: `words`, or `longWords` if they are long. */
export function wordAttributes(joke: Pick<StoredJoke, 'joke' | 'punchline'>) {
  const words = storedWordsOf(wordsOfJoke(joke))
  return Buffer.byteLength(words) <= MAX_SHORT_BYTES ? { words } : { longWords: words }
}

/**
 * Maximum size of `words`, which the index by state holds. Jokes with more are rare. They have `longWords` instead, and
 * pass every filter. Without this limit, rows could be four times as large, so a query could read only a quarter of them.
 */
const MAX_SHORT_BYTES = 800

/** Returns the stored words of an item. */
export function wordsIn({ words, longWords }: Item): string[] {
  const stored = words ?? longWords
  return typeof stored === 'string' ? stored.split(' ').slice(1) : []
}

/** A joke and its stored words. A joke without words, perhaps written by hand, is found by no search. */
export const SearchableJoke = v.pipe(
  v.object({ ...StoredJoke.entries, words: v.optional(v.string()), longWords: v.optional(v.string(), '') }),
  v.transform(({ words, longWords, ...joke }) => ({ joke, words: words ?? longWords })),
)
export type SearchableJoke = v.InferOutput<typeof SearchableJoke>

/** Whether each search word is a prefix of a stored word. */
export function matchesStored(searchWords: string[], storedWords: string): boolean {
  return searchWords.every((word) => storedWords.includes(` ${word}`))
}

/** Maximum number of words in a filter. DynamoDB limits the size of an expression. */
const MAX_FILTERED = 10

/** Returns the expression and values of a filter that omits jokes that cannot match a search. */
export function filterBy(searchWords: string[]) {
  const words = longest(searchWords, MAX_FILTERED)
  const containsAll = words.map((_, number) => `contains(words, :word${number})`).join(' AND ')
  return {
    expression: `attribute_not_exists(words) OR ${containsAll}`,
    values: Object.fromEntries(words.map((word, number) => [`:word${number}`, ` ${word}`])),
  }
}

/**
 * Maximum size of an item: two texts of 3-byte characters, fewer than 1,000 words, each stored with a space, and 500
 * bytes for everything else.
 */
export const JOKE_BYTES = 2 * 3 * MAX_TEXT_LENGTH + MAX_WORD_BYTES + 1_000 + 500

/** Maximum size of a row in the index by state. */
export const STATE_ROW_BYTES = MAX_SHORT_BYTES + 100

/** Returns the joke of an item, if it is listed and valid. */
export function listedJoke(item: Item): StoredJoke | undefined {
  return stateOf(item) === 'listed' ? validItems(StoredJoke, [item])[0] : undefined
}

/** Returns the items that fit a schema. Logs others, perhaps edited by hand, so that no request fails. */
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
