/** Views of the page, and their URLs. */
import { ID_LENGTH, MAX_SEARCH_LENGTH } from '../shared/clientLimits.ts'
import type { Category } from '../shared/joke.ts'

/** Sort orders by their name in the page's URL, with their label and the service's query parameters. */
export const ORDERS = {
  newest: { label: 'Newest first', query: 'sortBy=dateAdded&sortOrder=desc' },
  oldest: { label: 'Oldest first', query: 'sortBy=dateAdded&sortOrder=asc' },
  best: { label: 'Most upvoted', query: 'sortBy=thumbsUp&sortOrder=desc' },
} as const
type Order = keyof typeof ORDERS

/** How the page shows each category. The hue is an angle in OKLCH. */
export const CATEGORY_LOOKS: Record<Category, { label: string; hue: number }> = {
  'Word game': { label: 'Word games', hue: 300 },
  Classic: { label: 'Classics', hue: 255 },
  School: { label: 'School', hue: 150 },
  KnockKnock: { label: 'Knock, knock', hue: 45 },
  'French humour': { label: 'French humour', hue: 0 },
}

/** Like `Object.keys`, with the type of the keys. */
export function keysOf<Record extends object>(record: Record): (keyof Record & string)[] {
  return Object.keys(record).filter((key) => isKey(record, key))
}

export function isKey<Record extends object>(record: Record, key: string): key is keyof Record & string {
  return Object.hasOwn(record, key)
}

export interface View {
  search: string
  /** Chosen categories, in the order of the labels. An empty list stands for all. */
  categories: Category[]
  order: Order
  /** The `id` of the only joke to show. */
  id: string | undefined
}

export const DEFAULT_VIEW: View = { search: '', categories: [], order: 'newest', id: undefined }

/** Returns the URL of a view, without host. Omitted fields have their defaults. */
export function urlOf(fields: Partial<View>): string {
  const { search, categories, order, id } = { ...DEFAULT_VIEW, ...fields }
  const words = search.trim()
  const query = new URLSearchParams({
    ...(words && { search: words }),
    ...(categories[0] && { categories: `${categories}` }),
    ...(order !== DEFAULT_VIEW.order && { order }),
    ...(id && { id }),
  })
  return query.size > 0 ? `/?${query}` : '/'
}

/** Returns the view of a URL, or of the form with the filters. Ignores unknown parameters and values. */
export function viewOf(query: URLSearchParams | FormData): View {
  const categories = query.getAll('categories').join().split(',')
  const order = `${query.get('order')}`
  return {
    search: `${query.get('search') ?? ''}`.slice(0, MAX_SEARCH_LENGTH),
    categories: keysOf(CATEGORY_LOOKS).filter((name) => categories.includes(name)),
    order: isKey(ORDERS, order) ? order : DEFAULT_VIEW.order,
    // Messengers append what follows a link, such as a full stop.
    id: `${query.get('id') ?? ''}`.slice(0, ID_LENGTH) || undefined,
  }
}

/** Whether a view is the list of all jokes, in any order. */
export function isWholeList({ id, search, categories }: View): boolean {
  return urlOf({ id, search, categories }) === '/'
}

/** Names the chosen categories, such as `Classics, School and French humour`. Returns an empty text for all. */
export function nameCategories({ categories }: View): string {
  return new Intl.ListFormat('en-GB').format(categories.map((name) => CATEGORY_LOOKS[name].label))
}
