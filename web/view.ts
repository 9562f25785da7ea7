/** What the page shows. The address bar holds it, so that it can be shared. */
import { signal } from '@preact/signals'
import type { FILTER_CATEGORIES } from '../shared/listing.ts'

/** Names of the orders in the address, what people call them, and what the service does. */
export const ORDERS = {
  newest: { label: 'Newest first', query: 'sortBy=dateAdded&sortOrder=desc' },
  oldest: { label: 'Oldest first', query: 'sortBy=dateAdded&sortOrder=asc' },
  best: { label: 'Most upvoted', query: 'sortBy=thumbsUp&sortOrder=desc' },
} as const
export type Order = keyof typeof ORDERS

export type FilterCategory = (typeof FILTER_CATEGORIES)[number]
export const CATEGORY_LABELS: Record<FilterCategory, string> = {
  'Word game': 'Word games',
  Classic: 'Classics',
  School: 'School',
  KnockKnock: 'Knock, knock',
}

export interface View {
  search: string
  category: FilterCategory | undefined
  order: Order
  /** Just this joke. */
  id: string | undefined
}

const START: View = { search: '', category: undefined, order: 'newest', id: undefined }

export const view = signal(fromAddress())
addEventListener('popstate', () => {
  view.value = fromAddress()
})

/**
 * Changes the view, and the address with it.
 *
 * @param history whether "back" leads to the view as it was
 */
export function change(changes: Partial<View>, history: 'keep' | 'replace' = 'keep'): void {
  view.value = { ...view.value, ...changes }
  const address = addressOf(view.value)
  if (history === 'keep') window.history.pushState(null, '', address)
  else window.history.replaceState(null, '', address)
}

/** Shows a view; what it does not tell is as at the start. */
export function show(view: Partial<View>): void {
  change({ ...START, ...view })
}

/** The address that shows a view. */
export function addressOf(changes: Partial<View>): string {
  const { search, category, order, id } = { ...START, ...changes }
  const query = new URLSearchParams({
    ...(search && { search }),
    ...(category && { category }),
    ...(order !== START.order && { order }),
    ...(id && { id }),
  })
  return query.size > 0 ? `/?${query}` : '/'
}

/** What to ask the service for. */
export function listingOf({ search, category, order, id }: View): string {
  if (id !== undefined) return `/joke?${new URLSearchParams({ id })}`
  return `/joke?${new URLSearchParams({ searchString: search, category: category ?? '' })}&${ORDERS[order].query}`
}

function fromAddress(): View {
  const query = new URLSearchParams(location.search)
  const [category, order] = [query.get('category'), query.get('order')]
  return {
    search: query.get('search') ?? '',
    category: isKey(CATEGORY_LABELS, category) ? category : undefined,
    order: isKey(ORDERS, order) ? order : START.order,
    id: query.get('id') ?? undefined,
  }
}

/** Like `Object.keys`, with their type. */
export function keysOf<Record extends object>(record: Record): (keyof Record & string)[] {
  return Object.keys(record).filter((key) => isKey(record, key))
}

export function isKey<Record extends object>(record: Record, key: string | null): key is keyof Record & string {
  return key !== null && Object.hasOwn(record, key)
}
