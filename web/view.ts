/** What the page shows, how the address bar writes it, and what to ask the service for. */
import type { Joke } from '../shared/joke.ts'
import type { FILTER_CATEGORIES } from '../shared/listing.ts'

/** Names of the orders in the address, what people call them, and what the service does. */
export const ORDERS = {
  newest: { label: 'Newest first', query: 'sortBy=dateAdded&sortOrder=desc' },
  oldest: { label: 'Oldest first', query: 'sortBy=dateAdded&sortOrder=asc' },
  best: { label: 'Most upvoted', query: 'sortBy=thumbsUp&sortOrder=desc' },
} as const
export type Order = keyof typeof ORDERS

export type FilterCategory = (typeof FILTER_CATEGORIES)[number]
/** What people call the categories: those that a listing can be narrowed to, and all that a joke can have. */
export const CATEGORY_LABELS: Record<FilterCategory, string> = {
  'Word game': 'Word games',
  Classic: 'Classics',
  School: 'School',
  KnockKnock: 'Knock, knock',
}

export const JOKE_LABELS: Record<Joke['category'], string> = { ...CATEGORY_LABELS, 'French humour': 'French humour' }

/** The service takes no more in a search. */
export const MAX_SEARCH_LENGTH = 200

export interface View {
  search: string
  category: FilterCategory | undefined
  order: Order
  /** Just this joke. */
  id: string | undefined
}

export const START: View = { search: '', category: undefined, order: 'newest', id: undefined }

/** The address that shows a view. */
export function addressOf(changes: Partial<View>): string {
  const { search, category, order, id } = { ...START, ...changes }
  const words = search.trim()
  const query = new URLSearchParams({
    ...(words && { search: words }),
    ...(category && { category }),
    ...(order !== START.order && { order }),
    ...(id && { id }),
  })
  return query.size > 0 ? `/?${query}` : '/'
}

/** The view that an address shows; whatever else it holds is left out. */
export function viewOf(address: URLSearchParams): View {
  const [category, order] = [address.get('category'), address.get('order')]
  return {
    search: (address.get('search') ?? '').slice(0, MAX_SEARCH_LENGTH),
    category: isKey(CATEGORY_LABELS, category) ? category : undefined,
    order: isKey(ORDERS, order) ? order : START.order,
    id: address.get('id')?.split(',', 1)[0] || undefined,
  }
}

/** Where the service lists the jokes of a view. */
export function listingOf({ search, category, order, id }: View): string {
  if (id !== undefined) return `/joke?${new URLSearchParams({ id })}`
  return `/joke?${new URLSearchParams({ searchString: search.trim(), category: category ?? '' })}&${ORDERS[order].query}`
}

/** Where the service draws jokes at random from those of a view: two, in case one of them is on show. */
export function drawOf({ search, category }: View): string {
  const query = { searchString: search.trim(), category: category ?? '', sortBy: 'random', numberofJokes: '2' }
  return `/joke?${new URLSearchParams(query)}`
}

/** Like `Object.keys`, with their type. */
export function keysOf<Record extends object>(record: Record): (keyof Record & string)[] {
  return Object.keys(record).filter((key) => isKey(record, key))
}

export function isKey<Record extends object>(record: Record, key: string | null): key is keyof Record & string {
  return key !== null && Object.hasOwn(record, key)
}
