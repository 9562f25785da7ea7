/** Reads the sorted indexes. Each holds the listed jokes on shelves, one for each category. */
import * as v from 'valibot'
import type { Position, RingCursor, WalkCursor } from '../cursor.ts'
import { CATEGORIES, JokeId, type StoredJoke } from '../joke.ts'
import type { Listing, SortField } from '../listing.ts'
import { filterBy, ID_ROW_BYTES, JOKE_BYTES, properItems, SearchableJoke } from './item.ts'
import { comparePositions, compareValues, positionOf, type SortedListing } from './order.ts'
import type { Reads } from './reads.ts'
import { type Source, union } from './sources.ts'
import type { JOKES } from './tables.ts'

/** A row of a sorted index. */
interface IndexRow {
  id: string
  position: Position
  /** Absent: the index does not hold the joke itself. */
  found?: SearchableJoke
}

/**
 * Walks along the shelves of a listing, in its order, until its page is full or, in a search, `walkRows` are read.
 *
 * @returns rows that may match the listing, and where to continue; undefined: there are no more
 */
export async function walk(
  listing: SortedListing,
  reads: Reads,
): Promise<{ rows: (Pick<IndexRow, 'id'> & { joke?: StoredJoke | undefined })[]; next: WalkCursor | undefined }> {
  const { sortBy, sortOrder, numberofJokes, searchWords } = listing
  // `byThumbsDown` does not hold the jokes. Those of the page are read by their ids afterwards, at most a unit each.
  const limit = sortBy === 'thumbsDown' ? Math.min(numberofJokes, MAX_READ_BY_ID) : numberofJokes
  const start = startOf(listing)
  const { shownUpTo } = start
  const metIds = new Set<string>()
  const { rows, next } = await readShelves(listing, reads, {
    sortKey: sortBy,
    sortOrder,
    start,
    limit,
    maxRows: searchWords ? reads.store.limits.walkRows : Number.POSITIVE_INFINITY,
    reservedUnits: sortBy === 'thumbsDown' ? limit : 0,
    take: ({ id, position, found }) => {
      if (shownUpTo && comparePositions(sortOrder, position, shownUpTo) <= 0) return false
      if (found && !reads.fits(found, listing)) return false
      // A joke that is upvoted during the walk may be met again further on.
      if (metIds.has(id)) return false
      metIds.add(id)
      return true
    },
  })
  return { rows: rows.map(({ id, found }) => ({ id, joke: found?.joke })), next: next && { ...next, shownUpTo } }
}

const MAX_READ_BY_ID = 100

/**
 * Walks along the ids of a listing's jokes, round the ring of all ids: beyond the last one, it goes on with the first. In
 * a search, it ends when `walkRows` are read.
 *
 * @returns at most `limit` ids of jokes that may match, and where to continue; undefined: the ring is closed
 */
export async function walkRing(
  listing: Listing,
  { after, last }: RingCursor,
  limit: number,
  reads: Reads,
  maxRows = listing.searchWords ? reads.store.limits.walkRows : Number.POSITIVE_INFINITY,
): Promise<{ ids: string[]; next?: RingCursor | undefined }> {
  const isBeyond = (after ?? '') >= last
  const walked = await readShelves(listing, reads, {
    sortKey: 'id',
    sortOrder: 'asc',
    start: {
      positions: Object.fromEntries(
        after === undefined ? [] : shelvesOf(listing).map((shelf) => [shelf, [after, after]]),
      ),
    },
    upTo: isBeyond ? undefined : last,
    limit,
    maxRows,
    // At least half of the units are for the jokes.
    reservedUnits: reads.store.limits.readUnits / 2,
  })
  const ids = walked.rows.map(({ id }) => id)
  const readUpTo = walked.readUpTo?.[1]
  if (!isBeyond && (!walked.next || readUpTo === last)) return { ids }
  if (walked.next) return { ids, next: { after: readUpTo, last } }
  const rest = await walkRing(listing, { last }, limit - ids.length, reads, maxRows - walked.rowsRequested)
  return { ids: [...ids, ...rest.ids], next: rest.next }
}

/** Where a walk starts. */
function startOf(listing: SortedListing): WalkCursor {
  const { cursor, sortOrder } = listing
  if (cursor && 'walk' in cursor) return cursor.walk
  if (!cursor || !('shownUpTo' in cursor)) return { positions: {} }
  const { shownUpTo } = cursor
  const [value, id] = shownUpTo
  // Jokes of the same value are read again: the index may order them in another way than the search did.
  const step = sortOrder === 'asc' ? -1 : 1
  const positions = shelvesOf(listing).map((shelf) => [shelf, [Number(value) + step, id]])
  return { positions: Object.fromEntries(positions), shownUpTo }
}

/** The shelves of a listing. */
export function shelvesOf({ category }: Pick<Listing, 'category'>): string[] {
  return category === undefined ? [...CATEGORIES] : [category]
}

