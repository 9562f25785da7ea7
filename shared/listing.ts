/** What a client can ask `GET /joke` for. */
import { randomBytes } from 'node:crypto'
import * as v from 'valibot'
import { MAX_COUNT, MAX_IDS, MAX_SEARCH_LENGTH, MAX_SEED_LENGTH } from './clientLimits.ts'
import type { FieldError } from './errors.ts'
import { CATEGORIES, type Category } from './joke.ts'
import { oneOfError, validate } from './validate.ts'
import { searchWordsOf } from './words.ts'

/** What the contract's filter takes (interface.md, “GET /joke”). Other categories have `categories`. */
export const FILTER_CATEGORIES = ['Word game', 'Classic', 'School', 'KnockKnock'] as const satisfies Category[]

export const SORT_FIELDS = ['thumbsUp', 'thumbsDown', 'dateAdded'] as const

/** An addition to the contract: a random order. */
const RANDOM = 'random'

export const SORT_ORDERS = ['asc', 'desc'] as const

/** The query parameters of a listing, named as in the published "Simple Joke API". */
export const ListingQuery = v.strictObject({
  searchString: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(MAX_SEARCH_LENGTH, `must be at most ${MAX_SEARCH_LENGTH} characters long.`),
      v.description(
        `Words or emoji, at most ${MAX_SEARCH_LENGTH} characters. A joke matches when each of them begins a word of its lead-in or punchline, whatever the case and accents.`,
      ),
    ),
  ),
  numberofJokes: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^0*[1-9]\d*$/, singleValueError('must be a whole number of at least 1.')),
      v.description(`How many jokes to return at most; above ${MAX_COUNT} is taken as ${MAX_COUNT}.`),
      v.transform((digits) => Math.min(Number(digits), MAX_COUNT)),
    ),
    '25',
  ),
  category: v.optional(
    v.pipe(
      v.picklist(FILTER_CATEGORIES, categoryError),
      v.description('Only jokes of this category. The interface leaves out French humour: categories has it.'),
    ),
  ),
  categories: v.optional(
    v.pipe(
      v.string(),
      v.description(
        'Addition to the interface: only jokes of these categories, separated by commas; category and id are not accepted beside it.',
      ),
      v.transform(valuesIn),
      v.check(areCategories, `must be one or more of ${CATEGORIES.join(', ')}, separated by commas.`),
      v.transform((sent) => CATEGORIES.filter((category) => sent.includes(category))),
    ),
  ),
  sortBy: v.optional(
    v.pipe(
      oneOf([...SORT_FIELDS, RANDOM]),
      v.description(
        `The field to sort by. Addition to the interface: \`${RANDOM}\`, a random order, in which Link leads to each joke once and holds the seed; sortOrder is not accepted beside it.`,
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
        `Addition to the interface: any text of at most ${MAX_SEED_LENGTH} characters, only beside sortBy=${RANDOM}. The same seed gives the same order, whatever the page size.`,
      ),
    ),
  ),
  cursor: v.optional(
    v.pipe(
      v.string(),
      v.description('Addition to the interface: where to continue, taken from the Link header of a page.'),
    ),
  ),
  id: v.optional(
    v.pipe(
      v.string(),
      v.description(
        `Addition to the interface: just the jokes with these ids, at most ${MAX_IDS}, separated by commas, as far as they exist, in their latest state; searchString, category, categories, numberofJokes and cursor are not accepted beside it.`,
      ),
      v.transform(valuesIn),
      v.maxLength(MAX_IDS, `must be at most ${MAX_IDS} ids, separated by commas.`),
    ),
  ),
})
export type ListingQuery = v.InferOutput<typeof ListingQuery>

/** The query parameters of a listing, parsed. */
export interface Listing extends Omit<ListingQuery, 'category' | 'categories'> {
  /** Those that are asked for; absent: all. */
  categories?: Category[]
  /** Of a random order; empty in others. */
  seed: string
  /** Whether the same request gives the same jokes, unless jokes change: not a random order without a seed. */
  isRepeatable: boolean
  /** Every joke listed has a word that begins with each of these; absent: no search. If empty, no joke matches. */
  searchWords?: string[]
}

/**
 * Reads the query parameters of a listing.
 *
 * @param parameters by name, in any letter case; an empty value counts as absent
 * @throws {InvalidInput} for unknown parameters, and values that are not accepted
 */
export function parseListing(parameters: Record<string, string | undefined>): Listing {
  const given = normalize(parameters)
  const {
    category,
    categories = category && [category],
    ...query
  } = validate(ListingQuery, given, excludedParameters(given))
  const { searchString, sortBy } = query
  return {
    ...query,
    ...(categories && { categories }),
    ...(searchString !== undefined && { searchWords: searchWordsOf(searchString) }),
    isRepeatable: sortBy !== RANDOM || query.seed !== undefined,
    seed: query.seed ?? (sortBy === RANDOM ? randomBytes(9).toString('base64url') : ''),
  }
}

/** Gives parameters the letter case of the schema, and drops empty ones, which HTML forms send. */
function normalize(parameters: Record<string, string | undefined>): Record<string, string> {
  const names = new Map(Object.keys(ListingQuery.entries).map((name) => [name.toLowerCase(), name]))
  const given = new Map<string, string>()
  for (const [sentName, value] of Object.entries(parameters)) {
    if (!value) continue
    const name = names.get(sentName.toLowerCase()) ?? sentName
    const earlier = given.get(name)
    // API Gateway joins the values of a repeated parameter in the same way.
    given.set(name, earlier === undefined ? value : `${earlier},${value}`)
  }
  return Object.fromEntries(given)
}

/** An error for each parameter that does not go with another one. */
function excludedParameters(given: Record<string, string>): FieldError[] {
  const excluded = (fields: string[], detail: string) =>
    fields.filter((field) => field in given).map((field) => ({ field, detail }))
  const isRandom = given.sortBy === RANDOM
  return [
    ...(isRandom ? excluded(['sortOrder'], `is not accepted beside sortBy=${RANDOM}.`) : []),
    ...(isRandom ? [] : excluded(['seed'], `is only accepted beside sortBy=${RANDOM}.`)),
    ...('categories' in given ? excluded(['category'], 'is not accepted beside categories.') : []),
    ...('id' in given
      ? excluded(['searchString', 'category', 'categories', 'numberofJokes', 'cursor'], 'is not accepted beside id.')
      : []),
  ]
}

/** One of a few values. */
function oneOf<const Options extends readonly string[]>(options: Options) {
  return v.picklist(options, singleValueError(oneOfError(options)))
}

/** The error of a parameter that takes one value. */
function singleValueError(detail: string) {
  return ({ input }: { input: unknown }) =>
    String(input).includes(',') ? `was sent more than once, or with a comma; it ${detail}` : detail
}

/** Leads to `categories` if that takes what was sent as `category`. */
function categoryError(issue: { input: unknown }): string {
  const detail = oneOfError(FILTER_CATEGORIES)
  const values = valuesIn(String(issue.input))
  if (!areCategories(values)) return singleValueError(detail)(issue)
  return `${detail.slice(0, -1)}; send categories=${values.join(',')} instead.`
}

/** The values of a parameter that takes several; API Gateway joins those of a repeated one with a comma. */
function valuesIn(sent: string): string[] {
  return sent.split(',').map((value) => value.trim())
}

function areCategories(values: string[]): boolean {
  return values.every((value) => CATEGORIES.some((category) => category === value))
}
