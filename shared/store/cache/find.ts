/** Finds the page of a listing among the jokes in memory. */
import { MAX_PAGE_BYTES } from '../../clientLimits.ts'
import type { Listing, Page } from '../../listing.ts'
import { isFoundIn } from '../../searchText.ts'
import { firstNotBefore } from './binarySearch.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import type { Entry, ListedJokes } from './listedJokes.ts'
import { descendingBy, type Order, randomOrder, type SortKey } from './order.ts'

/**
 * Returns a page that is full, or the last one. Only {@link MAX_PAGE_BYTES} can end it earlier.
 *
 * @throws {ProblemError} `invalid` if the cursor belongs to another listing
 */
export function findPage(jokes: ListedJokes, listing: Listing): Page {
  const order = orderOf(listing)
  const after = decodeCursor(listing)
  const { candidates, isSorted, areMatching } = candidatesOf(jokes, listing)
  const matching = areMatching ? candidates : candidates.filter(filterOf(listing))
  const following = after ? allAfter(after, matching, order, isSorted) : matching
  const page = withinSize(isSorted ? following.slice(0, listing.numberofJokes) : firstOf(following, order, listing))
  const last = page.at(-1)
  return {
    jokes: page.map(({ joke }) => joke),
    total: matching.length,
    ...(last && page.length < following.length && { next: encodeCursor(last, listing) }),
  }
}

/** Searches that find less than this share of all jokes use the index of words. Others pass through all jokes. */
const RARE = 1 / 8

/**
 * Returns all matching jokes, and perhaps others. `isSorted` tells whether they are in the order of the listing, and
 * `areMatching` whether there are no others.
 */
function candidatesOf(jokes: ListedJokes, { needles, categories = [], sortBy, sortOrder }: Listing) {
  const beginnings = (needles ?? []).filter((needle) => needle.startsWith(' ')).map((needle) => needle.slice(1))
  const rare = beginnings.length > 0 ? jokes.withRarest(beginnings, RARE * jokes.count) : undefined
  if (rare) return { candidates: rare, isSorted: false, areMatching: false }
  const category = categories.length === 1 ? categories[0] : undefined
  const areMatching = needles === undefined && categories.length < 2
  const isSorted = sortBy !== 'random'
  const descending = jokes.sortedBy(isSorted ? sortBy : 'dateAdded', category)
  return { candidates: sortOrder === 'asc' ? descending.toReversed() : descending, isSorted, areMatching }
}

/** Returns a function that tells whether a joke matches. */
function filterOf({ categories, needles }: Listing): (entry: Entry) => boolean {
  const wanted = categories && new Set<string>(categories)
  return ({ joke, searchText }) =>
    (!wanted || wanted.has(joke.category)) && (!needles || isFoundIn(searchText, needles))
}

/** Returns the jokes after a place in an order. */
function allAfter(key: SortKey, entries: readonly Entry[], order: Order, isSorted: boolean): readonly Entry[] {
  const isAfter = (entry: Entry) => order(key, entry) < 0
  return isSorted ? entries.slice(firstNotBefore(entries, (entry) => !isAfter(entry))) : entries.filter(isAfter)
}

function orderOf({ sortBy, sortOrder, seed }: Listing): Order {
  if (sortBy === 'random') return randomOrder(seed)
  const descending = descendingBy(sortBy)
  return sortOrder === 'asc' ? (a, b) => descending(b, a) : descending
}

/** Returns the first jokes of a page in their order, without sorting the others. */
function firstOf(entries: readonly Entry[], order: Order, { numberofJokes: count }: Listing): Entry[] {
  let best: Entry[] = []
  let last: Entry | undefined
  for (const entry of entries) {
    if (last && order(entry, last) > 0) continue
    best.push(entry)
    if (best.length < 2 * count + 100) continue
    best = best.sort(order).slice(0, count)
    last = best.at(-1)
  }
  return best.sort(order).slice(0, count)
}

/** Returns the first jokes that fit on a page, at least one. */
function withinSize(entries: readonly Entry[]): readonly Entry[] {
  // Two brackets, less the comma that does not follow the last joke.
  let bytes = 1
  const end = entries.findIndex(({ joke }) => {
    bytes += Buffer.byteLength(JSON.stringify(joke)) + 1
    return bytes > MAX_PAGE_BYTES
  })
  return end === -1 ? entries : entries.slice(0, Math.max(end, 1))
}
