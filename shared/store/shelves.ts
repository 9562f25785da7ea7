/** Reads the sorted indexes. Each holds the listed jokes on shelves, one for each category. */
import { randomBytes } from 'node:crypto'
import * as v from 'valibot'
import type { Position, WalkCursor } from '../cursor.ts'
import { CATEGORIES, Joke, JokeId } from '../joke.ts'
import type { Listing, SortField } from '../listing.ts'
import { JOKES_TABLE } from './environment.ts'
import { filterBy, fits, properItems } from './item.ts'
import { ID_ROW_BYTES, JOKE_BYTES, WALK_ROWS } from './limits.ts'
import { merge, type Source } from './merge.ts'
import { comparePositions, compareValues, positionOf, type SortedListing } from './order.ts'
import type { Reads } from './reads.ts'
import type { JOKES } from './tables.ts'

/** A row of a sorted index. */
interface IndexRow {
  id: string
  position: Position
  /** Absent: the index does not hold the joke itself. */
  joke?: Joke
}

/**
 * Walks along the shelves of a listing, in its order, until its page is full or about `maxRows` rows are read.
 *
 * @returns rows that may match the listing, and where to continue; undefined: there are no more
 */
export async function walk(
  listing: SortedListing,
  maxRows: number,
  reads: Reads,
): Promise<{ rows: IndexRow[]; next: WalkCursor | undefined }> {
  const { sortBy, sortOrder, numberofJokes } = listing
  const start = startOf(listing)
  const { shownUpTo } = start
  const metIds = new Set<string>()
  const { rows, hasMore, ...end } = await readShelves(listing, reads, {
    sortKey: sortBy,
    sortOrder,
    start,
    limit: numberofJokes,
    maxRows,
    // `byThumbsDown` does not hold the jokes. Those of the page are read by their ids afterwards.
    reservedUnits: sortBy === 'thumbsDown' ? numberofJokes : 0,
    isWanted: ({ id, position, joke }) => {
      if (shownUpTo && comparePositions(sortOrder, position, shownUpTo) <= 0) return false
      if (joke && !fits(joke, listing)) return false
      // A joke that is upvoted during the walk may be met again further on.
      if (metIds.has(id)) return false
      metIds.add(id)
      return true
    },
  })
  if (!hasMore) return { rows, next: undefined }
  const positions = end.resumeAfter.map((position) => position ?? null)
  return { rows, next: { positions, turn: end.turn, shownUpTo } }
}

/**
 * The ids of a random sample of a listing's jokes. A search reads {@link WALK_ROWS} rows at most, so it may find fewer
 * than exist.
 */
export async function sampleIds(listing: Listing, reads: Reads): Promise<string[]> {
  const { numberofJokes, searchWords } = listing
  const limit = numberofJokes + SAMPLE_SLACK
  const maxRows = searchWords ? WALK_ROWS : Number.POSITIVE_INFINITY
  const options = { sortKey: 'id', sortOrder: 'asc', start: BEGINNING, reservedUnits: 0 } as const
  const values = { ':random': randomBytes(16).toString('base64url') }
  const { rows, rowsRequested } = await readShelves(listing, reads, {
    ...options,
    range: { condition: 'id > :random', values },
    limit,
    maxRows: maxRows / 2,
  })
  if (rows.length < limit) {
    const others = await readShelves(listing, reads, {
      ...options,
      range: { condition: 'id <= :random', values },
      limit: limit - rows.length,
      maxRows: maxRows - rowsRequested,
    })
    rows.push(...others.rows)
  }
  return shuffle(rows.map(({ id }) => id)).slice(0, numberofJokes)
}

/**
 * Jokes read besides those asked for, to draw the sample from all of them. A joke after a large gap between ids is drawn
 * more often than others; with 100 more, each joke's chance is within about 20 % of its share.
 */
const SAMPLE_SLACK = 100

