/**
 * Listings and searches by votes, which the word lists do not hold. A search of few jokes reads and sorts all of them on
 * each page. Others walk along the index, which leaves out the jokes that do not match.
 */
import type { Position, WalkCursor } from '../../cursor.ts'
import type { Listing } from '../../listing.ts'
import { openLists } from './lists.ts'
import { comparePositions, positionOf } from './order.ts'
import { addMatching, type Page, PageJokes } from './page.ts'
import type { Reads } from './reads.ts'
import { everywhere, walk } from './shelves.ts'

export async function pageByVotes(listing: Listing, reads: Reads): Promise<Page> {
  const { cursor, searchWords } = listing
  // An index orders equal votes in its own way, so a listing that has begun to walk goes on with that.
  if (cursor?.plan === 'walk') return walk(listing, 'thumbsUp', cursor, reads)
  const shownUpTo = cursor?.plan === 'sorted' ? cursor.shownUpTo : undefined
  const page = searchWords && (await sortedPage(listing, shownUpTo, reads))
  return page ?? walk(listing, 'thumbsUp', startOf(listing, shownUpTo), reads)
}

/** Undefined: the jokes are too many, or their lists too long. */
async function sortedPage(listing: Listing, shownUpTo: Position | undefined, reads: Reads): Promise<Page | undefined> {
  const { sortOrder, numberofJokes } = listing
  const { sortedLists, sortedJokes, pageBytes } = reads.store.limits
  const lists = openLists(listing, reads.allot(sortedLists))
  const candidates = await lists.next(sortedJokes + 1)
  if (!lists.hasEnded || candidates.length > sortedJokes) return undefined
  const all = new PageJokes(candidates.length, Number.POSITIVE_INFINITY)
  const { hasMore } = await addMatching(all, (count) => candidates.splice(0, count), listing, reads)
  if (hasMore) return undefined
  const page = new PageJokes(numberofJokes, pageBytes)
  const unshown = all.jokes
    .map((joke) => ({ joke, position: positionOf(joke, 'thumbsUp') }))
    .filter(({ position }) => !shownUpTo || comparePositions(sortOrder, position, shownUpTo) > 0)
    .toSorted((one, other) => comparePositions(sortOrder, one.position, other.position))
  let last: Position | undefined
  for (const { joke, position } of unshown) {
    if (!page.add(joke)) return { jokes: page.jokes, next: last && { plan: 'sorted', shownUpTo: last } }
    last = position
  }
  return { jokes: page.jokes }
}

/** Where a walk starts. If a word has become common while somebody pages, it drops what was shown before. */
function startOf(listing: Listing, shownUpTo: Position | undefined): WalkCursor {
  if (shownUpTo === undefined) return { plan: 'walk', positions: {} }
  const [votes, id] = shownUpTo
  // Jokes of the same value are read again: the index may order them in another way than the search did.
  const step = listing.sortOrder === 'asc' ? -1 : 1
  return { plan: 'walk', positions: everywhere(listing, [Number(votes) + step, id]), shownUpTo }
}
