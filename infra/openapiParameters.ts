/** The parameters of `GET /joke` in the OpenAPI document. */
import { toJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { MAX_COUNT, MAX_IDS, MAX_SEARCH_LENGTH, MAX_SEED_LENGTH } from '../shared/clientLimits.ts'
import { ListingQuery } from '../shared/listing.ts'
import { CONVERSION, reference } from './openapiSchemas.ts'

const DESCRIPTIONS: Record<keyof ListingQuery, string> = {
  searchString: `Words or emoji, at most ${MAX_SEARCH_LENGTH} characters. A joke matches when each of them begins a word of its setup or punchline. Capitals and accents don't count, and symbols only if there is nothing else. Of more than ten words, we look for the ten longest.`,
  numberofJokes: `How many jokes you want at most. Above ${MAX_COUNT}, it counts as ${MAX_COUNT}.`,
  category: 'Only jokes of this category. The contract leaves out French humour: use `categories` for it.',
  categories:
    'Addition to the contract: only jokes of these categories, separated by commas. Cannot be combined with `category` or `id`.',
  sortBy:
    'The field to sort by. Addition to the contract: `random`, a random order, which cannot be combined with `sortOrder`. Its `Link` leads to each joke once, and holds the seed.',
  sortOrder: 'The direction to sort in.',
  seed: `Addition to the contract: any text of at most ${MAX_SEED_LENGTH} characters, only with \`sortBy=random\`. The same seed gives the same order, for any page size. A new joke takes a place among the others, whose order stays.`,
  cursor: 'Addition to the contract: where to continue, from the `Link` header of a page.',
  id: `Addition to the contract: the existing jokes with these ids, in their latest state. At most ${MAX_IDS} ids, separated by commas. Cannot be combined with \`searchString\`, \`category\`, \`categories\`, \`numberofJokes\` or \`cursor\`.`,
}

/** The listing's parameters. The schema reads all of them as text; clients get the types that the text stands for. */
export function listingParameters(): object[] {
  const described: Record<string, string> = DESCRIPTIONS
  const typed: Record<string, object> = {
    numberofJokes: { schema: { type: 'integer', minimum: 1 } },
    categories: { schema: { type: 'array', items: reference('Category') }, style: 'form', explode: false },
    id: { schema: { type: 'array', items: { type: 'string' }, maxItems: MAX_IDS }, style: 'form', explode: false },
  }
  return Object.entries(ListingQuery.entries).map(([name, parameter]) => {
    const { $schema: _, ...schema } = toJsonSchema(parameter, CONVERSION)
    const absent = v.getDefault(parameter)
    return {
      name,
      in: 'query',
      description: absent ? `${described[name]} When absent: ${absent}.` : described[name],
      schema,
      ...typed[name],
    }
  })
}
