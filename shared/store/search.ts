/** How a listing finds its jokes: it chooses the cheapest read by what it meets. */
import type { Cursor } from '../cursor.ts'
import type { Joke } from '../joke.ts'
import type { Listing, SortField } from '../listing.ts'
import { fits } from './item.ts'
import {
  FIRST_WALK_ROWS,
  LONG_LOOKUP_ROWS,
  LOOKUP_ROWS,
  LOOKUP_ROWS_IN_ALL,
  MAX_CHECKED,
  MAX_SORTED,
  WALK_ROWS,
} from './limits.ts'
import type { Reads } from './reads.ts'
import {
  comparePositions,
  type OrderedListing,
  positionOf,
  type Sortable,
  sampleIds,
  shuffle,
  walk,
} from './shelves.ts'
import { type Candidate, keyOf, lookUp } from './wordIndex.ts'

/** One page of a listing, and where the next one begins, if there are more. */
export interface Page {
  jokes: Joke[]
  next?: Cursor
}

/** Finds a page of the jokes that a listing asks for. */
export async function findJokes(listing: Listing, reads: Reads): Promise<Page> {
  const { id, words, sortBy } = listing
  if (id) return { jokes: await byIds(id, listing, reads) }
  if (words?.length === 0) return { jokes: [] }
  if (sortBy === 'random') return { jokes: await sample(listing, reads) }
  if (!words) return walkPage({ ...listing, sortBy }, WALK_ROWS, reads)
  if (sortBy === 'dateAdded') return searchByDate({ ...listing, sortBy }, words, reads)
  return searchByVotes({ ...listing, sortBy }, words, reads)
}

async function byIds(ids: string[], listing: Listing, reads: Reads): Promise<Joke[]> {
  const jokes = [...(await reads.jokes(ids, { ConsistentRead: true })).values()]
  const { sortBy } = listing
  return sortBy === 'random' ? shuffle(jokes) : sort(jokes, { ...listing, sortBy })
}

/**
 * Rare words are looked up, common ones met by walking. For those in between, the walk is short, and more rows are
 * looked up. Where even those are not all, the walk goes on if that will fill the page; otherwise the page is what it
 * has met.
 */
async function searchByDate(listing: OrderedListing<'dateAdded'>, words: string[], reads: Reads): Promise<Page> {
  // The index's order among equal values is known only to a walk, so what began to walk goes on walking.
  if (listing.cursor && 'walk' in listing.cursor) return walkPage(listing, WALK_ROWS, reads)
  const candidates = await lookUp(words, LOOKUP_ROWS, LOOKUP_ROWS_IN_ALL, reads)
  if (candidates) return pageByDate(candidates, listing, reads)
  const page = await walkPage(listing, FIRST_WALK_ROWS, reads)
  const missing = listing.numberofJokes - page.jokes.length
  if (missing === 0 || !page.next) return page
  const rowsToFill = (missing / page.jokes.length) * FIRST_WALK_ROWS
  // Half as many rows again cost less than most long lookups.
  if (rowsToFill > FIRST_WALK_ROWS / 2) {
    const moreCandidates = await lookUp(words, LONG_LOOKUP_ROWS, LONG_LOOKUP_ROWS, reads)
    if (moreCandidates) return pageByDate(moreCandidates, listing, reads)
    if (rowsToFill > WALK_ROWS - FIRST_WALK_ROWS) return page
  }
  const rest = { ...listing, cursor: page.next, numberofJokes: missing }
  const { jokes, ...next } = await walkPage(rest, WALK_ROWS - FIRST_WALK_ROWS, reads)
  return { jokes: [...page.jokes, ...jokes], ...next }
}

/** Rows of words do not tell votes, so all jokes found are read to sort them. Where they are too many, it walks. */
async function searchByVotes(listing: OrderedListing, words: string[], reads: Reads): Promise<Page> {
  if (listing.cursor && 'walk' in listing.cursor) return walkPage(listing, WALK_ROWS, reads)
  const candidates = (await lookUp(words, LOOKUP_ROWS, LOOKUP_ROWS_IN_ALL, reads))?.filter(inCategory(listing))
  if (!candidates || candidates.length > MAX_SORTED) return walkPage(listing, WALK_ROWS, reads)
  const jokes: Joke[] = []
  while (candidates.length > 0) {
    const batch = candidates.splice(0, reads.affordableJokes())
    if (batch.length === 0) return walkPage(listing, WALK_ROWS, reads)
    jokes.push(...(await check(batch, listing, reads)))
  }
  const left = remaining(jokes, listing)
  const page = left.slice(0, listing.numberofJokes)
  const last = page.at(-1)
  return last && left.length > page.length
    ? { jokes: page, next: { after: positionOf(last, listing) } }
    : { jokes: page }
}

