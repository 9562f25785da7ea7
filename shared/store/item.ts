/** A joke as the table holds it. */
import * as v from 'valibot'
import type { Joke } from '../joke.ts'
import type { Listing } from '../listing.ts'
import { logSkipped } from '../log.ts'
import { matches, wordsOf } from '../words.ts'
import { FILTER_WORDS_BYTES } from './limits.ts'

/** The words of a joke's lead-in and punchline. */
export function wordsOfJoke({ joke, punchline }: Pick<Joke, 'joke' | 'punchline'>): string[] {
  return wordsOf(`${joke}\n${punchline}`)
}

/** Whether a joke is one that a listing asks for. */
export function fits(joke: Joke, { words, category }: Pick<Listing, 'words' | 'category'>): boolean {
  return (category === undefined || joke.category === category) && (!words || matches(words, wordsOfJoke(joke)))
}

/** The item of a new joke. */
export function toItem(joke: Joke, createdBy: string) {
  return { ...joke, shelf: joke.category, words: filterWordsOf(wordsOfJoke(joke)), createdBy }
}

/** Stands for words that did not fit. No word holds it. */
const MORE = ' *'

/**
 * Words as one string by which DynamoDB leaves out what a search does not match, so that it need not be sent. Each has
 * a space before it, so that the string holds ` ca` when one of them begins with `ca`. Where there are too many, a mark
 * says so, and such a joke is checked after it is read.
 */
export function filterWordsOf(words: string[]): string {
  let filterWords = ''
  for (const word of words) {
    if (Buffer.byteLength(filterWords) + Buffer.byteLength(word) >= FILTER_WORDS_BYTES) return filterWords + MORE
    filterWords += ` ${word}`
  }
  return filterWords
}

/** The words in a stored item's `words`; without those that did not fit. */
export function storedWords(filterWords: unknown): string[] {
  return typeof filterWords === 'string' ? filterWords.split(' ').filter((word) => word !== '' && word !== '*') : []
}

/** The longest words leave out most; DynamoDB bounds the size of an expression. */
const MAX_FILTERED = 10

/** The parameters of a query that leave out jokes that a search cannot match. */
export function filterBy(searchWords: string[] = []) {
  if (searchWords.length === 0) return undefined
  const longest = searchWords.toSorted((one, other) => other.length - one.length).slice(0, MAX_FILTERED)
  return {
    FilterExpression: `contains(words, :more) OR (${longest.map((_, index) => `contains(words, :word${index})`).join(' AND ')})`,
    values: { ':more': MORE, ...Object.fromEntries(longest.map((word, index) => [`:word${index}`, ` ${word}`])) },
  }
}

/** Those items that fit a schema. Others, put there by hand, are skipped and logged: they must not fail a request. */
export function properItems<Item>(schema: v.GenericSchema<unknown, Item>, items: unknown[] = []): Item[] {
  return items.flatMap((item) => {
    const result = v.safeParse(schema, item)
    if (result.success) return [result.output]
    logSkipped(
      item,
      result.issues.map((issue) => `${v.getDotPath(issue)}: ${issue.message}`),
    )
    return []
  })
}
