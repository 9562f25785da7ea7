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
import { compareIn, comparePositions, type IndexedField, type Position, positionOf } from './order.ts'
import { matchesListing, type Page, PageJokes } from './page.ts'
import { PartitionReader, readInParallel } from './partitionReader.ts'

/** The index of each field, and its sort key. */
const INDEXES = {
  thumbsUp: { name: 'byThumbsUp', sortKey: NumberKey },
  dateAdded: { name: 'byDateAdded', sortKey: StringKey },
} as const

/** The cursor of a walk. The last row read may be damaged, so its key may be any that DynamoDB accepts. */
export const indexCursor = (field: IndexedField) =>
  v.strictObject({
    plan: v.literal('walkIndex'),
    /** The position after which each category continues. An absent category begins at its start. */
    positions: v.record(v.string(), v.optional(v.tuple([INDEXES[field].sortKey, StringKey]))),
    /** The position of the last joke shown before, if the search sorted its jokes until they became too many. */
    shownUpTo: v.optional(v.tuple([INDEXES[field].sortKey, StringKey])),
  })
type IndexCursor = v.InferOutput<ReturnType<typeof indexCursor>>

export async function walk(
  listing: Listing,
  field: IndexedField,
  reads: BudgetedReads,
  { positions, shownUpTo }: Omit<IndexCursor, 'plan'> = { positions: {} },
): Promise<Page> {
  const { sortOrder, numberofJokes } = listing
  const categories = categoriesOf(listing)
  const readers = categories.map((category) => openCategory(category, listing, field, positions[category], reads))
  const page = new PageJokes(numberofJokes, reads.store.limits.pageBytes)
  for (;;) {
    const [first] = readers
      .flatMap((reader) => (reader.head ? [{ reader, row: reader.head }] : []))
      // Ties go to the category that has contributed the fewest jokes so far.
      .toSorted((a, b) => compareIn(sortOrder, a.row.position[0], b.row.position[0]) || a.reader.taken - b.reader.taken)
    // The page is full, and more jokes follow.
    if (first && page.room === 0) break
    const unread = readers.filter((reader) => !reader.head && !reader.reaches(first?.row.position))
    if (unread.length > 0) {
      if (await readInParallel(nextToRead(unread, listing))) continue
      break
    }
    if (!first) return { jokes: page.jokes }
    const { reader, row } = first
    const wasShown = shownUpTo && comparePositions(sortOrder, row.position, shownUpTo) <= 0
    if (!wasShown && matchesListing(row.found, listing) && !page.add(row.found.joke)) break
    reader.take()
  }
  const reached = Object.fromEntries(categories.map((category, index) => [category, readers[index]?.resumeAfter]))
  // Keeps the positions of further categories. During a deploy, a newer version may have written them.
  const next: IndexCursor = { plan: 'walkIndex', positions: { ...positions, ...reached }, shownUpTo }
  return { jokes: page.jokes, next: encodeCursor(next, listing) }
}

/**
 * Chooses the categories to read next. In a search, several would share the budget, and each would read few rows. So
 * once all have been read, it chooses the one that was read least far. Ties go to the one with the fewest rows read.
 */
function nextToRead(unread: PartitionReader<Row, Position>[], { searchWords, sortOrder }: Listing) {
  if (!searchWords || unread.some(({ rowsRequested }) => rowsRequested === 0)) return unread
  const reached = ({ readUpTo }: PartitionReader<Row, Position>) => readUpTo?.[0] ?? 0
  return unread
    .toSorted((a, b) => compareIn(sortOrder, reached(a), reached(b)) || a.rowsRequested - b.rowsRequested)
    .slice(0, 1)
}

export function categoriesOf({ categories }: Listing): readonly string[] {
  return categories ?? CATEGORIES
}

interface Row {
  found: SearchableJoke
  position: Position
}

function openCategory(
  category: string,
  listing: Listing,
  field: IndexedField,
  start: Position | undefined,
  reads: BudgetedReads,
): PartitionReader<Row, Position> {
  const { sortOrder, numberofJokes, searchWords } = listing
  const { name } = INDEXES[field]
  const filter = searchWords && filterBy(searchWords)
  const partitionReads = reads.withBudget(reads.store.limits.partition)
  return new PartitionReader<Row, Position>({
    // Ignores ids, because DynamoDB orders equal values in its own way.
    compare: ([a], [b]) => compareIn(sortOrder, a, b),
    start,
    minLimit: firstLimit(numberofJokes, categoriesOf(listing).length),
    affordable: (readers) =>
      Math.min(partitionReads.affordableRows(JOKE_BYTES, 1), reads.affordableRows(JOKE_BYTES, readers)),
    read: async (after, limit) => {
      const { Items = [], LastEvaluatedKey } = await partitionReads.query(JOKE_BYTES, {
        TableName: reads.store.jokesTable,
        IndexName: name,
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
function firstLimit(wanted: number, categories: number): number {
  const share = wanted / categories
  return Math.ceil(share + 2 * Math.sqrt(share * (1 - 1 / categories))) + 1
}