/** The page of candidates that a listing by date asks for, read and checked. */
async function pageByDate(candidates: Candidate[], listing: OrderedListing<'dateAdded'>, reads: Reads): Promise<Page> {
  const { numberofJokes } = listing
  const left = remaining(candidates.filter(inCategory(listing)), listing)
  const jokes: Joke[] = []
  let checked = 0
  while (jokes.length < numberofJokes && checked < Math.min(left.length, MAX_CHECKED)) {
    const wanted = checked === 0 ? numberofJokes : Math.max(numberofJokes - jokes.length, MIN_BATCH)
    const batch = left.slice(checked, checked + Math.min(wanted, reads.affordableJokes()))
    if (batch.length === 0) break
    jokes.push(...(await check(batch, listing, reads)))
    checked += batch.length
  }
  const page = jokes.slice(0, numberofJokes)
  const last = page.length === numberofJokes ? page.at(-1) : left[checked - 1]
  const hasMore = checked < left.length || page.length < jokes.length
  return last && hasMore ? { jokes: page, next: { after: positionOf(last, listing) } } : { jokes: page }
}

/** A random sample of the jokes that a listing asks for. */
async function sample(listing: Listing, reads: Reads): Promise<Joke[]> {
  const { words, numberofJokes } = listing
  if (!words) return sampleOf(await sampleIds(listing, reads), listing, reads)
  const candidates = await lookUp(words, LOOKUP_ROWS, LOOKUP_ROWS_IN_ALL, reads)
  if (candidates) return sampleOf(idsOf(candidates, listing), listing, reads)
  const jokes = await sampleOf(await sampleIds(listing, reads), listing, reads)
  if (jokes.length === numberofJokes) return jokes
  const moreCandidates = await lookUp(words, LONG_LOOKUP_ROWS, LONG_LOOKUP_ROWS, reads)
  return moreCandidates ? sampleOf(idsOf(moreCandidates, listing), listing, reads) : jokes
}

/** Jokes drawn from those with some ids, as many as a listing asks for. */
async function sampleOf(ids: string[], listing: Listing, reads: Reads): Promise<Joke[]> {
  const { numberofJokes } = listing
  const left = shuffle(ids)
  const jokes: Joke[] = []
  while (jokes.length < numberofJokes && left.length > 0) {
    const batch = left.splice(0, Math.min(Math.max(numberofJokes, MIN_BATCH), reads.affordableJokes()))
    if (batch.length === 0) break
    const read = await reads.jokes(batch)
    jokes.push(...[...read.values()].filter((joke) => fits(joke, listing)))
  }
  return shuffle(jokes).slice(0, numberofJokes)
}

/** A few jokes among many that do not fit should still take few calls. */
const MIN_BATCH = 25

function idsOf(candidates: Candidate[], listing: Listing): string[] {
  return [...new Set(candidates.filter(inCategory(listing)).map(({ id }) => id))]
}

/**
 * Walks, and checks what it meets.
 *
 * An index that does not hold the jokes themselves is followed by reading those of the page.
 */
async function walkPage(listing: OrderedListing, maxRows: number, reads: Reads): Promise<Page> {
  const { rows, next } = await walk(listing, maxRows, reads)
  const missing = rows.filter(({ joke }) => joke === undefined).map(({ position: [, id] }) => id)
  const read = missing.length > 0 ? await reads.jokes(missing) : new Map<string, Joke>()
  const jokes = rows
    .flatMap(({ joke, position: [, id] }) => joke ?? read.get(id) ?? [])
    .filter((joke) => fits(joke, listing))
  return next ? { jokes, next: { walk: next } } : { jokes }
}

/**
 * Those candidates that are jokes and fit the listing, in the same order. A row that a joke would not write today is
 * an orphan, left by a crash or by the loser of two simultaneous creates.
 */
async function check(candidates: Candidate[], listing: Listing, reads: Reads): Promise<Joke[]> {
  const jokes = await reads.jokes(candidates.map(({ id }) => id))
  return candidates.flatMap(({ id, key }) => {
    const joke = jokes.get(id)
    return joke && keyOf(joke) === key && fits(joke, listing) ? [joke] : []
  })
}

function inCategory({ category }: Listing) {
  return (candidate: Candidate) => category === undefined || candidate.category === category
}

/** What a listing has not shown yet, in its order. */
function remaining<SortBy extends SortField, Item extends Sortable<SortBy>>(
  items: Item[],
  listing: OrderedListing<SortBy>,
): Item[] {
  const { cursor } = listing
  const left =
    cursor && 'after' in cursor
      ? items.filter((item) => comparePositions(listing, cursor.after, positionOf(item, listing)) < 0)
      : items
  return sort(left, listing)
}

function sort<SortBy extends SortField, Item extends Sortable<SortBy>>(
  items: Item[],
  listing: OrderedListing<SortBy>,
): Item[] {
  return items.toSorted((one, other) => comparePositions(listing, positionOf(one, listing), positionOf(other, listing)))
}
