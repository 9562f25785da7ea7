/**
 * Searches by votes, an order that the inverted index does not have. A search with few matches reads and sorts them for
 * each page. One with many walks along the index by votes, and DynamoDB omits the jokes that do not match.
 */
import * as v from 'valibot'
import { Joke, JokeId } from '../../joke.ts'
import type { Listing } from '../../listing.ts'
import type { BudgetedReads } from './budgetedReads.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { categoriesOf, indexCursor, walk } from './indexWalk.ts'
import { gatherIds } from './invertedIndex.ts'
import { comparePositions, type Position, positionOf } from './order.ts'
import { type Page, PageJokes } from './page.ts'

const ShownUpTo = v.tuple([Joke.entries.thumbsUp, JokeId])

/** The cursor of a search that sorts its jokes: the position of the last joke shown. */
const SortCursor = v.strictObject({ plan: v.literal('sortByVotes'), shownUpTo: ShownUpTo })
type SortCursor = v.InferOutput<typeof SortCursor>

export async function searchByVotes(listing: Listing, reads: BudgetedReads): Promise<Page> {
  const cursor = decodeCursor(v.variant('plan', [SortCursor, indexCursor('thumbsUp')]), listing)
  // An index orders equal votes in its own way, so a search that has begun to walk goes on with that.
  if (cursor?.plan === 'walkIndex') return walk(listing, 'thumbsUp', reads, cursor)
  const shownUpTo = cursor?.shownUpTo
  const page = await sortedPage(listing, shownUpTo, reads)
  return page ?? walk(listing, 'thumbsUp', reads, shownUpTo && continueAfter(listing, shownUpTo))
}

/** @returns `undefined` if the jokes are too many to sort */
async function sortedPage(
  listing: Listing,
  shownUpTo: Position | undefined,
  reads: BudgetedReads,
): Promise<Page | undefined> {
  const { sortOrder, numberofJokes } = listing
  const { gather, sortedJokes, pageBytes } = reads.store.limits
  const ids = await gatherIds(listing, reads.withBudget(gather), sortedJokes)
  if (!ids) return undefined
  const all = new PageJokes(ids.length, Number.POSITIVE_INFINITY)
  const candidates = ids.map((id) => ({ id }))
  const left = await all.addMatching(candidates, listing, reads)
  if (left.length > 0) return undefined
  const page = new PageJokes(numberofJokes, pageBytes)
  const unshown = all.jokes
    .map((joke) => ({ joke, position: positionOf(joke, 'thumbsUp') }))
    .filter(({ position }) => !shownUpTo || comparePositions(sortOrder, position, shownUpTo) > 0)
    .toSorted((a, b) => comparePositions(sortOrder, a.position, b.position))
  for (const { joke } of unshown) if (!page.add(joke)) break
  const { jokes } = page
  const last = jokes.at(-1)
  if (!last || jokes.length === unshown.length) return { jokes }
  const next: SortCursor = { plan: 'sortByVotes', shownUpTo: [last.thumbsUp, last.id] }
  return { jokes, next: encodeCursor(next, listing) }
}

/** Returns where to walk after pages that were sorted. The walk omits the jokes that these showed. */
function continueAfter(listing: Listing, shownUpTo: SortCursor['shownUpTo']) {
  const [votes, id] = shownUpTo
  // Jokes with the same votes are read again, because the index may order them in another way than the sort.
  const position: Position = [votes + (listing.sortOrder === 'asc' ? -1 : 1), id]
  return { positions: Object.fromEntries(categoriesOf(listing).map((category) => [category, position])), shownUpTo }
}
