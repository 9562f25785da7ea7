/** Finds the page of a listing among the jokes in memory. */
import { MAX_PAGE_BYTES } from '../../clientLimits.ts'
import type { Listing, Page } from '../../listing.ts'
import { isFoundIn, needlesOf } from '../../words.ts'
import type { Entry, ListedJokes } from './listedJokes.ts'
import { decodeCursor, descendingBy, encodeCursor, type Order, randomOrder, sortKeyOf } from './order.ts'

/**
 * Returns a page that is full, or the last one. Only {@link MAX_PAGE_BYTES} can end it earlier.
 *
 * @throws {ProblemError} `invalid` if the cursor belongs to another listing
 */
export function findPage(jokes: ListedJokes, listing: Listing): Page {
  const order = orderOf(listing)
  const after = decodeCursor(listing)
  const matching = matchesIn(jokes.all(), listing)
  const following = after ? matching.filter((entry) => order(after, entry) < 0) : matching
  const page = withinSize(firstOf(following, order, listing.numberofJokes))
  const last = page.at(-1)
  return {
    jokes: page.map(({ joke }) => joke),
    total: matching.length,
    ...(last && page.length < following.length && { next: encodeCursor(sortKeyOf(last.joke), listing) }),
  }
}

function matchesIn(entries: readonly Entry[], { categories, searchString }: Listing): readonly Entry[] {
  const wanted = categories && new Set<string>(categories)
  const inCategory = wanted ? entries.filter(({ category }) => wanted.has(category)) : entries
  if (searchString === undefined) return inCategory
  const needles = needlesOf(searchString)
  return inCategory.filter(({ searchText }) => isFoundIn(searchText, needles))
}

function orderOf({ sortBy, sortOrder, seed }: Listing): Order {
  if (sortBy === 'random') return randomOrder(seed)
  const descending = descendingBy(sortBy)
  return sortOrder === 'asc' ? (a, b) => descending(b, a) : descending
}

function firstOf(entries: readonly Entry[], order: Order, count: number): Entry[] {
  let best: Entry[] = []
  let last: Entry | undefined
  // New jokes are at the end, and most listings want the newest ones, so nearly all others are compared only once.
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index]
    if (!entry || (last && order(entry, last) > 0)) continue
    best.push(entry)
    if (best.length < 2 * count + 100) continue
    best = best.sort(order).slice(0, count)
    last = best.at(-1)
  }
  return best.sort(order).slice(0, count)
}

/** Returns the first entries that fit on a page, at least one. */
function withinSize(entries: readonly Entry[]): readonly Entry[] {
  // Two brackets, less the comma that does not follow the last joke.
  let bytes = 1
  const end = entries.findIndex(({ joke }) => {
    bytes += Buffer.byteLength(JSON.stringify(joke)) + 1
    return bytes > MAX_PAGE_BYTES
  })
  return end === -1 ? entries : entries.slice(0, Math.max(end, 1))
}
