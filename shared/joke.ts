/**
 * Jokes: their fields, accepted values and ids. On its way, a joke has these shapes:
 *
 * | shape | is | defined in |
 * |---|---|---|
 * | `JokeInput` | what clients send to add a joke | here |
 * | `Item` | a row of the table | store/item.ts |
 * | `Entry` | a listed joke in memory | store/cache/listedJokes.ts |
 * | `Joke` | what clients get | here |
 */
import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { ID_LENGTH, MAX_TEXT_LENGTH } from './clientLimits.ts'
import { oneOf } from './validate.ts'
import { equalFormOf } from './words.ts'

export const CATEGORIES = ['Word game', 'Classic', 'School', 'KnockKnock', 'French humour'] as const
export type Category = (typeof CATEGORIES)[number]

/** Lone surrogates, and control characters. */
const FORBIDDEN_CHARACTER = /\p{Cs}|(?![\t\n\r])\p{Cc}/u

/** Hangul has letters that are not visible. */
const VISIBLE_CHARACTER = /[[\p{L}\p{N}\p{P}\p{S}]--[\p{Default_Ignorable_Code_Point}\u2800]]/v

/** Letters become up to four characters, `ﷺ` becomes 18. A listing would wait for seconds while thousands of such texts load. */
const MAX_EXPANSION = 4

const LENGTH = `at most ${MAX_TEXT_LENGTH} characters`
const CHARACTERS = 'without control characters other than tab, line feed and carriage return'
const TEXT = `a string of ${LENGTH} (UTF-16 code units), ${CHARACTERS}`

const text = v.pipe(
  v.string('must be a string.'),
  v.maxLength(MAX_TEXT_LENGTH, `must be ${LENGTH} long.`),
  v.check((sent) => !FORBIDDEN_CHARACTER.test(sent), `must be well-formed Unicode ${CHARACTERS}.`),
  v.check(
    (sent) => sent.normalize('NFKD').length <= MAX_EXPANSION * MAX_TEXT_LENGTH,
    'must not have so many characters that stand for several others, such as ﷺ.',
  ),
  v.trim(),
)

const category = v.pipe(oneOf(CATEGORIES), v.description(`One of ${CATEGORIES.join(', ')}.`))

/** The body of `POST /joke`: a joke with a punchline, or a pun without one (interface.md, “Add a joke”). */
export const JokeInput = v.strictObject({
  joke: v.pipe(
    text,
    v.check(
      (sent) => VISIBLE_CHARACTER.test(sent),
      'must not be empty: at least one letter, digit, symbol or punctuation mark.',
    ),
    v.description(`The setup: ${TEXT}. At least one character is visible.`),
  ),
  // Many serializers send null for what is absent.
  punchline: v.nullish(v.pipe(text, v.description(`The punchline: ${TEXT}. A pun has none.`)), ''),
  category,
})
export type JokeInput = v.InferOutput<typeof JokeInput>

export const JokeId = v.pipe(v.string(), v.regex(new RegExp(`^[\\w-]{${ID_LENGTH}}$`)))

const isDate = (text: string) => !Number.isNaN(Date.parse(text))
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))

/** A joke as the service returns it. During a deploy, a newer version may have stored further categories. */
export const Joke = v.object({
  id: v.pipe(JokeId, v.description('Identifier of the joke, assigned by the service.')),
  joke: v.pipe(v.string(), v.description('The setup.')),
  punchline: v.pipe(v.string(), v.description('The punchline. Empty for a pun.')),
  category: v.string(),
  thumbsUp: v.pipe(count, v.description('Count of upvotes.')),
  thumbsDown: v.pipe(count, v.description('Count of downvotes.')),
  dateAdded: v.pipe(v.string(), v.isoTimestamp(), v.check(isDate), v.description('When the joke was added, in UTC.')),
})
export type Joke = v.InferOutput<typeof Joke>

/** Returns the id of a joke. Equal jokes have the same one. */
export function identify(joke: Pick<Joke, 'joke' | 'punchline'>): string {
  return createHash('sha256').update(equalFormOf(joke)).digest('base64url').slice(0, ID_LENGTH)
}
