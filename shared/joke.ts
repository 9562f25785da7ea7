/** What a joke is: its fields, what is accepted in them, and which jokes are equal. Knows neither HTTP nor AWS. */
import { createHash } from 'node:crypto'
import * as v from 'valibot'

export const CATEGORIES = ['Word game', 'Classic', 'School', 'KnockKnock', 'French humour'] as const

/** Keeps a joke far below DynamoDB's 400 kB an item, and a listing of 250 below Lambda's 6 MB an answer. */
const MAX_TEXT_LENGTH = 2_000

/** Lone surrogates, and control characters other than tab, line feed and carriage return. */
const FORBIDDEN_CHARACTER = /\p{Cs}|(?![\t\n\r])\p{Cc}/u

const text = v.pipe(
  v.string('must be a string.'),
  v.maxLength(MAX_TEXT_LENGTH, 'must be at most 2,000 characters long.'),
  v.check(
    (sent) => !FORBIDDEN_CHARACTER.test(sent),
    'must be well-formed Unicode without control characters other than tab, line feed and carriage return.',
  ),
  v.trim(),
)

const category = v.pipe(
  v.picklist(CATEGORIES, `must be one of ${CATEGORIES.join(', ')}.`),
  v.description(`One of ${CATEGORIES.join(', ')}.`),
)

/** What a client sends to add a joke: a joke with a punchline, or a pun without (interface, section 2). */
export const NewJoke = v.strictObject({
  joke: v.pipe(
    text,
    v.nonEmpty('must not be empty.'),
    v.description('The lead-in, a string of 1 to 2,000 characters.'),
  ),
  punchline: v.optional(v.pipe(text, v.description('The punchline, a string of at most 2,000 characters.')), ''),
  category,
})
export type NewJoke = v.InferOutput<typeof NewJoke>

/** An id as the service assigns it; see {@link identify}. */
export const JokeId = v.pipe(v.string(), v.regex(/^[\w-]{22}$/))

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))

/** A joke as the service keeps and returns it (interface, section 2). */
export const Joke = v.object({
  id: v.pipe(JokeId, v.description('Identifier of the joke, assigned by the service.')),
  joke: v.pipe(v.string(), v.description('The lead-in.')),
  punchline: v.pipe(v.string(), v.description('The punchline; empty for a pun.')),
  category,
  thumbsUp: v.pipe(count, v.description('Count of upvotes.')),
  thumbsDown: v.pipe(count, v.description('Count of downvotes.')),
  dateAdded: v.pipe(v.string(), v.isoTimestamp(), v.description('When the joke was added, in UTC.')),
})
export type Joke = v.InferOutput<typeof Joke>

/**
 * The id of a joke, the same for every joke equal to it: same lead-in and punchline after Unicode NFKC, lower-casing
 * and folding each run of white space into one space.
 */
export function identify({ joke, punchline }: Pick<Joke, 'joke' | 'punchline'>): string {
  const [leadIn, ending] = [joke, punchline].map((sent) => sent.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' '))
  // Folded text holds no line feed, so that one can stand between the two.
  return createHash('sha256').update(`${leadIn}\n${ending}`).digest('base64url').slice(0, ID_LENGTH)
}

/** 132 bits: among a billion jokes two different ones share an id with a chance of 1 in 10^22. */
const ID_LENGTH = 22
