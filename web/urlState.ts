/** What the page shows, and how its URL holds it. */
import { MAX_SEARCH_LENGTH } from '../shared/inputLimits.ts'
import type { Joke } from '../shared/joke.ts'
import type { FILTER_CATEGORIES } from '../shared/listing.ts'
import { isKey } from './keys.ts'

/** Orders by their name in the page's URL: the label, and the query parameters of the service. */
export const ORDERS = {
  newest: { label: 'Newest first', query: 'sortBy=dateAdded&sortOrder=desc' },
  oldest: { label: 'Oldest first', query: 'sortBy=dateAdded&sortOrder=asc' },
  best: { label: 'Most upvoted', query: 'sortBy=thumbsUp&sortOrder=desc' },
} as const
type Order = keyof typeof ORDERS

export type FilterCategory = (typeof FILTER_CATEGORIES)[number]
/** Labels of the categories that a listing can be filtered by. */
export const FILTER_LABELS: Record<FilterCategory, string> = {
  'Word game': 'Word games',
  Classic: 'Classics',
  School: 'School',
  KnockKnock: 'Knock, knock',
}

/** Labels of all categories that a joke can have. */
export const CATEGORY_LABELS: Record<Joke['category'], string> = { ...FILTER_LABELS, 'French humour': 'French humour' }

export interface View {
  search: string
  category: FilterCategory | undefined
  order: Order
  /** If set, the page shows only this joke. */
  id: string | undefined
}

export const DEFAULT_VIEW: View = { search: '', category: undefined, order: 'newest', id: undefined }

/** The URL of a view, without host. Omitted fields have their defaults. */
export function urlOf(fields: Partial<View>): string {
  const { search, category, order, id } = { ...DEFAULT_VIEW, ...fields }
  const words = search.trim()
  const query = new URLSearchParams({
    ...(words && { search: words }),
    ...(category && { category }),
    ...(order !== DEFAULT_VIEW.order && { order }),
    ...(id && { id }),
  })
  return query.size > 0 ? `/?${query}` : '/'
}

/** The view of a URL. Ignores unknown parameters and values. */
export function viewOf(query: URLSearchParams): View {
  const category = query.get('category')
  const order = query.get('order')
  return {
    search: (query.get('search') ?? '').slice(0, MAX_SEARCH_LENGTH),
    category: isKey(FILTER_LABELS, category) ? category : undefined,
    order: isKey(ORDERS, order) ? order : DEFAULT_VIEW.order,
    // The service would accept several ids, separated by commas.
    id: query.get('id')?.split(',', 1)[0] || undefined,
  }
}
