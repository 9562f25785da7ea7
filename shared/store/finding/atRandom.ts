/**
 * Random orders. The jokes form a ring: all of them in the order of their ids, those of a search or of categories in the
 * order of their dates. From a point that the seed chooses, a listing takes them in windows of neighbours, round the ring
 * once; within a window they come in the order of a hash of seed and id, their rank. The cursor names the window and the
 * last rank shown, so the next page reads the same window again and goes on, whatever its size.
 */
import { createHash } from 'node:crypto'
import type { RandomCursor } from '../../cursor.ts'
import type { Listing } from '../../listing.ts'
import { STATE_NAME, type State } from '../item.ts'
import { placeOf } from '../wordRows.ts'
import { openLists, type Positioned, positionBefore, type Range } from './lists.ts'
import { compare, inOrder } from './order.ts'
import { addMatching, type Page, PageJokes } from './page.ts'
import type { Reads } from './reads.ts'

export async function pageAtRandom(listing: Listing, reads: Reads): Promise<Page> {
  const { seed, numberofJokes, searchWords, categories } = listing
  const { windowAgain: budget, pageBytes } = reads.store.limits
  const ring = searchWords || categories ? ringOfDates(listing) : RING_OF_IDS
  let cursor = listing.cursor?.plan === 'random' ? listing.cursor : await firstCursor(ring, seed, reads)
  const page = new PageJokes(numberofJokes, pageBytes)
  // A window takes its whole budget or none, so that it ends at the same joke on a page of any size.
  while (reads.has(budget)) {
    const window = await readWindow(ring, cursor, reads)
    const ranked = window.candidates
      .map((candidate) => ({ ...candidate, rank: rankOf(seed, candidate.id) }))
      .filter(({ rank }) => rank > cursor.shown)
      .toSorted((one, other) => compare(one.rank, other.rank))
    const { last, hasMore } = await addMatching(page, (count) => ranked.splice(0, count), listing, reads)
    const { start, begin } = cursor
    cursor = { plan: 'random', start, begin, end: window.end, shown: last?.rank ?? cursor.shown }
    if (hasMore || ranked.length > 0) break
    if (window.end === start) return { jokes: page.jokes }
    cursor = { plan: 'random', start, begin: window.end, shown: '' }
    if (page.missing === 0) break
  }
  return { jokes: page.jokes, next: cursor }
}

/** Text that orders jokes at random, another way for each seed. */
export function rankOf(seed: string, id: string): string {
  return createHash('sha256').update(`${seed} ${id}`).digest('base64url').slice(0, RANK_LENGTH)
}

/** 96 bits, so that no two jokes of a window have the same. */
const RANK_LENGTH = 16

/** A ring, and how to read a part of it. */
interface Ring {
  sortOrder: Listing['sortOrder']
  /** Where it begins for a seed. */
  startOf(seed: string, reads: Reads): Promise<string>
  /** Reads at most `limit` candidates, and how far; absent: to the end of the range. */
  read(range: Range, limit: number, reads: Reads): Promise<{ found: Positioned[]; readUpTo?: string | undefined }>
}

/** Ids are hashes, so their order is as good as random. */
const RING_OF_IDS: Ring = {
  sortOrder: 'asc',
  startOf: async (seed) => startOfIds(seed),
  read: async (range, limit, reads) => {
    const { ids, isComplete } = await readIds(range, limit, reads)
    return { found: ids.map((id) => ({ id, position: id })), readUpTo: isComplete ? undefined : ids.at(-1) }
  },
}

function ringOfDates(listing: Listing): Ring {
  return {
    sortOrder: 'desc',
    // Where the joke stands at which the ring of ids begins: its ring has no large gaps, as that of dates may have.
    startOf: async (seed, reads) => {
      const after = startOfIds(seed)
      const { ids } = await readIds({ after }, 1, reads)
      const [id = ''] = ids.length > 0 ? ids : (await readIds({}, 1, reads)).ids
      const found = (await reads.jokes([id])).get(id)
      return positionBefore(found ? placeOf(found.joke) : '')
    },
    read: async (range, limit, reads) => {
      const lists = openLists({ ...listing, numberofJokes: reads.store.limits.windowJokes }, reads, range)
      const found = await lists.next(limit)
      return { found, readUpTo: lists.hasEnded ? undefined : lists.resumeAfter }
    },
  }
}

async function firstCursor(ring: Ring, seed: string, reads: Reads): Promise<RandomCursor> {
  const start = await ring.startOf(seed, reads)
  return { plan: 'random', start, begin: start, shown: '' }
}

/** Reads the window that a cursor names, or finds out where it ends. */
async function readWindow(ring: Ring, cursor: RandomCursor, reads: Reads) {
  const { windowJokes, window, windowAgain } = reads.store.limits
  const ownReads = reads.allot(cursor.end === undefined ? window : windowAgain)
  const candidates: Positioned[] = []
  for (const range of rangesOf(ring, cursor)) {
    // One more than a window has, to know whether the ring ends with it.
    const limit = cursor.end === undefined ? windowJokes + 1 - candidates.length : Number.POSITIVE_INFINITY
    const { found, readUpTo } = await ring.read(range, limit, ownReads)
    candidates.push(...found)
    const last = cursor.end === undefined && candidates.length > windowJokes && candidates[windowJokes - 1]
    if (last) return { candidates: candidates.slice(0, windowJokes), end: last.position }
    // Its budget ends it earlier.
    if (readUpTo !== undefined) return { candidates, end: readUpTo }
  }
  return { candidates, end: cursor.end ?? cursor.start }
}

/** Positions before all others. A window whose budget is spent there ends there. */
const FIRST = { asc: '-', desc: '~' }

/** The ranges of a window: two if it goes on with the first joke after the last one. */
function rangesOf({ sortOrder }: Ring, { start, begin, end = start }: RandomCursor): Range[] {
  const isBeyond = inOrder(sortOrder, begin, start) < 0
  const endsBeyond = inOrder(sortOrder, end, start) <= 0
  return isBeyond || !endsBeyond
    ? [{ after: begin, upTo: end }]
    : [{ after: begin }, { after: FIRST[sortOrder], upTo: end }]
}

function startOfIds(seed: string): string {
  return createHash('sha256').update(seed).digest('base64url')
}

/** A row of the index by state, which holds keys only. */
const STATE_PARTITION = { name: 'byState', rowBytes: 100 }

/** The ids of listed jokes within a range, at most `limit`. */
async function readIds({ after, upTo }: Range, limit: number, reads: Reads) {
  // DynamoDB refuses to start beyond the end.
  if (after !== undefined && upTo !== undefined && after >= upTo) return { ids: [], isComplete: true }
  const state: State = 'listed'
  const { Items = [], LastEvaluatedKey } = await reads.query(STATE_PARTITION, {
    TableName: reads.store.jokesTable,
    IndexName: 'byState',
    KeyConditionExpression: `#state = :state${upTo === undefined ? '' : ' AND id <= :upTo'}`,
    ExpressionAttributeNames: STATE_NAME,
    ExpressionAttributeValues: { ':state': state, ':upTo': upTo },
    ExclusiveStartKey: after === undefined ? undefined : { state, id: after },
    Limit: Math.min(limit, reads.affordableRows(STATE_PARTITION, 1)),
  })
  return { ids: Items.map(({ id }) => String(id)), isComplete: LastEvaluatedKey === undefined }
}
