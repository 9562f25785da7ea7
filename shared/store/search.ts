/** How a listing finds its jokes: by id, in the word lists, or by walking the sorted indexes. */
import { createHash } from 'node:crypto'
import type { Cursor, Position, RingCursor } from '../cursor.ts'
import type { StoredJoke } from '../joke.ts'
import type { Listing } from '../listing.ts'
import { compare, comparePositions, positionOf, type SortedListing } from './order.ts'
import type { Reads } from './reads.ts'
import { shelvesOf, walk, walkRing } from './shelves.ts'
import { type Candidate, openLists, placeOf, positionAt } from './wordLists.ts'

/** A page of a listing. */
export interface Page {
  jokes: StoredJoke[]
  /** Where the next page begins; absent: there is none. */
  next?: Cursor | undefined
}

/** Finds a page of the jokes that a listing asks for. */
export async function findJokes(listing: Listing, reads: Reads): Promise<Page> {
  const { id, searchWords, sortBy, cursor } = listing
  if (id) return { jokes: await jokesById(id, listing, reads) }
  if (searchWords?.length === 0) return { jokes: [] }
  if (sortBy === 'random') return randomPage(listing, reads)
  if (searchWords && sortBy === 'dateAdded') return searchByDate(listing, reads)
  const sorted = { ...listing, sortBy }
  // A search orders equal values in another way than an index, so a listing that has begun to walk stays a walk.
  return searchWords && !(cursor && 'walk' in cursor) ? searchByVotes(sorted, reads) : walkPage(sorted, reads)
}

/** The cursor of a listing by date, the newest first, that begins with the last joke added before a date. */
export function cursorAt(date: Date, listing: Listing): Cursor {
  if (listing.searchWords) return { place: positionAt(date) }
  // Without its last letter, a date sorts directly before itself. No joke has it, so the id is any text.
  const before = date.toISOString().slice(0, -1)
  const position: Position = [before, before]
  return { walk: { positions: Object.fromEntries(shelvesOf(listing).map((shelf) => [shelf, position])) } }
}

/** Twice as many units as this, if consistent. Reading more would exceed what a request may read. */
const MAX_CONSISTENT_IDS = 50

async function jokesById(ids: string[], listing: Listing, reads: Reads): Promise<StoredJoke[]> {
  const found = await reads.jokes(ids, { ConsistentRead: new Set(ids).size <= MAX_CONSISTENT_IDS })
  const jokes = Array.from(found.values(), ({ joke }) => joke)
  const { sortBy, sortOrder, seed } = listing
  if (sortBy === 'random') return shuffle(jokes, seed)
  return jokes.toSorted((one, other) => comparePositions(sortOrder, positionOf(one, sortBy), positionOf(other, sortBy)))
}

/** Reads the lists of the words side by side, and the jokes that stand in all of them, until the page is full. */
async function searchByDate(listing: Listing, reads: Reads): Promise<Page> {
  const { cursor } = listing
  const lists = openLists(listing, reads, cursor && 'place' in cursor ? cursor.place : undefined)
  const { jokes, last, isUnfinished } = await readMatching((count) => lists.next(count), listing, reads)
  const listsEnd = lists.hasEnded ? undefined : lists.resumeAfter
  const place = isUnfinished ? last?.position : listsEnd
  return { jokes, next: place === undefined ? undefined : { place } }
}

/** The lists do not hold votes, so all candidates are read to sort them. If they are too many, the search walks. */
async function searchByVotes(listing: SortedListing, reads: Reads): Promise<Page> {
  const candidates = await allCandidates(listing, reads)
  if (!candidates) return walkPage(listing, reads)
  const all = { ...listing, numberofJokes: candidates.length }
  // The first batch takes all of them.
  const { jokes, isUnfinished } = await readMatching(async (count) => candidates.splice(0, count), all, reads)
  if (isUnfinished) return walkPage(listing, reads)
  const unshown = notYetShown(jokes, listing)
  const page = unshown.slice(0, listing.numberofJokes)
  const lastJoke = unshown.length > page.length ? page.at(-1) : undefined
  return { jokes: page, next: lastJoke && { shownUpTo: positionOf(lastJoke, listing.sortBy) } }
}

/** Sorts jokes in a listing's order, without those up to its cursor. */
function notYetShown(jokes: StoredJoke[], { cursor, sortBy, sortOrder }: SortedListing): StoredJoke[] {
  const sorted = jokes.toSorted((one, other) =>
    comparePositions(sortOrder, positionOf(one, sortBy), positionOf(other, sortBy)),
  )
  if (!cursor || !('shownUpTo' in cursor)) return sorted
  return sorted.filter((joke) => comparePositions(sortOrder, positionOf(joke, sortBy), cursor.shownUpTo) > 0)
}

/** All candidates of a search; undefined: they are too many, or the lists are too long. */
async function allCandidates(listing: Listing, reads: Reads): Promise<Candidate[] | undefined> {
  const { listRows, sortedJokes } = reads.store.limits
  const lists = openLists(listing, reads, undefined, listRows)
  const candidates = await lists.next(sortedJokes + 1)
  return lists.hasEnded && candidates.length <= sortedJokes ? candidates : undefined
}

/**
 * Reads the jokes of candidates in their order, until the page is full, and leaves out those that do not match. A
 * candidate with a place must have the place of its joke: other rows are orphans, left by a crash or by the loser of two
 * simultaneous requests that add the joke.
 *
 * @param next returns further candidates
 * @returns the jokes, the last candidate that was checked, and whether some that were read were not
 */