/** A new list of the same items in random order. */
export function shuffle<Item>(items: Item[]): Item[] {
  const ranked = items.map((item) => ({ item, rank: Math.random() }))
  return ranked.toSorted((one, other) => one.rank - other.rank).map(({ item }) => item)
}

const BEGINNING: WalkCursor = { positions: [], turn: 0 }

/** Where a walk starts. */
function startOf({ cursor, category, sortOrder }: SortedListing): WalkCursor {
  if (cursor === undefined) return BEGINNING
  if ('walk' in cursor) return cursor.walk
  const { shownUpTo } = cursor
  const [value, id] = shownUpTo
  // Jokes of the same value are read again: the index may order them in another way than the lookup.
  const step = sortOrder === 'asc' ? -1 : 1
  const valueBefore = typeof value === 'number' ? value + step : new Date(Date.parse(value) + step).toISOString()
  return { positions: shelvesOf(category).map(() => [valueBefore, id]), turn: 0, shownUpTo }
}

function shelvesOf(category: Listing['category']): readonly string[] {
  return category === undefined ? CATEGORIES : [category]
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
    Joke,
    v.transform((joke): IndexRow => ({ id: joke.id, position: positionOf(joke, sortBy), joke })),
  )
}

interface ShelfOptions {
  sortKey: keyof typeof INDEXES
  sortOrder: Listing['sortOrder']
  /** The part of each shelf to read, as a condition on its sort key; absent: all of it. */
  range?: { condition: string; values: Record<string, string> }
  start: WalkCursor
  /** How many rows to return at most. */
  limit: number
  /** How many rows to read at most, whether they match or not. */
  maxRows: number
  /** Read units to keep for other reads. */
  reservedUnits: number
  isWanted?(row: IndexRow): boolean
}

/** Reads a listing's shelves in the order of one index, without jokes that cannot match its search. */
async function readShelves({ category, searchWords }: Listing, reads: Reads, options: ShelfOptions) {
  const { sortKey, sortOrder, range, start, limit, maxRows, reservedUnits, isWanted = () => true } = options
  const index = INDEXES[sortKey]
  const shelves = shelvesOf(category)
  const filter = searchWords && filterBy(searchWords)
  let rowsRequested = 0
  const sources = shelves.map(
    (shelf, number): Source<IndexRow, Position> => ({
      resumeAfter: start.positions[number] ?? undefined,
      read: async (after, readLimit) => {
        rowsRequested += readLimit
        const { Items, LastEvaluatedKey } = await reads.query({
          TableName: JOKES_TABLE,
          IndexName: index.name,
          KeyConditionExpression: range ? `shelf = :shelf AND ${range.condition}` : 'shelf = :shelf',
          FilterExpression: filter?.expression,
          ExpressionAttributeValues: { ':shelf': shelf, ...range?.values, ...filter?.values },
          ExclusiveStartKey: after && { shelf, [sortKey]: after[0], id: after[1] },
          ScanIndexForward: sortOrder === 'asc',
          Limit: readLimit,
        })
        return {
          rows: properItems(index.row, Items).filter(isWanted),
          readUpTo: LastEvaluatedKey && [LastEvaluatedKey[sortKey], LastEvaluatedKey.id],
        }
      },
    }),
  )
  const merged = await merge(sources, {
    compare: (one, other) => compareValues(sortOrder, one, other),
    limit,
    firstReadLimit: firstReadLimit(limit, shelves.length),
    rowsLeft: () => Math.min(maxRows - rowsRequested, reads.affordableRows(index.rowBytes, reservedUnits)),
    turn: start.turn,
  })
  return { ...merged, rowsRequested }
}

/**
 * How many rows to read first from each shelf, so that evenly mixed shelves rarely need a second read: its share of the
 * rows wanted, two standard deviations, and one row to see whether there are more.
 */
function firstReadLimit(wanted: number, shelves: number): number {
  const share = wanted / shelves
  return Math.ceil(share + 2 * Math.sqrt(share * (1 - 1 / shelves))) + 1
}
