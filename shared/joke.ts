/** What a joke is: its fields, what is accepted in them, and which jokes are equal. Knows neither HTTP nor AWS. */
import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { MAX_TEXT_LENGTH } from './clientLimits.ts'
import { equalFormOf, hasVisibleCharacter } from './equality.ts'
import { oneOfError } from './validate.ts'
import { prefixesOf, wordsOf } from './words.ts'

export const CATEGORIES = ['Word game', 'Classic', 'School', 'KnockKnock', 'French humour'] as const
export type Category = (typeof CATEGORIES)[number]

/** Lone surrogates, and control characters other than tab, line feed and carriage return. */
const FORBIDDEN_CHARACTER = /\p{Cs}|(?![\t\n\r])\p{Cc}/u

/** `toLocaleString` would set up number formats, a fifth of the time that a function takes to load. */
const LENGTH = `at most ${String(MAX_TEXT_LENGTH).replace(/\d{3}$/, ',$&')} characters`
const CHARACTERS = 'without control characters other than tab, line feed and carriage return'
const TEXT = `a string of ${LENGTH} (UTF-16 code units, also after NFKC), ${CHARACTERS}`

const text = v.pipe(
  v.string('must be a string.'),
  v.maxLength(MAX_TEXT_LENGTH, `must be ${LENGTH} long.`),
  v.check((sent) => !FORBIDDEN_CHARACTER.test(sent), `must be well-formed Unicode ${CHARACTERS}.`),
  // NFKC makes eighteen characters of some, which would cost as much time to search.
  v.check(
    (sent) => sent.length > MAX_TEXT_LENGTH || sent.normalize('NFKC').length <= MAX_TEXT_LENGTH,
    `must be ${LENGTH} long also after Unicode NFKC, which replaces some characters by several.`,
  ),
  v.trim(),
)

const category = v.pipe(
  v.picklist(CATEGORIES, oneOfError(CATEGORIES)),
  v.description(`One of ${CATEGORIES.join(', ')}.`),
)

/** What a client sends to add a joke: a joke with a punchline, or a pun without (interface.md, “POST /joke”). */
export const JokeInput = v.strictObject({
  joke: v.pipe(
    text,
    v.check(hasVisibleCharacter, 'must not be empty: at least one letter, digit, symbol or punctuation mark.'),
    v.description(`The lead-in: ${TEXT}; at least one character is visible.`),
  ),
  punchline: v.optional(v.pipe(text, v.description(`The punchline: ${TEXT}. Absent: a pun.`)), ''),
  category,
})
export type JokeInput = v.InferOutput<typeof JokeInput>

/** 132 bits: among a billion jokes, the chance that two different ones share an id is 1 in 10^22. */
const ID_LENGTH = 22

/** The id of a joke; see {@link identify}. */
export const JokeId = v.pipe(v.string(), v.regex(new RegExp(`^[\\w-]{${ID_LENGTH}}$`)))

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))

/** A joke as the service returns it (interface.md, “A joke”). */
export const Joke = v.object({
  id: v.pipe(JokeId, v.description('Identifier of the joke, assigned by the service.')),
  joke: v.pipe(v.string(), v.description('The lead-in.')),
  punchline: v.pipe(v.string(), v.description('The punchline; empty for a pun.')),
  category,
  thumbsUp: v.pipe(count, v.description('Count of upvotes.')),
  thumbsDown: v.pipe(count, v.description('Count of downvotes.')),
  dateAdded: v.pipe(
    v.string(),
    v.isoTimestamp(),
    v.check(isTimestamp),
    v.description('When the joke was added, in UTC.'),
  ),
})
export type Joke = v.InferOutput<typeof Joke>

/**
 * A joke as the database may hold it. A newer version may know more categories, and runs beside this one during a deploy.
 */
export const StoredJoke = v.object({ ...Joke.entries, category: v.string() })
export type StoredJoke = v.InferOutput<typeof StoredJoke>

type Texts = Pick<StoredJoke, 'joke' | 'punchline'>

/** The id of a joke. Equal jokes have the same id: those of which {@link equalFormOf} is the same. */
export function identify(joke: Texts): string {
  return createHash('sha256').update(equalFormOf(joke)).digest('base64url').slice(0, ID_LENGTH)
}

/** Each beginning of a joke's words costs a row in the database. English texts of 2,000 characters have about 600. */
const MAX_PREFIXES = 670

/** Texts of 2,000 characters have 1,100 bytes of words in English, and 2,400 in Russian. */
export const MAX_WORD_BYTES = 3_000

/**
 * The distinct words by which a joke can be found: its first words that have {@link MAX_PREFIXES} prefixes and
 * {@link MAX_WORD_BYTES} bytes together. Those of equal jokes can differ, as `e-mail` has one more than `e mail`.
 */
export function wordsOfJoke({ joke, punchline }: Texts): string[] {
  const words = new Set<string>()
  const prefixes = new Set<string>()
  let bytes = 0
  for (const word of wordsOf(`${joke}\n${punchline}`)) {
    if (words.has(word)) continue
    for (const prefix of prefixesOf(word)) prefixes.add(prefix)
    bytes += Buffer.byteLength(word)
    if (prefixes.size > MAX_PREFIXES || bytes > MAX_WORD_BYTES) break
    words.add(word)
  }
  return [...words]
}

/** Whether an ISO timestamp, which has a year of four digits, is as `Date.toISOString` writes it. Such texts sort by time. */
function isTimestamp(text: string): boolean {
  const date = new Date(text)
  return !Number.isNaN(date.getTime()) && date.toISOString() === text
}
