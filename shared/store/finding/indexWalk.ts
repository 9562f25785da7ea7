/**
 * Walks along an index in its order. An index has a category partition for each category: its listed jokes, sorted by a
 * field. A walk merges the category partitions of a listing.
 */
import * as v from 'valibot'
import { CATEGORIES } from '../../joke.ts'
import type { Listing } from '../../listing.ts'
import { filterBy, JOKE_BYTES, SearchableJoke, validItems } from '../item.ts'
import type { BudgetedReads } from './budgetedReads.ts'
import { encodeCursor, NumberKey, StringKey } from './cursor.ts'
import { beforeValue, compareIn, comparePositions, type IndexedField, type Position, positionOf } from './order.ts'
import { matchesListing, type Page, PageJokes } from './page.ts'
import { PartitionReader, readInParallel } from './partitionReader.ts'

const INDEXES = {
  thumbsUp: { name: 'byThumbsUp', sortKey: NumberKey },
  dateAdded: { name: 'byDateAdded', sortKey: StringKey },
} as const

/** The cursor of a walk. The last row read may be damaged, so its key may be any that DynamoDB accepts. */
export const walkIndexCursor = (field: IndexedField) =>
  v.strictObject({
    plan: v.literal('walkIndex'),
    /** The position after which each category continues. An absent category begins at its start. */
    positions: v.record(v.string(), v.optional(v.tuple([INDEXES[field].sortKey, StringKey]))),
    /** The position of the last joke shown before, if the search sorted its jokes until they became too many. */
    shownUpTo: v.optional(v.tuple([INDEXES[field].sortKey, StringKey])),
  })
type WalkIndexCursor = v.InferOutput<ReturnType<typeof walkIndexCursor>>

export async function walkIndex(
  listing: Listing,
  field: IndexedField,
  reads: BudgetedReads,
  { positions = {}, shownUpTo }: Partial<WalkIndexCursor> = {},
): Promise<Page> {
  const { sortOrder, numberofJokes, categories = CATEGORIES } = listing
  // The index may order equal values in another way than a sort, so the walk reads them again, and omits those shown.
  const start = shownUpTo && beforeValue(sortOrder, shownUpTo)
  const readers = categories.map((category) =>
    openCategory(category, listing, field, positions[category] ?? start, reads),
  )
  const page = new PageJokes(numberofJokes, reads.store.limits.pageBytes)
  const heads = () => readers.flatMap((reader) => (reader.head ? [{ reader, row: reader.head }] : []))
  const haveEnded = () => readers.every(({ hasEnded }) => hasEnded)
  const isFull = () => page.room === 0 && heads().length > 0
  const isWanted = ({ found, position }: Row) =>
    matchesListing(found, listing) && !(shownUpTo && comparePositions(sortOrder, position, shownUpTo) <= 0)
  while (!haveEnded() && !isFull()) {
    // Ties go to the category that has contributed the fewest jokes so far.
    const [first] = heads().toSorted(
      (a, b) => compareIn(sortOrder, a.row.position[0], b.row.position[0]) || a.reader.taken - b.reader.taken,
    )
    const unread = readers.filter((reader) => !reader.head && !reader.reaches(first?.row.position))
    if (!first || unread.length > 0) {
      if (!(await readInParallel(nextToRead(unread, listing)))) break
    } else {
      if (isWanted(first.row) && !page.add(first.row.found.joke)) break
      first.reader.take()
    }
  }
  if (haveEnded()) return { jokes: page.jokes }
  // A category without a position gets this one, or jokes that are added to it later would appear out of order.
  const last = page.jokes.at(-1)
  const beforeLastShown = last && beforeValue(sortOrder, positionOf(last, field))
  const next: WalkIndexCursor = { plan: 'walkIndex', positions: { ...positions }, shownUpTo }
  // Keeps the positions of further categories. During a deploy, a newer version may have written them.
  for (const [index, category] of categories.entries())
    next.positions[category] = readers[index]?.resumeAfter ?? beforeLastShown
  return { jokes: page.jokes, next: encodeCursor(next, listing) }
}

/**
 * Chooses the categories to read next. In a search, several would share the budget, and each would read few rows. So
 * once all have been read, it chooses the one that was read least far. Ties go to the one with the fewest rows read.
 */
function nextToRead(unread: CategoryReader[], { searchWords, sortOrder }: Listing) {
  if (!searchWords || unread.some(({ rowsRequested }) => rowsRequested === 0)) return unread
  const votesReached = ({ readUpTo }: CategoryReader) => readUpTo?.[0] ?? 0
  return unread
    .toSorted((a, b) => compareIn(sortOrder, votesReached(a), votesReached(b)) || a.rowsRequested - b.rowsRequested)
    .slice(0, 1)
}

interface Row {
  found: SearchableJoke
  position: Position
}
type CategoryReader = PartitionReader<Row, Position>

function openCategory(
  category: string,
  listing: Listing,
  field: IndexedField,
  start: Position | undefined,
  reads: BudgetedReads,
): CategoryReader {
  const { sortOrder, searchWords } = listing
  const filter = searchWords && filterBy(searchWords)
  const partitionReads = reads.withBudget(reads.store.limits.partition)
  return new PartitionReader({
    // Ignores ids, because DynamoDB orders equal values in its own way.
    compare: ([a], [b]) => compareIn(sortOrder, a, b),
    start,
    minLimit: firstLimit(listing),
    affordable: (readers) =>
      Math.min(partitionReads.affordableRows(JOKE_BYTES, 1), reads.affordableRows(JOKE_BYTES, readers)),
    read: async (after, limit) => {
      const { Items = [], LastEvaluatedKey } = await partitionReads.query(JOKE_BYTES, {
        TableName: reads.store.jokesTable,
        IndexName: INDEXES[field].name,
        KeyConditionExpression: 'shelf = :shelf',
        FilterExpression: filter?.expression,
        ExpressionAttributeValues: { ':shelf': category, ...filter?.values },
        ExclusiveStartKey: after && { shelf: category, [field]: after[0], id: after[1] },
        ScanIndexForward: sortOrder === 'asc',
        Limit: limit,
      })
      const jokes = validItems(SearchableJoke, Items)
      return {
        rows: jokes.map((found) => ({ found, position: positionOf(found.joke, field) })),
        readUpTo: LastEvaluatedKey && [LastEvaluatedKey[field], LastEvaluatedKey.id],
      }
    },
  })
}

/**
 * Returns how many rows to read first from each category: its share of the wanted rows, two standard deviations, and
 * one row to see whether more follow. So evenly mixed categories rarely need a second read.
 */
function firstLimit(listing: Listing): number {
  const { numberofJokes, categories = CATEGORIES } = listing
  const share = numberofJokes / categories.length
  return Math.ceil(share + 2 * Math.sqrt(share * (1 - 1 / categories.length))) + 1
}
