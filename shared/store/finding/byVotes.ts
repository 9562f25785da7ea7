/**
 * Searches by votes, which the word lists do not hold. A search of few jokes reads and sorts all of them on each page.
 * Others walk along the index, which leaves out the jokes that do not match.
 */
import * as v from 'valibot'
import { Joke, JokeId } from '../../joke.ts'
import type { Listing } from '../../listing.ts'
import type { BudgetedReads } from './budgetedReads.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { shelvesCursor, shelvesOf, walk } from './indexWalk.ts'
import { gatherCandidates } from './invertedIndex.ts'
import { comparePositions, type Position, positionOf } from './order.ts'
import { type Page, PageJokes } from './page.ts'

const ShownUpTo = v.tuple([Joke.entries.thumbsUp, JokeId])

/** Where a search that sorts its jokes continues. */
const SortedListsCursor = v.strictObject({ plan: v.literal('sortedLists'), shownUpTo: ShownUpTo })
type SortedListsCursor = v.InferOutput<typeof SortedListsCursor>

/** Where it continues once it walks. */
const WalkCursor = v.strictObject({ ...shelvesCursor('thumbsUp').entries, shownUpTo: v.optional(ShownUpTo) })

export async function searchByVotes(listing: Listing, reads: BudgetedReads): Promise<Page> {
  const cursor = decodeCursor(v.variant('plan', [SortedListsCursor, WalkCursor]), listing)
  // An index orders equal votes in its own way, so a listing that has begun to walk goes on with that.
  if (cursor?.plan === 'shelves') return walk(listing, 'thumbsUp', reads, cursor)
  const shownUpTo = cursor?.shownUpTo
  const page = await sortedPage(listing, shownUpTo, reads)
  return page ?? walk(listing, 'thumbsUp', reads, shownUpTo && continueAfter(listing, shownUpTo))
}

/** Undefined: the jokes are too many, or their lists too long. */
async function sortedPage(
  listing: Listing,
  shownUpTo: Position | undefined,
  reads: BudgetedReads,
): Promise<Page | undefined> {
  const { sortOrder, numberofJokes } = listing
  const { gather, sortedJokes, pageBytes } = reads.store.limits
  const candidates = await gatherCandidates(listing, reads.withBudget(gather), sortedJokes)
  if (!candidates) return undefined
  const all = new PageJokes(candidates.length, Number.POSITIVE_INFINITY)
  const left = await all.addMatching(candidates, listing, reads)
  if (left.length > 0) return undefined
  const page = new PageJokes(numberofJokes, pageBytes)
  const unshown = all.jokes
    .map((joke) => ({ joke, position: positionOf(joke, 'thumbsUp') }))
    .filter(({ position }) => !shownUpTo || comparePositions(sortOrder, position, shownUpTo) > 0)
    .toSorted((one, other) => comparePositions(sortOrder, one.position, other.position))
  for (const { joke } of unshown) if (!page.add(joke)) break
  const { jokes } = page
  const last = jokes.at(-1)
  if (!last || jokes.length === unshown.length) return { jokes }
  const next: SortedListsCursor = { plan: 'sortedLists', shownUpTo: [last.thumbsUp, last.id] }
  return { jokes, next: encodeCursor(next, listing) }
}

/** Where a walk begins if a word has become common while somebody pages: it leaves out what was shown before. */
function continueAfter(listing: Listing, shownUpTo: SortedListsCursor['shownUpTo']) {
  const [votes, id] = shownUpTo
  // Jokes of the same value are read again: the index may order them in another way than the search did.
  const position: Position = [votes + (listing.sortOrder === 'asc' ? -1 : 1), id]
  return { positions: Object.fromEntries(shelvesOf(listing).map((shelf) => [shelf, position])), shownUpTo }
}
