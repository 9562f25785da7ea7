/**
 * Random orders. Each joke has a rank, the hash of the seed and its id. A listing with few matches sorts them by rank.
 * A listing with many walks along the index `byState`: a ring of all listed jokes, in the order of their ids, which are
 * hashes. The seed decides where the walk begins. It takes matches in windows, and sorts each window by rank.
 */
import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { JokeId } from '../../joke.ts'
import type { Listing } from '../../listing.ts'
import { filterBy, STATE_NAME, STATE_ROW_BYTES, type State } from '../item.ts'
import type { BudgetedReads } from './budgetedReads.ts'
import { decodeCursor, encodeCursor, StringKey } from './cursor.ts'
import { gatherIds } from './invertedIndex.ts'
import { compare } from './order.ts'
import { isOfCategory, type Page, PageJokes } from './page.ts'

/** The cursor of a listing that sorts all its matches: the rank of the last joke shown. */
const SortCursor = v.strictObject({ plan: v.literal('sortByRank'), shownUpTo: v.string() })
type SortCursor = v.InferOutput<typeof SortCursor>

/** The cursor of a walk. */
const WalkCursor = v.strictObject({
  plan: v.literal('walkIds'),
  /** The jokes of the last window that were not shown, by rank. */
  left: v.array(JokeId),
  /** The id after which the next window begins, or `''` for the first id. Absent after a whole lap. */
  after: v.optional(v.union([v.literal(''), StringKey])),
  /** The rank of the last joke shown before, if the listing sorted its matches until they became too many. */
  shownUpTo: v.optional(v.string()),
})
type WalkCursor = v.InferOutput<typeof WalkCursor>

/** Matches with consecutive ids. */
interface Window {
  ids: string[]
  /** Number of ids that certainly match. Jokes with too many words for the filter may not. */
  certain: number
  rowsRead: number
  /** See {@link WalkCursor}. */
  after: string | undefined
}

const EMPTY_WINDOW = { ids: [], certain: 0, rowsRead: 0 }

export async function listAtRandom(listing: Listing, reads: BudgetedReads): Promise<Page> {
  const { partition, gather, windowMatches, manyMatches } = reads.store.limits
  const cursor = decodeCursor(v.variant('plan', [SortCursor, WalkCursor]), listing)
  const ringReads = reads.withBudget(partition)
  if (cursor?.plan === 'walkIds') return walk(cursor, listing, ringReads, reads)
  const shownUpTo = cursor?.shownUpTo
  const windowReads = ringReads.withBudget(gather)
  const start: Window = { ...EMPTY_WINDOW, after: startOf(listing) }
  // The first rows show whether the matches are few. A listing that has begun to sort goes on with that, if it can.
  const window = shownUpTo === undefined ? await readWindow(start, 0, listing, windowReads) : start
  if (window.after !== undefined && window.certain < manyMatches) {
    const ids = await gatherIds(listing, reads.withBudget(partition))
    if (ids) return sortedPage(ids, shownUpTo, listing, reads)
  }
  const first = await readWindow(window, windowMatches, listing, windowReads)
  return walk(cursorOf(first, shownUpTo, listing), listing, ringReads, reads)
}

/** Returns the rank of a joke. Sorting by rank gives a different random order for each seed. */
export function rankOf(seed: string, id: string): string {
  return createHash('sha256').update(`${seed} ${id}`).digest('base64url')
}

/** Sorts all matches for each page, so each joke comes once, even while jokes are added or removed. */
async function sortedPage(ids: string[], shownUpTo = '', listing: Listing, reads: BudgetedReads): Promise<Page> {
  const ranked = byRank(ids, shownUpTo, listing)
  const page = new PageJokes(listing.numberofJokes, reads.store.limits.pageBytes)
  const left = await page.addMatching(ranked, listing, reads)
  if (left.length === 0) return { jokes: page.jokes }
  const last = ranked.at(-left.length - 1)
  const next: SortCursor = { plan: 'sortByRank', shownUpTo: last?.rank ?? shownUpTo }
  return { jokes: page.jokes, next: encodeCursor(next, listing) }
}

