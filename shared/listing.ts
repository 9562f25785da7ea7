/** The query parameters of `GET /joke`. */
import { randomBytes } from 'node:crypto'
import * as v from 'valibot'
import { MAX_COUNT, MAX_IDS, MAX_SEARCH_LENGTH, MAX_SEED_LENGTH } from './clientLimits.ts'
import type { FieldError } from './errors.ts'
import { CATEGORIES, type Category, type StoredJoke } from './joke.ts'
import { oneOf, oneOfError, validate } from './validate.ts'
import { needlesOf } from './words.ts'

/** The values of `category` in the contract (interface.md, “GET /joke”). `categories` accepts all categories. */
const FILTER_CATEGORIES = ['Word game', 'Classic', 'School', 'KnockKnock'] as const satisfies Category[]

export const SORT_FIELDS = ['thumbsUp', 'thumbsDown', 'dateAdded'] as const

export const SORT_ORDERS = ['asc', 'desc'] as const

/** The parameters that take several values, separated by commas, so that they may also be repeated. */
export const REPEATABLE = ['categories', 'id'] as const

/** The query parameters of a listing, named as in the published "Simple Joke API". */
export const ListingQuery = v.strictObject({
  searchString: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(MAX_SEARCH_LENGTH, `must be at most ${MAX_SEARCH_LENGTH} characters long.`),
      v.description(
        `Words or emoji, at most ${MAX_SEARCH_LENGTH} characters. A joke matches when each of them begins a word of its setup or punchline. Case and accents do not count, and symbols only if there is nothing else.`,
      ),
    ),
  ),
  numberofJokes: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^0*[1-9]\d*$/, 'must be a whole number of at least 1.'),
      v.description(`Maximum number of jokes to return. Above ${MAX_COUNT}, it counts as ${MAX_COUNT}.`),
      v.transform((digits) => Math.min(Number(digits), MAX_COUNT)),
    ),
    '25',
  ),
  category: v.optional(
    v.pipe(
      v.picklist(FILTER_CATEGORIES, `${oneOfError(FILTER_CATEGORIES)} For others, or for several, send categories.`),
      v.description('Only jokes of this category. The contract leaves out French humour: use categories for it.'),
    ),
  ),
  categories: v.optional(
    v.pipe(
      v.string(),
      v.description(
        'Addition to the contract: only jokes of these categories, separated by commas. Cannot be combined with category or id.',
      ),
      v.transform(listIn),
      v.check(areCategories, `must be one or more of ${CATEGORIES.join(', ')}, separated by commas.`),
    ),
  ),
  sortBy: v.optional(
    v.pipe(
      oneOf([...SORT_FIELDS, 'random']),
      v.description(
        `The field to sort by. Addition to the contract: \`random\`, a random order, which cannot be combined with sortOrder. Its Link leads to each joke once, and holds the seed.`,
      ),
    ),
    'dateAdded',
  ),
  sortOrder: v.optional(v.pipe(oneOf(SORT_ORDERS), v.description('The direction to sort in.')), 'desc'),
  seed: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(MAX_SEED_LENGTH, `must be at most ${MAX_SEED_LENGTH} characters long.`),
      v.description(
        `Addition to the contract: any text of at most ${MAX_SEED_LENGTH} characters, only with sortBy=random. The same seed gives the same order, for any page size. A new joke takes a place among the others, whose order stays.`,
      ),
    ),
  ),
  cursor: v.optional(
    v.pipe(v.string(), v.description('Addition to the contract: where to continue, from the Link header of a page.')),
  ),
  id: v.optional(
    v.pipe(
      v.string(),
      v.description(
        `Addition to the contract: the existing jokes with these ids, in their latest state. At most ${MAX_IDS} ids, separated by commas. Cannot be combined with searchString, category, categories, numberofJokes or cursor.`,
      ),
      v.transform(listIn),
      v.maxLength(MAX_IDS, `must be at most ${MAX_IDS} ids, separated by commas.`),
    ),
  ),
})
export type ListingQuery = v.InferOutput<typeof ListingQuery>

export interface Page {
  jokes: StoredJoke[]
  /** Number of jokes that match, over all pages. */
  total: number
  /** The cursor of the next page. Absent on the last one. */
  next?: string
}

/** The query parameters of a listing, parsed. */
export interface Listing extends Omit<ListingQuery, 'category'> {
  /** The seed of a random order. Empty in other orders. */
  seed: string
  /** Whether caches may keep the response for some moments. It must show neither the latest state of jokes nor a new random order. */
  isCacheable: boolean
  /** The texts that a joke must contain. Absent without a search. If there are none, no joke matches. */
  needles?: string[]
}

/**
 * Parses the query parameters of a listing.
 *
 * @throws {ProblemError} `invalid` for unknown parameters and invalid values
 */
export function parseListing(parameters: Record<string, string | undefined>): Listing {
  const given = withoutEmpty(parameters)
  const { category, ...query } = validate(ListingQuery, given, conflictsIn(given))
  const { searchString, sortBy } = query
  return {
    ...query,
    ...(category && { categories: [category] }),
    ...(searchString !== undefined && { needles: needlesOf(searchString) }),
    isCacheable: query.id === undefined && (sortBy !== 'random' || query.seed !== undefined),
    seed: query.seed ?? (sortBy === 'random' ? randomBytes(9).toString('base64url') : ''),
  }
}

/** Returns the query parameters for the page of a listing that begins at a cursor. */
export function nextPageQuery(cursor: string, listing: Listing): URLSearchParams {
  const { searchString, numberofJokes, categories, sortBy, sortOrder, seed } = listing
  return new URLSearchParams({
    ...(searchString !== undefined && { searchString }),
    numberofJokes: String(numberofJokes),
    ...(categories && { categories: categories.join() }),
    ...(sortBy === 'random' ? { sortBy, seed } : { sortBy, sortOrder }),
    cursor,
  })
}

/** Trims the values, and drops empty ones, which HTML forms send. */
function withoutEmpty(parameters: Record<string, string | undefined>): Record<string, string> {
  const trimmed = Object.entries(parameters).map(([name, value = '']) => [name, value.trim()])
  return Object.fromEntries(trimmed.filter(([, value]) => value))
}

/** Returns an error for each parameter that cannot be combined with another one. */
function conflictsIn(given: Record<string, string>): FieldError[] {
  const refuse = (detail: string, ...fields: string[]) =>
    fields.filter((field) => field in given).map((field): FieldError => ({ field, code: 'invalid', detail }))
  return [
    ...(given.sortBy === 'random'
      ? refuse('cannot be combined with sortBy=random.', 'sortOrder')
      : refuse('is only accepted with sortBy=random.', 'seed')),
    ...(given.categories ? refuse('cannot be combined with categories.', 'category') : []),
    ...(given.id
      ? refuse('cannot be combined with id.', 'searchString', 'category', 'categories', 'numberofJokes', 'cursor')
      : []),
  ]
}

/** Splits a list of values. An empty one is absent, as in other parameters. */
function listIn(sent: string): string[] {
  const values = sent.split(',').map((value) => value.trim())
  return values.filter(Boolean)
}

function areCategories(values: string[]): boolean {
  return values.length > 0 && values.every((value) => CATEGORIES.some((category) => category === value))
}
