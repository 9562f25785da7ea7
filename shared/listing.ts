/** The query parameters of `GET /joke`. */
import { randomBytes } from 'node:crypto'
import * as v from 'valibot'
import { MAX_COUNT, MAX_IDS, MAX_SEARCH_LENGTH, MAX_SEED_LENGTH } from './clientLimits.ts'
import type { FieldError } from './errors.ts'
import { CATEGORIES, type Category, type Joke } from './joke.ts'
import { oneOf, oneOfError, validate } from './validate.ts'

/** The values of `category` in the contract (interface.md, “List jokes”). `categories` accepts all categories. */
const FILTER_CATEGORIES = ['Word game', 'Classic', 'School', 'KnockKnock'] as const satisfies Category[]

export const SORT_FIELDS = ['thumbsUp', 'thumbsDown', 'dateAdded'] as const

export const SORT_ORDERS = ['asc', 'desc'] as const

/** These take several values, separated by commas, so they may also be repeated. */
export const REPEATABLE = ['categories', 'id'] as const

/** The query parameters of a listing, named as in the published "Simple Joke API". infra/openapiParameters.ts describes them. */
export const ListingQuery = v.strictObject({
  searchString: v.optional(bounded(MAX_SEARCH_LENGTH)),
  numberofJokes: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^0*[1-9]\d*$/, 'must be a whole number of at least 1.'),
      v.transform((digits) => Math.min(Number(digits), MAX_COUNT)),
    ),
    '25',
  ),
  category: v.optional(
    v.picklist(
      FILTER_CATEGORIES,
      `${oneOfError(FILTER_CATEGORIES)} For others, or for several, send categories, such as categories=French humour.`,
    ),
  ),
  categories: v.optional(
    v.pipe(
      v.string(),
      v.transform(listIn),
      v.check(areCategories, `must be one or more of ${CATEGORIES.join(', ')}, separated by commas.`),
    ),
  ),
  sortBy: v.optional(oneOf([...SORT_FIELDS, 'random']), 'dateAdded'),
  sortOrder: v.optional(oneOf(SORT_ORDERS), 'desc'),
  seed: v.optional(bounded(MAX_SEED_LENGTH)),
  cursor: v.optional(v.string()),
  id: v.optional(
    v.pipe(
      v.string(),
      v.transform(listIn),
      v.maxLength(MAX_IDS, `must be at most ${MAX_IDS} ids, separated by commas.`),
    ),
  ),
})
export type ListingQuery = v.InferOutput<typeof ListingQuery>

export interface Page {
  jokes: Joke[]
  /** Number of jokes that match, over all pages. */
  total: number
  /** The cursor of the next page, unless this is the last one. */
  next?: string
}

/** What a request asks for. */
export interface Listing {
  searchString?: string | undefined
  numberofJokes: number
  categories?: string[] | undefined
  sortBy: ListingQuery['sortBy']
  sortOrder: ListingQuery['sortOrder']
  /** Empty unless the order is random. */
  seed: string
  cursor?: string | undefined
  /** Only these jokes, in their latest state. */
  ids?: string[] | undefined
  /** Whether caches may keep the response for some moments. It must show neither the latest state of jokes nor a new random order. */
  isCacheable: boolean
}

/**
 * Parses the query parameters of a listing.
 *
 * @throws {ProblemError} `invalid` for unknown parameters and invalid values
 */
export function parseListing(parameters: Record<string, string | undefined>): Listing {
  const given = withoutEmpty(parameters)
  const { category, id: ids, ...query } = validate(ListingQuery, given, conflictsIn(given))
  return {
    ...query,
    ids,
    ...(category && { categories: [category] }),
    seed: query.seed ?? (query.sortBy === 'random' ? randomBytes(9).toString('base64url') : ''),
    isCacheable: ids === undefined && (query.sortBy !== 'random' || query.seed !== undefined),
  }
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

function bounded(maxLength: number) {
  return v.pipe(v.string(), v.maxLength(maxLength, `must be at most ${maxLength} characters long.`))
}
