/** What a listing can ask for: the query's schema and the cursor. Knows neither HTTP nor AWS. */
import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { type Fault, InvalidInput } from './errors.ts'
import { CATEGORIES, JokeId } from './joke.ts'
import { validate } from './validate.ts'
import { wordsOf } from './words.ts'

/** The interface leaves `French humour` out of the filter (section 4.2). */
export const FILTER_CATEGORIES = CATEGORIES.filter((category) => category !== 'French humour')

export const SORT_FIELDS = ['thumbsUp', 'thumbsDown', 'dateAdded'] as const
export type SortField = (typeof SORT_FIELDS)[number]

/** An addition to the interface: a random sample. */
const RANDOM = 'random'

export const SORT_ORDERS = ['asc', 'desc'] as const

const DEFAULT_COUNT = 25
export const MAX_IDS = 100
/** Keeps an answer of the longest jokes there can be (12 kB each) below Lambda's 6 MB. */
export const MAX_COUNT = 250

function oneOf<const Options extends readonly string[]>(options: Options) {
  return v.picklist(options, `must be one of ${options.join(', ')}.`)
}

/** The query parameters of a listing, named as in the published "Simple Joke API". */
export const ListingQuery = v.strictObject({
  searchString: v.optional(
    v.pipe(
      v.string(),
      v.description(
        'Words. A joke matches when each of them begins a word of its lead-in or punchline, whatever the case and accents.',
      ),
    ),
    '',
  ),
  numberofJokes: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^0*[1-9]\d*$/, 'must be a whole number of at least 1.'),
      v.description(`How many jokes to return at most; above ${MAX_COUNT} is taken as ${MAX_COUNT}.`),
      v.transform((digits) => Math.min(Number(digits), MAX_COUNT)),
    ),
    String(DEFAULT_COUNT),
  ),
  category: v.optional(v.pipe(oneOf(FILTER_CATEGORIES), v.description('Only jokes of this category.'))),
  sortBy: v.optional(
    v.pipe(
      oneOf([...SORT_FIELDS, RANDOM]),
      v.description(
        `The field to sort by. Addition to the interface: \`${RANDOM}\`, a random sample, without Link; sortOrder and cursor are not accepted beside it.`,
      ),
    ),
    'dateAdded',
  ),
  sortOrder: v.optional(v.pipe(oneOf(SORT_ORDERS), v.description('The direction to sort in.')), 'desc'),
  cursor: v.optional(
    v.pipe(
      v.string(),
      v.description('Addition to the interface: where to go on, as the Link header of a page holds it.'),
    ),
  ),
  id: v.optional(
    v.pipe(
      v.string(),
      v.description(
        `Addition to the interface: just the jokes with these ids, at most ${MAX_IDS}, separated by commas, as far as they exist; searchString, category, numberofJokes and cursor are not accepted beside it.`,
      ),
      v.transform((ids) => [...new Set(ids.split(','))]),
      v.maxLength(MAX_IDS, `must be at most ${MAX_IDS} ids, separated by commas.`),
    ),
  ),
})
export type ListingQuery = v.InferOutput<typeof ListingQuery>

/** A joke's place in an index: its value of the sort field, and its id. */
export type Place = [value: string | number, id: string]

/** Where a walk of the shelves goes on: for each the place after which it does, and whose turn it was last. */
interface WalkPosition {
  after: (Place | null)[]
  /** -1: nobody's turn yet. */
  last: number
}

/** Where a listing goes on: in a walk, or after a place among the jokes that the word index has found. */
export type Position = { walk: WalkPosition } | { found: Place }

/** A listing as asked for, ready to be carried out. */
export interface Listing extends Omit<ListingQuery, 'cursor'> {
  /** The beginnings of words that every joke must hold; none: no search. */
  words: string[]
  /** Where to go on; absent: from the start. */
  from?: Position
}

/**
 * Reads the query parameters of a listing.
 *
 * @param parameters by name, in any letter case; an empty value counts as absent
 * @throws {InvalidInput} for unknown parameters, for values that are not accepted, for a cursor of another listing
 */
export function parseListing(parameters: Record<string, string | undefined>): Listing {
  const given = canonical(parameters)
  const { cursor, ...query } = validate(ListingQuery, given, 'query', clashes(given))
  const listing = { ...query, words: wordsOf(query.searchString) }
  return cursor === undefined ? listing : { ...listing, from: decodeCursor(cursor, listing) }
}

/** The query, starting with `?`, that asks for the page of the same listing that begins at a position. */
export function nextPage(listing: Listing, position: Position): string {
  const { searchString, numberofJokes, category = '', sortBy, sortOrder } = listing
  const query = { searchString, numberofJokes: String(numberofJokes), category, sortBy, sortOrder }
  const given = Object.entries({ ...query, cursor: encodeCursor(position, listing) }).filter(
    ([, value]) => value !== '',
  )
  return `?${new URLSearchParams(given)}`
}

/** Gives parameters the letter case of the schema, and drops those sent empty, as HTML forms send them. */
function canonical(parameters: Record<string, string | undefined>): Record<string, string> {
  const known = new Map(Object.keys(ListingQuery.entries).map((name) => [name.toLowerCase(), name]))
  const canonical = new Map<string, string>()
  for (const [sent, value] of Object.entries(parameters)) {
    if (value === undefined || value === '') continue
    const name = known.get(sent.toLowerCase()) ?? sent
    // API Gateway joins the values of a repeated parameter in this way.
    canonical.set(name, canonical.has(name) ? `${canonical.get(name)},${value}` : value)
  }
  return Object.fromEntries(canonical)
}

/** Parameters that mean nothing beside another one. */
function clashes(given: Record<string, string>): Fault[] {
  const rules = [
    { applies: given.sortBy === RANDOM, beside: 'sortBy=random', fields: ['sortOrder', 'cursor'] },
    { applies: 'id' in given, beside: 'id', fields: ['searchString', 'category', 'numberofJokes', 'cursor'] },
  ]
  return rules
    .filter(({ applies }) => applies)
    .flatMap(({ beside, fields }) =>
      fields.filter((field) => field in given).map((field) => ({ field, detail: `is not accepted beside ${beside}.` })),
    )
}

function encodeCursor(position: Position, listing: Listing): string {
  return Buffer.from(JSON.stringify([fingerprint(listing), position])).toString('base64url')
}

function decodeCursor(cursor: string, listing: Listing): Position {
  const value =
    listing.sortBy === 'dateAdded' ? v.pipe(v.string(), v.isoTimestamp()) : v.pipe(v.number(), v.safeInteger())
  const place = v.tuple([value, JokeId])
  const last = v.pipe(v.number(), v.safeInteger(), v.minValue(-1))
  const schema = v.pipe(
    v.string(),
    v.transform((encoded) => Buffer.from(encoded, 'base64url').toString()),
    v.parseJson(),
    v.tuple([
      v.literal(fingerprint(listing)),
      v.union([
        v.strictObject({ walk: v.strictObject({ after: v.array(v.nullable(place)), last }) }),
        v.strictObject({ found: place }),
      ]),
    ]),
  )
  const decoded = v.safeParse(schema, cursor)
  if (decoded.success) return decoded.output[1]
  throw new InvalidInput([
    { field: 'cursor', detail: 'must come from the Link header of a listing with the same search, category and sort.' },
  ])
}

/** Ties a cursor to what it was made for: the places it holds mean nothing in another listing. */
function fingerprint({ words, category, sortBy, sortOrder }: Listing): string {
  const listing = JSON.stringify([words, category, sortBy, sortOrder])
  return createHash('sha256').update(listing).digest('base64url').slice(0, 8)
}
