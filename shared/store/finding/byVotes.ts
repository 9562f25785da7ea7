/** Searches by votes, an order that the inverted index does not have. They sort few matches, and walk along many. */
import * as v from 'valibot'
import { Joke, JokeId } from '../../joke.ts'
import type { Listing } from '../../listing.ts'
import type { BudgetedReads } from './budgetedReads.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { walkIndex, walkIndexCursor } from './indexWalk.ts'
import { gatherIds } from './invertedIndex.ts'
import { comparePositions, type Position, positionOf } from './order.ts'
import { type Page, PageJokes } from './page.ts'

/** The cursor of a search that sorts its jokes: the position of the last joke shown. */
const VotesCursor = v.strictObject({
  plan: v.literal('sortByVotes'),
  shownUpTo: v.tuple([Joke.entries.thumbsUp, JokeId]),
})
type VotesCursor = v.InferOutput<typeof VotesCursor>

export async function searchByVotes(listing: Listing, reads: BudgetedReads): Promise<Page> {
  const cursor = decodeCursor(v.variant('plan', [VotesCursor, walkIndexCursor('thumbsUp')]), listing)
  // An index orders equal votes in its own way, so a search that has begun to walk goes on with that.
  if (cursor?.plan === 'walkIndex') return walkIndex(listing, 'thumbsUp', reads, cursor)
  const shownUpTo = cursor?.shownUpTo
  const page = await pageByVotes(listing, reads, shownUpTo)
  return page ?? walkIndex(listing, 'thumbsUp', reads, { shownUpTo })
}

/** Sorts all matches, and returns the next page of them, or `undefined` if they are too many to sort. */
async function pageByVotes(listing: Listing, reads: BudgetedReads, shownUpTo?: Position): Promise<Page | undefined> {
  const { sortOrder, numberofJokes } = listing
  const { indexListsByVotes, sortedJokes, pageBytes } = reads.store.limits
  const ids = await gatherIds(listing, reads.withBudget(indexListsByVotes), sortedJokes)
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
  const last = page.jokes.at(-1)
  if (!last || page.jokes.length === unshown.length) return { jokes: page.jokes }
  const next = encodeCursor<VotesCursor>({ plan: 'sortByVotes', shownUpTo: [last.thumbsUp, last.id] }, listing)
  return { jokes: page.jokes, next }
}