/** The index for each sort key: its name, the size of its largest row, and what its rows hold. */
const INDEXES = {
  thumbsUp: { name: 'byThumbsUp', rowBytes: JOKE_BYTES, row: jokeRow('thumbsUp') },
  dateAdded: { name: 'byDateAdded', rowBytes: JOKE_BYTES, row: jokeRow('dateAdded') },
  thumbsDown: {
    name: 'byThumbsDown',
    rowBytes: ID_ROW_BYTES,
    row: v.pipe(
      v.object({ id: JokeId, thumbsDown: v.number() }),
      v.transform(({ id, thumbsDown }): IndexRow => ({ id, position: [thumbsDown, id] })),
    ),
  },
  id: {
    name: 'byId',
    rowBytes: ID_ROW_BYTES,
    row: v.pipe(
      v.object({ id: JokeId }),
      v.transform(({ id }): IndexRow => ({ id, position: [id, id] })),
    ),
  },
} satisfies Record<
  SortField | 'id',
  { name: keyof typeof JOKES.indexes; rowBytes: number; row: v.GenericSchema<unknown, IndexRow> }
>

function jokeRow(sortBy: SortField) {
  return v.pipe(
    SearchableJoke,
    v.transform((found): IndexRow => ({ id: found.joke.id, position: positionOf(found.joke, sortBy), found })),
  )
}

interface ShelfOptions {
  sortKey: keyof typeof INDEXES
  sortOrder: Listing['sortOrder']
  start: WalkCursor
  /** The last sort key to read; absent: all. */
  upTo?: string | undefined
  /** How many rows to return at most. */
  limit: number
  /** How many rows to read at most, whether they match or not. */
  maxRows: number
  /** Read units to keep for other reads. */
  reservedUnits: number
  /** Whether to return a row; called once for each, in their order. */
  take?(row: IndexRow): boolean
}

/** Reads a listing's shelves in the order of one index, without jokes that cannot match its search. */
async function readShelves(listing: Listing, reads: Reads, options: ShelfOptions) {
  const { sortKey, sortOrder, start, upTo, limit, maxRows, reservedUnits, take = () => true } = options
  const index = INDEXES[sortKey]
  const shelves = shelvesOf(listing)
  const filter = listing.searchWords && filterBy(listing.searchWords)
  let rowsRequested = 0
  const sources = shelves.map(
    (shelf): Source<IndexRow, Position> => ({
      resumeAfter: start.positions[shelf],
      read: async (after, readLimit) => {
        rowsRequested += readLimit
        const { Items = [], LastEvaluatedKey } = await reads.query({
          TableName: reads.store.jokesTable,
          IndexName: index.name,
          KeyConditionExpression: `shelf = :shelf${upTo === undefined ? '' : ` AND ${sortKey} <= :upTo`}`,
          FilterExpression: filter?.expression,
          ExpressionAttributeValues: { ':shelf': shelf, ':upTo': upTo, ...filter?.values },
          ExclusiveStartKey: after && { shelf, [sortKey]: after[0], id: after[1] },
          ScanIndexForward: sortOrder === 'asc',
          Limit: readLimit,
        })
        const rows: IndexRow[] = []
        for (const item of Items) {
          rows.push(...properItems(index.row, [item]).filter(take))
          // The rows after this one are left to the next page.
          if (reads.isTooLong) return { rows, readUpTo: [item[sortKey], item.id] }
        }
        return { rows, readUpTo: LastEvaluatedKey && [LastEvaluatedKey[sortKey], LastEvaluatedKey.id] }
      },
    }),
  )
  const { rows, hasMore, resumeAfter, turn, readUpTo } = await union(sources, {
    compare: (one, other) => compareValues(sortOrder, one, other),
    limit,
    firstReadLimit: firstReadLimit(limit, shelves.length),
    rowsLeft: () => {
      const affordable = reads.affordableRows(index.rowBytes, reservedUnits)
      const isWorthwhile = affordable >= MIN_ROWS * shelves.length || rowsRequested === 0
      return isWorthwhile ? Math.min(maxRows - rowsRequested, affordable) : 0
    },
    turn: Math.max(0, shelves.indexOf(start.turn ?? '')),
  })
  const positions = Object.fromEntries(shelves.map((shelf, number) => [shelf, resumeAfter[number]]))
  const next: WalkCursor = { positions, turn: shelves[turn] }
  return { rows, readUpTo, rowsRequested, next: hasMore ? next : undefined }
}

/** Reading fewer jokes of usual length from a shelf costs as much as reading these: half a unit. */
const MIN_ROWS = 8

/**
 * How many rows to read first from each shelf, so that evenly mixed shelves rarely need a second read: its share of the
 * rows wanted, two standard deviations, and one row to see whether there are more.
 */
function firstReadLimit(wanted: number, shelves: number): number {
  const share = wanted / shelves
  return Math.ceil(share + 2 * Math.sqrt(share * (1 - 1 / shelves))) + 1
}
