/**
 * Random orders. Each joke has a rank, the hash of the seed and its id. A listing with few matches sorts them by rank.
 * A listing with many walks along the ring of ids. It takes matches in windows, and sorts each window by rank.
 */
import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { JokeId } from '../../joke.ts'
import type { Listing } from '../../listing.ts'
import type { BudgetedReads } from './budgetedReads.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { gatherIds } from './invertedIndex.ts'
import { compare } from './order.ts'
import { type Page, PageJokes } from './page.ts'
import { Arc, cutArc, EMPTY_WINDOW, extend, placeOf, type Window } from './ring.ts'

/** The cursor of a listing that sorts all its matches: the rank of the last joke shown. */
const RankCursor = v.strictObject({ plan: v.literal('sortByRank'), shownUpTo: v.string() })
type RankCursor = v.InferOutput<typeof RankCursor>

/** The cursor of a walk along the ring. */
const RingCursor = v.strictObject({
  plan: v.literal('walkRing'),
  /** The jokes of the last window that were not shown, by rank. */
  left: v.array(JokeId),
  /** The arcs for the next windows. None after a whole lap. */
  arcs: v.array(Arc),
  /** The rank of the last joke shown before, if the listing sorted its matches until they became too many. */
  shownUpTo: v.optional(v.string()),
})
type RingCursor = v.InferOutput<typeof RingCursor>

export async function listAtRandom(listing: Listing, reads: BudgetedReads): Promise<Page> {
  const { partition, indexLists, windowMatches, manyMatches } = reads.store.limits
  const cursor = decodeCursor(v.variant('plan', [RankCursor, RingCursor]), listing)
  const ring = reads.withBudget(partition)
  if (cursor?.plan === 'walkRing') return walkRing(cursor, listing, ring, reads)
  const shownUpTo = cursor?.shownUpTo
  const place = placeOf(listing.seed)
  const start: Window = { ...EMPTY_WINDOW, arcs: [[place, place]] }
  // The first rows show whether the matches are few. A listing that has begun to sort goes on with that, if it can.
  const begun = shownUpTo === undefined ? await extend(start, 0, listing, ring) : start
  let { arcs } = begun
  if (arcs.length > 0 && begun.certain < manyMatches) {
    const ids = await gatherIds(listing, reads.withBudget(indexLists))
    if (ids) return pageByRank(ids, shownUpTo, listing, reads)
    // Along the ring, rare matches after a large gap would come first too often.
    arcs = arcs.flatMap((arc) => cutArc(arc, listing.seed))
  }
  const window = await extend({ ...begun, arcs }, windowMatches, listing, ring)
  return walkRing(cursorOf(window, shownUpTo, listing), listing, ring, reads)
}

/** Returns the rank of a joke. Sorting by rank gives a different random order for each seed. */
export function rankOf(seed: string, id: string): string {
  return createHash('sha256').update(`${seed} ${id}`).digest('base64url')
}

/** Sorts all matches for each page, so each joke comes once, even while jokes are added or removed. */
async function pageByRank(ids: string[], shownUpTo = '', listing: Listing, reads: BudgetedReads): Promise<Page> {
  const ranked = byRank(ids, shownUpTo, listing)
  const page = new PageJokes(listing.numberofJokes, reads.store.limits.pageBytes)
  const left = await page.addMatching(ranked, listing, reads)
  if (left.length === 0) return { jokes: page.jokes }
  const next: RankCursor = { plan: 'sortByRank', shownUpTo: ranked.at(-left.length - 1)?.rank ?? shownUpTo }
  return { jokes: page.jokes, next: encodeCursor(next, listing) }
}

async function walkRing(from: RingCursor, listing: Listing, ring: BudgetedReads, reads: BudgetedReads): Promise<Page> {
  const { window: windowBudget, windowMatches, pageBytes } = reads.store.limits
  const page = new PageJokes(listing.numberofJokes, pageBytes)
  const show = async (cursor: RingCursor): Promise<RingCursor> => {
    const candidates = cursor.left.map((id) => ({ id }))
    const left = await page.addMatching(candidates, listing, reads)
    return { ...cursor, left: left.map(({ id }) => id) }
  }
  let next = await show(from)
  // A window begins only if its whole budget is left, so that it ends at the same joke on pages of any size.
  while (next.left.length === 0 && next.arcs.length > 0 && page.room > 0 && ring.has(windowBudget)) {
    const begun = { ...EMPTY_WINDOW, arcs: next.arcs }
    const window = await extend(begun, windowMatches, listing, ring)
    next = await show(cursorOf(window, from.shownUpTo, listing))
  }
  if (next.left.length === 0 && next.arcs.length === 0) return { jokes: page.jokes }
  return { jokes: page.jokes, next: encodeCursor(next, listing) }
}

function cursorOf({ ids, arcs }: Window, shownUpTo: string | undefined, listing: Listing): RingCursor {
  return { plan: 'walkRing', left: byRank(ids, shownUpTo, listing).map(({ id }) => id), arcs, shownUpTo }
}

/** Sorts ids by rank, and omits those that were shown. */
function byRank(ids: string[], shownUpTo: string | undefined, { seed }: Listing) {
  return ids
    .map((id) => ({ id, rank: rankOf(seed, id) }))
    .filter(({ rank }) => shownUpTo === undefined || rank > shownUpTo)
    .toSorted((a, b) => compare(a.rank, b.rank))
}