async function walk(
  start: WalkCursor,
  listing: Listing,
  ringReads: BudgetedReads,
  reads: BudgetedReads,
): Promise<Page> {
  const { gather, windowMatches, pageBytes } = reads.store.limits
  const page = new PageJokes(listing.numberofJokes, pageBytes)
  for (let cursor = start; ; ) {
    const candidates = cursor.left.map((id) => ({ id }))
    const left = (await page.addMatching(candidates, listing, reads)).map(({ id }) => id)
    const { after, shownUpTo } = cursor
    if (left.length === 0 && after === undefined) return { jokes: page.jokes }
    // A window begins only if its whole budget is left, so that it ends at the same joke on pages of any size.
    if (left.length > 0 || page.room === 0 || !ringReads.has(gather))
      return { jokes: page.jokes, next: encodeCursor({ ...cursor, left }, listing) }
    const begun = { ...EMPTY_WINDOW, after }
    const window = await readWindow(begun, windowMatches, listing, ringReads.withBudget(gather))
    cursor = cursorOf(window, shownUpTo, listing)
  }
}

function cursorOf({ ids, after }: Window, shownUpTo: string | undefined, listing: Listing): WalkCursor {
  return { plan: 'walkIds', left: byRank(ids, shownUpTo, listing).map(({ id }) => id), after, shownUpTo }
}

/** Sorts ids by rank, and omits those that were shown. */
function byRank(ids: string[], shownUpTo: string | undefined, { seed }: Listing) {
  return ids
    .map((id) => ({ id, rank: rankOf(seed, id) }))
    .filter(({ rank }) => shownUpTo === undefined || rank > shownUpTo)
    .toSorted((a, b) => compare(a.rank, b.rank))
}

/** Extends a window until it has enough matches and rows. The ring or the budget may end it earlier. */
async function readWindow(begun: Window, matches: number, listing: Listing, reads: BudgetedReads): Promise<Window> {
  const { windowRows } = reads.store.limits
  let window = begun
  while (window.after !== undefined && (window.rowsRead < windowRows || window.ids.length < matches)) {
    const { ids, rowsRead, after } = window
    // Reads a quarter more rows than are probably needed, to save a further call.
    const likely = Math.ceil((1.25 * (matches - ids.length) * rowsRead) / Math.max(1, ids.length))
    const limit = Math.min(Math.max(windowRows - rowsRead, likely), reads.affordableRows(STATE_ROW_BYTES, 1))
    if (limit === 0) break
    window = await readRing(window, after, limit, listing, reads)
  }
  return window
}

/** Adds the matches of the next rows to a window. */
async function readRing(window: Window, after: string, limit: number, listing: Listing, reads: BudgetedReads) {
  const { searchWords } = listing
  const start = startOf(listing)
  // After the last id, the ring continues with the first one, up to the start.
  const isFirstLap = after >= start
  const filter = searchWords && filterBy(searchWords)
  const state: State = 'listed'
  const output = await reads.query(STATE_ROW_BYTES, {
    TableName: reads.store.jokesTable,
    IndexName: 'byState',
    KeyConditionExpression: isFirstLap ? '#state = :state' : '#state = :state AND id < :start',
    FilterExpression: filter?.expression,
    ExpressionAttributeNames: STATE_NAME,
    ExpressionAttributeValues: { ':state': state, ':start': isFirstLap ? undefined : start, ...filter?.values },
    ExclusiveStartKey: after === '' ? undefined : { state, id: after },
    Limit: limit,
  })
  const { Items = [], ScannedCount = limit, LastEvaluatedKey } = output
  const matches = Items.filter((item) => v.is(JokeId, item.id) && isOfCategory(item, listing))
  const certain = matches.filter(({ words }) => !searchWords || words !== undefined)
  const end = isFirstLap ? '' : undefined
  return {
    ids: [...window.ids, ...matches.map(({ id }) => id)],
    certain: window.certain + certain.length,
    rowsRead: window.rowsRead + ScannedCount,
    after: LastEvaluatedKey ? String(LastEvaluatedKey.id) : end,
  }
}

/** Returns where the walk begins. The hash is longer than an id, so no joke has it as its id. */
function startOf({ seed }: Listing): string {
  return createHash('sha256').update(seed).digest('base64url')
}
