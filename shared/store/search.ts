/** How a listing finds its jokes: by id, by looking up its words, or by walking the sorted indexes. */
import type { Cursor, Position } from '../cursor.ts'
import type { Joke } from '../joke.ts'
import type { Listing } from '../listing.ts'
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
import { comparePositions, positionOf, type SortedListing } from './order.ts'
import type { Reads } from './reads.ts'
import { sampleIds, shuffle, walk } from './shelves.ts'
import { type Candidate, lookUp, suffixOf } from './wordIndex.ts'

/** A page of a listing. */
export interface Page {
  jokes: Joke[]
  /** Where the next page begins; absent: there is none. */
  next?: Cursor | undefined
}

const LOOKUP = { rowsPerWord: LOOKUP_ROWS, rowsInAll: LOOKUP_ROWS_IN_ALL }
const LONG_LOOKUP = { rowsPerWord: LONG_LOOKUP_ROWS, rowsInAll: LONG_LOOKUP_ROWS }

/** Finds a page of the jokes that a listing asks for. */
export async function findJokes(listing: Listing, reads: Reads): Promise<Page> {
  const { id, searchWords, sortBy, cursor } = listing
  if (id) return { jokes: await jokesById(id, listing, reads) }
  if (searchWords?.length === 0) return { jokes: [] }
  if (sortBy === 'random') return { jokes: await sample(listing, reads) }
  const sorted = { ...listing, sortBy }
  if (!searchWords) return walkPage(sorted, Number.POSITIVE_INFINITY, reads)
  // A lookup orders equal values in another way than an index, so a listing that has begun to walk stays a walk.
  if (cursor && 'walk' in cursor) return walkPage(sorted, WALK_ROWS, reads)
  if (sortBy === 'dateAdded') return searchByDate(sorted, searchWords, reads)
  return searchByVotes(sorted, searchWords, reads)
}

async function jokesById(ids: string[], listing: Listing, reads: Reads): Promise<Joke[]> {
  const jokes = [...(await reads.jokes(ids, { ConsistentRead: true })).values()]
  const { sortBy, sortOrder } = listing
  if (sortBy === 'random') return shuffle(jokes)
  return jokes.toSorted((one, other) => comparePositions(sortOrder, positionOf(one, sortBy), positionOf(other, sortBy)))
}

/**
 * 1. Looks up the word rows, which is possible if one of the words is rare.
 * 2. Otherwise walks a few rows, which fill the page if the words are common.
 * 3. If much is missing, looks up more word rows.
 * 4. If little is missing, or these are incomplete too, walks on, if that will probably fill the page.
 * 5. Otherwise the page stays short.
 */
async function searchByDate(listing: SortedListing, searchWords: string[], reads: Reads): Promise<Page> {
  const { category, numberofJokes } = listing
  const candidates = await lookUp(searchWords, category, LOOKUP, reads)
  if (candidates) return pageByDate(candidates, listing, reads)
  const page = await walkPage(listing, FIRST_WALK_ROWS, reads)
  const missing = numberofJokes - page.jokes.length
  if (missing === 0 || !page.next) return page
  // Infinite if the walk found nothing.
  const rowsToFill = (missing / page.jokes.length) * FIRST_WALK_ROWS
  // Walking up to half as many rows more costs less than most long lookups.
  if (rowsToFill > FIRST_WALK_ROWS / 2) {
    const moreCandidates = await lookUp(searchWords, category, LONG_LOOKUP, reads)
    if (moreCandidates) return pageByDate(moreCandidates, listing, reads)
    if (rowsToFill > WALK_ROWS - FIRST_WALK_ROWS) return page
  }
  const rest = { ...listing, cursor: page.next, numberofJokes: missing }
  const { jokes, next } = await walkPage(rest, WALK_ROWS - FIRST_WALK_ROWS, reads)
  return { jokes: [...page.jokes, ...jokes], next }
}

/** Word rows do not hold votes, so all candidates are read to sort them. If they are too many, the search walks. */
async function searchByVotes(listing: SortedListing, searchWords: string[], reads: Reads): Promise<Page> {
  const candidates = await lookUp(searchWords, listing.category, LOOKUP, reads)
  if (!candidates || candidates.length > MAX_SORTED) return walkPage(listing, WALK_ROWS, reads)
  const matching: Joke[] = []
  let checked = 0
  while (checked < candidates.length) {
    const batch = candidates.slice(checked, checked + reads.affordableJokes())
    if (batch.length === 0) return walkPage(listing, WALK_ROWS, reads)
    matching.push(...(await readMatching(batch, listing, reads)))
    checked += batch.length
  }
  const unshown = notYetShown(matching, listing, (joke) => positionOf(joke, listing.sortBy))
  const jokes = unshown.slice(0, listing.numberofJokes)
  const lastJoke = jokes.at(-1)
  const hasMore = unshown.length > jokes.length
  return { jokes, next: hasMore && lastJoke ? { shownUpTo: positionOf(lastJoke, listing.sortBy) } : undefined }
}