async function readMatching<One extends { id: string; place?: string }>(
  next: (count: number) => Promise<One[]>,
  listing: Listing,
  reads: Reads,
): Promise<{ jokes: StoredJoke[]; last: One | undefined; isUnfinished: boolean }> {
  const { numberofJokes } = listing
  const jokes: StoredJoke[] = []
  const unchecked: One[] = []
  let checked = 0
  let last: One | undefined
  while (jokes.length < numberofJokes && !reads.isTooLong) {
    if (unchecked.length === 0)
      unchecked.push(...(await next(batchSize(numberofJokes - jokes.length, jokes.length, checked))))
    const batch = unchecked.slice(0, reads.affordableJokes())
    if (batch.length === 0) break
    const found = await reads.jokes(batch.map(({ id }) => id))
    for (const candidate of batch) {
      const joke = found.get(candidate.id)
      const isOrphan = joke && candidate.place !== undefined && candidate.place !== placeOf(joke.joke)
      if (joke && !isOrphan && reads.fits(joke, listing)) jokes.push(joke.joke)
      last = candidate
      checked += 1
      unchecked.shift()
      if (jokes.length === numberofJokes || reads.isTooLong) break
    }
  }
  return { jokes, last, isUnfinished: unchecked.length > 0 }
}

/** How many candidates to read to find the missing jokes, if as many match as of those checked so far. */
function batchSize(missing: number, matching: number, checked: number): number {
  const needed = matching === 0 ? 2 * checked : Math.ceil((missing * checked) / matching) + 2
  return Math.max(missing, Math.min(needed, MAX_BATCH))
}

/** BatchGetItem reads as many at once. */
const MAX_BATCH = 100

/** Follows an index. One that does not hold the jokes themselves leads to their ids. */
async function walkPage(listing: SortedListing, reads: Reads): Promise<Page> {
  const { rows, next } = await walk(listing, reads)
  const idsToRead = rows.filter(({ joke }) => !joke).map(({ id }) => id)
  const found = await reads.jokes(idsToRead)
  const jokes = rows.flatMap(({ id, joke }) => {
    if (joke) return [joke]
    const read = found.get(id)
    return read && reads.fits(read, listing) ? [read.joke] : []
  })
  return { jokes, next: next && { walk: next } }
}

/**
 * Ids are hashes, so their order is as good as random. The listing goes round the ring of all ids once, beginning where
 * its seed says. Each page is shuffled, so that neighbours do not always come one after the other.
 */
async function randomPage(listing: Listing, reads: Reads): Promise<Page> {
  const { seed, numberofJokes, cursor } = listing
  const { ids, begin, next } =
    cursor && 'ring' in cursor
      ? await ringIds(listing, cursor.ring, numberofJokes, reads)
      : await firstRingIds(listing, seed, reads)
  const takeIds = async (count: number) => ids.splice(0, count).map((id) => ({ id }))
  const { jokes, last, isUnfinished } = await readMatching(takeIds, listing, reads)
  const after = last ? last.id : begin.after
  const hasMore = isUnfinished || ids.length > 0
  const ring = hasMore ? { ...begin, after } : next
  return { jokes: shuffle(jokes, seed), next: ring && { ring } }
}

/** Ids on the ring, in its order: where they begin, and where to continue; no `next`: these are all. */
interface RingIds {
  ids: string[]
  begin: RingCursor
  next?: RingCursor | undefined
}

/**
 * A joke after a large gap between ids would come first more often than others. So the first is one of this many, chosen
 * by the seed, too: then each joke's chance is mostly within a quarter of its share. It stays the same if others among
 * them are added or removed.
 */
const FIRST_OF = 100

async function firstRingIds(listing: Listing, seed: string, reads: Reads): Promise<RingIds> {
  const start = createHash('sha256').update(seed).digest('base64url')
  const { ids, next } = await ringIds(listing, { after: start, last: start }, FIRST_OF + listing.numberofJokes, reads)
  // If the walk ended early, no fewer are left than the page needs, as far as there are so many.
  const choice = ids.slice(0, Math.max(1, Math.min(FIRST_OF, next ? ids.length - listing.numberofJokes : FIRST_OF)))
  const [first] = shuffle(
    choice.map((id) => ({ id })),
    seed,
  )
  const before = ids.slice(0, first ? ids.indexOf(first.id) : 0)
  // The ring now begins after these, so it ends with them.
  const last = before.at(-1) ?? start
  const rest = ids.slice(before.length)
  return { ids: next ? rest : [...rest, ...before], begin: { after: last, last }, next: next && { ...next, last } }
}

/** Ids of jokes that may match: all those of a search that stand in few rows of the lists, otherwise at most `limit`. */
async function ringIds(listing: Listing, ring: RingCursor, limit: number, reads: Reads): Promise<RingIds> {
  const candidates = listing.searchWords && (await allCandidates(listing, reads))
  if (!candidates) return { ...(await walkRing(listing, ring, limit, reads)), begin: ring }
  // Nothing sorts before an empty text.
  const { after = '', last } = ring
  const sorted = [...new Set(candidates.map(({ id }) => id))].toSorted(compare)
  const rest = sorted.filter((id) => id > after)
  if (after < last) return { ids: rest.filter((id) => id <= last), begin: ring }
  return { ids: [...rest, ...sorted.filter((id) => id <= last)], begin: ring }
}

/** A new list of the same items, in an order that depends on the seed and their ids alone. */
function shuffle<One extends { id: string }>(items: One[], seed: string): One[] {
  const rankOf = ({ id }: One) => createHash('sha256').update(`${seed} ${id}`).digest('base64')
  const ranked = items.map((item) => ({ item, rank: rankOf(item) }))
  return ranked.toSorted((one, other) => compare(one.rank, other.rank)).map(({ item }) => item)
}
