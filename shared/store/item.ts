/** A joke as the table holds it. */
import * as v from 'valibot'
import type { Joke } from '../joke.ts'
import type { Listing } from '../listing.ts'
import { logSkipped } from '../log.ts'
import { longest, matches, wordsOf } from '../words.ts'
import { FILTER_WORDS_BYTES } from './limits.ts'

/** An item of a table, or a row of an index, before it is checked. */
export type Item = Record<string, unknown>

/** Whether a joke's item is listed. A removed joke has no shelf. */
export function isListed(item: Item): boolean {
  return 'shelf' in item
}

/** The words of a joke's lead-in and punchline. */
export function wordsOfJoke({ joke, punchline }: Pick<Joke, 'joke' | 'punchline'>): string[] {
  return wordsOf(`${joke}\n${punchline}`)
}

/** Whether a listing asks for a joke. */
export function fits(joke: Joke, { searchWords, category }: Pick<Listing, 'searchWords' | 'category'>): boolean {
  if (category !== undefined && joke.category !== category) return false
  return searchWords === undefined || matches(searchWords, wordsOfJoke(joke))
}

/** The item of a new joke with these words. */
export function toItem(joke: Joke, words: string[], createdBy: string) {
  return { ...joke, shelf: joke.category, words: filterWordsOf(words), createdBy }
}

/** Marks filter words that are incomplete. No word contains it. */
export const MORE = ' *'

/**
 * The attribute `words`, by which DynamoDB filters searches. Each word has a space before it, so the string contains
 * ` ca` if a word begins with `ca`. If not all words fit, a mark lets the joke pass every filter; it is checked after it
 * is read.
 */
export function filterWordsOf(words: string[]): string {
  let filterWords = ''
  for (const word of words) {
    if (Buffer.byteLength(filterWords) + Buffer.byteLength(word) >= FILTER_WORDS_BYTES) return filterWords + MORE
    filterWords += ` ${word}`
  }
  return filterWords
}

/** Splits the attribute `words`. The result also has an empty text, and perhaps a mark: both too short for rows. */
export function storedWords(filterWords: unknown): string[] {
  return typeof filterWords === 'string' ? filterWords.split(' ') : []
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