/** Word rows hold the date, so only as many candidates are read as the page needs, in the order of the listing. */
async function pageByDate(candidates: Candidate[], listing: SortedListing, reads: Reads): Promise<Page> {
  const { numberofJokes } = listing
  const toCheck = notYetShown(candidates, listing, ({ position }) => position)
  const matching: Joke[] = []
  let checked = 0
  while (matching.length < numberofJokes) {
    const wanted = checked === 0 ? numberofJokes : Math.max(numberofJokes - matching.length, MIN_BATCH)
    const batchSize = Math.min(wanted, MAX_CHECKED - checked, reads.affordableJokes())
    const batch = toCheck.slice(checked, checked + batchSize)
    if (batch.length === 0) break
    matching.push(...(await readMatching(batch, listing, reads)))
    checked += batch.length
  }
  const jokes = matching.slice(0, numberofJokes)
  const lastJoke = jokes.length === numberofJokes ? jokes.at(-1) : undefined
  const shownUpTo = lastJoke ? positionOf(lastJoke, listing.sortBy) : toCheck[checked - 1]?.position
  const hasMore = checked < toCheck.length || jokes.length < matching.length
  return { jokes, next: hasMore && shownUpTo ? { shownUpTo } : undefined }
}

/** Reading at least this many at once keeps the calls few when most candidates do not match. */
const MIN_BATCH = 25

/** Sorts items in a listing's order, without those up to its cursor. */
function notYetShown<Item>(items: Item[], listing: SortedListing, position: (item: Item) => Position): Item[] {
  const { cursor, sortOrder } = listing
  const sorted = items.toSorted((one, other) => comparePositions(sortOrder, position(one), position(other)))
  if (!cursor || !('shownUpTo' in cursor)) return sorted
  return sorted.filter((item) => comparePositions(sortOrder, position(item), cursor.shownUpTo) > 0)
}

/**
 * Reads the candidates' jokes, and returns those that the listing asks for, in the same order. A word row that does not
 * fit its joke is an orphan, left by a crash or by the loser of two simultaneous requests that add the joke.
 */
async function readMatching(candidates: Candidate[], listing: Listing, reads: Reads): Promise<Joke[]> {
  const jokes = await reads.jokes(idsOf(candidates))
  const matching: Joke[] = []
  for (const { id, suffix } of candidates) {
    const joke = jokes.get(id)
    if (joke && suffixOf(joke) === suffix && fits(joke, listing)) matching.push(joke)
  }
  return matching
}

/** Walks the index of a listing's order. Jokes that the index does not hold are read by their ids, and then checked. */
async function walkPage(listing: SortedListing, maxRows: number, reads: Reads): Promise<Page> {
  const { rows, next } = await walk(listing, maxRows, reads)
  const jokesRead = await reads.jokes(rows.filter(({ joke }) => joke === undefined).map(({ id }) => id))
  const jokes: Joke[] = []
  for (const row of rows) {
    const joke = jokesRead.get(row.id)
    if (row.joke) jokes.push(row.joke)
    else if (joke && fits(joke, listing)) jokes.push(joke)
  }
  return { jokes, next: next && { walk: next } }
}

/** A random sample of the jokes that a listing asks for. */
async function sample(listing: Listing, reads: Reads): Promise<Joke[]> {
  const { searchWords, category, numberofJokes } = listing
  const candidates = searchWords && (await lookUp(searchWords, category, LOOKUP, reads))
  if (candidates) return draw(idsOf(candidates), listing, reads)
  const jokes = await draw(await sampleIds(listing, reads), listing, reads)
  if (!searchWords || jokes.length === numberofJokes) return jokes
  const moreCandidates = await lookUp(searchWords, category, LONG_LOOKUP, reads)
  return moreCandidates ? draw(idsOf(moreCandidates), listing, reads) : jokes
}

/** Reads jokes in random order until there are as many as the listing asks for. */
async function draw(ids: string[], listing: Listing, reads: Reads): Promise<Joke[]> {
  const { numberofJokes } = listing
  const undrawn = shuffle([...new Set(ids)])
  const matching: Joke[] = []
  while (matching.length < numberofJokes) {
    const batch = undrawn.splice(0, Math.min(Math.max(numberofJokes, MIN_BATCH), reads.affordableJokes()))
    if (batch.length === 0) break
    for (const joke of (await reads.jokes(batch)).values()) {
      if (fits(joke, listing)) matching.push(joke)
    }
  }
  return shuffle(matching).slice(0, numberofJokes)
}

function idsOf(candidates: Candidate[]): string[] {
  return candidates.map(({ id }) => id)
}
