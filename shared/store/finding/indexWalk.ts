/**
 * Walks along an index, which holds the listed jokes on shelves, one for each category, in the order of one field. A walk
 * merges the shelves of the categories that a listing asks for.
 */
import * as v from 'valibot'
import { CATEGORIES } from '../../joke.ts'
import type { Listing } from '../../listing.ts'
import { FIELD_BYTES, filterBy, JOKE_BYTES, properItems, SearchableJoke } from '../item.ts'
import type { BudgetedReads } from './budgetedReads.ts'
import { encodeCursor, NumberKey, StringKey } from './cursor.ts'
import { compareIn, comparePositions, type IndexedField, type Position, positionOf } from './order.ts'
import { matchesListing, type Page, PageJokes } from './page.ts'
import { PartitionReader, readInParallel } from './partitionReader.ts'

/** The index of each field, the size of its largest row, and its sort key. */
const INDEXES = {
  thumbsUp: { name: 'byThumbsUp', rowBytes: JOKE_BYTES, sortKey: NumberKey },
  dateAdded: { name: 'byDateAdded', rowBytes: FIELD_BYTES, sortKey: StringKey },
} as const

/** Where a walk continues. The last row that it has read may be damaged, so its key may be any that DynamoDB accepts. */
export const shelvesCursor = (field: IndexedField) =>
  v.strictObject({
    plan: v.literal('shelves'),
    /** By shelf: the position after which it continues; absent: at its beginning. */
    positions: v.record(v.string(), v.optional(v.tuple([INDEXES[field].sortKey, StringKey]))),
  })
export interface ShelvesCursor extends v.InferOutput<ReturnType<typeof shelvesCursor>> {
  /** Of a search that was sorted before: the position up to which its jokes were shown. */
  shownUpTo?: Position | undefined
}

/** A page of the jokes that a listing asks for, in the order of a field. */
export async function walk(
  listing: Listing,
  field: IndexedField,
  reads: BudgetedReads,
  { positions, shownUpTo }: Omit<ShelvesCursor, 'plan'> = { positions: {} },
): Promise<Page> {
  const { sortOrder, numberofJokes } = listing
  const shelves = shelvesOf(listing)
  const readers = shelves.map((shelf) => openShelf(shelf, listing, field, positions[shelf], reads))
  const page = new PageJokes(numberofJokes, reads.store.limits.pageBytes)
  const seen = new Set<string>()
  for (;;) {
    const [first] = readers
      .flatMap((reader) => (reader.head ? [{ reader, row: reader.head }] : []))
      // Of equal values, the shelf of which fewest were taken comes first: so shelves take turns.
      .toSorted(
        (one, other) =>
          compareIn(sortOrder, one.row.position[0], other.row.position[0]) || one.reader.taken - other.reader.taken,
      )
    // Full, and there is more.
    if (first && page.room === 0) break
    const unread = readers.filter((reader) => !reader.head && !reader.reaches(first?.row.position))
    if (unread.length > 0) {
      if (await readInParallel(nextToRead(unread, listing))) continue
      break
    }
    if (!first) return { jokes: page.jokes }
    const { reader, row } = first
    const wasShown = shownUpTo && comparePositions(sortOrder, row.position, shownUpTo) <= 0
    // A joke that is upvoted during the walk may be met again further on.
    const isWanted = !wasShown && !seen.has(row.found.joke.id) && matchesListing(row.found, listing)
    if (isWanted && !page.add(row.found.joke)) break
    seen.add(row.found.joke.id)
    reader.take()
  }
  const reached = Object.fromEntries(shelves.map((shelf, index) => [shelf, readers[index]?.resumeAfter]))
  // A newer version may know further shelves, and runs beside this one during a deploy.
  const next: ShelvesCursor = { plan: 'shelves', positions: { ...positions, ...reached }, shownUpTo }
  return { jokes: page.jokes, next: encodeCursor(next, listing) }
}

/**
 * Chooses the categories to read on. In a search, several would share the budget, so each would read few rows. Once all have been
 * read, it chooses the one that was read least far, or, if votes are equal, the one with the fewest rows read.
 */
function nextToRead(unread: PartitionReader<Row, Position>[], { searchWords, sortOrder }: Listing) {
  if (!searchWords || unread.some(({ rowsAsked }) => rowsAsked === 0)) return unread
  const reached = ({ readUpTo }: PartitionReader<Row, Position>) => readUpTo?.[0] ?? 0
  return unread
    .toSorted((one, other) => compareIn(sortOrder, reached(one), reached(other)) || one.rowsAsked - other.rowsAsked)
    .slice(0, 1)
}

/** The shelves that hold the jokes of a listing. */
export function shelvesOf({ categories }: Listing): readonly string[] {
  return categories ?? CATEGORIES
}

/** A row of an index. */
interface Row {
  found: SearchableJoke
  position: Position
}

function openShelf(
  shelf: string,
  listing: Listing,
  field: IndexedField,
  start: Position | undefined,
  reads: BudgetedReads,
): PartitionReader<Row, Position> {
  const { sortOrder, numberofJokes, searchWords } = listing
  const { name, rowBytes } = INDEXES[field]
  const filter = searchWords && filterBy('words', searchWords)
  const own = reads.withBudget(reads.store.limits.partition)
  return new PartitionReader<Row, Position>({
    // By their values alone: DynamoDB orders equal ones in its own way.
    compare: ([one], [other]) => compareIn(sortOrder, one, other),
    start,
    leastLimit: firstLimit(numberofJokes, shelvesOf(listing).length),
    affordable: (readers) => Math.min(own.affordableRows(rowBytes, 1), reads.affordableRows(rowBytes, readers)),
    read: async (after, limit) => {
      const { Items = [], LastEvaluatedKey } = await own.query(rowBytes, {
        TableName: reads.store.jokesTable,
        IndexName: name,
        KeyConditionExpression: 'shelf = :shelf',
        FilterExpression: filter?.expression,
        ExpressionAttributeValues: { ':shelf': shelf, ...filter?.values },
        ExclusiveStartKey: after && { shelf, [field]: after[0], id: after[1] },
        ScanIndexForward: sortOrder === 'asc',
        Limit: limit,
      })
      const jokes = properItems(SearchableJoke, Items)
      return {
        rows: jokes.map((found) => ({ found, position: positionOf(found.joke, field) })),
        readUpTo: LastEvaluatedKey && [LastEvaluatedKey[field], LastEvaluatedKey.id],
      }
    },
  })
}

/**
 * How many rows to read first from each shelf, so that evenly mixed shelves rarely need a second read: its share of the
 * rows wanted, two standard deviations, and one row to see whether there are more.
 */
function firstLimit(wanted: number, shelves: number): number {
  const share = wanted / shelves
  return Math.ceil(share + 2 * Math.sqrt(share * (1 - 1 / shelves))) + 1
}
