/** Searches by date: the jokes that stand in all word lists of a search, in the order of their dates. */
import * as v from 'valibot'
import type { Listing } from '../../listing.ts'
import { longest, longestBeginningOf } from '../../words.ts'
import { properItems } from '../item.ts'
import { categoryList, holdsWord, ParsedRow, WORD_ROW_BYTES } from '../wordRows.ts'
import type { BudgetedReads } from './budgetedReads.ts'
import { decodeCursor, encodeCursor, StringKey } from './cursor.ts'
import { Intersection } from './intersection.ts'
import { compareIn, compareKeys } from './order.ts'
import { addMatching, type Candidate, type Page, PageJokes } from './page.ts'
import { PartitionReader } from './partitionReader.ts'

/** Where a search by date continues: after a position in the lists. */
const ListsCursor = v.strictObject({ plan: v.literal('lists'), after: v.optional(StringKey) })
type ListsCursor = v.InferOutput<typeof ListsCursor>

export async function searchByDate(listing: Listing, reads: BudgetedReads): Promise<Page> {
  const { lists: budget, pageBytes } = reads.store.limits
  const start = decodeCursor(ListsCursor, listing)?.after
  const lists = openLists(listing, reads.withBudget(budget), { after: start })
  const page = new PageJokes(listing.numberofJokes, pageBytes)
  const { last, hasMore } = await addMatching(page, (count) => lists.next(count), listing, reads)
  const { jokes } = page
  if (!hasMore && lists.hasEnded) return { jokes }
  // What was read and is not on the page comes first on the next one.
  const next: ListsCursor = { plan: 'lists', after: hasMore ? (last?.position ?? start) : lists.resumeAfter }
  return { jokes, next: encodeCursor(next, listing) }
}

/** A row of a list or of a ring. */
export interface Row extends Candidate {
  /** Where reading continues after it. */
  position: string
}

/** A part of a list or a ring: what stands after one position, up to another one. Absent: from the start, to the end. */
export interface Range {
  after?: string | undefined
  upTo?: string | undefined
}

/** Opens the lists of a search: those of its longest words, and that of its category if it has only one. */
export function openLists(listing: Listing, reads: BudgetedReads, range: Range = {}): Intersection<Row, string> {
  const { searchWords = [], categories, sortOrder } = listing
  const { rowsPerJoke } = reads.store.limits
  const isOfCategory = ({ category }: ParsedRow) => !categories || categories.some((each) => each === category)
  const wordsByList = Map.groupBy(longest(searchWords, MAX_LISTS), longestBeginningOf)
  const readers = Array.from(wordsByList, ([prefix, words]) => {
    const isWanted = (row: ParsedRow) => isOfCategory(row) && words.every((word) => holdsWord(row, word))
    return openList(prefix, rowsPerJoke, isWanted, listing, range, reads)
  })
  // Rows tell the category themselves, so its list is worth reading only if it has the fewest.
  const [category, ...others] = categories ?? []
  if (category && others.length === 0)
    readers.push(openList(categoryList(category), 1, () => true, listing, range, reads))
  const compare = (one: string, other: string) => compareIn(sortOrder, one, other)
  return new Intersection(readers, compare, (position) => stepBack(position, sortOrder))
}

/** The position directly before a place, the newest first. */
export function positionBefore(place: string): string {
  return place + AFTER_PLACE
}

/** The lists of the longest words suffice, which are the most selective: candidates are checked for all words. */
const MAX_LISTS = 8

/** Sorts directly after the `#` that follows a place. */
const AFTER_PLACE = '$'

/** The position directly after a place. */
function afterPlace(place: string, sortOrder: Listing['sortOrder']): string {
  return sortOrder === 'asc' ? place + AFTER_PLACE : place
}

/** From the position directly after a place to the one before it. */
function stepBack(position: string, sortOrder: Listing['sortOrder']): string {
  // Without its last letter, a place sorts directly before itself.
  return sortOrder === 'asc' ? position.slice(0, -AFTER_PLACE.length - 1) : positionBefore(position)
}

function openList(
  prefix: string,
  rowsPerCandidate: number,
  isWanted: (row: ParsedRow) => boolean,
  { sortOrder, numberofJokes }: Listing,
  { after: start, upTo }: Range,
  reads: BudgetedReads,
): PartitionReader<Row, string> {
  // Only windows of random orders have an end, and these go from the newest to the oldest.
  const end = upTo === undefined ? '' : ' AND entry >= :upTo'
  const compare = (one: string, other: string) => compareIn(sortOrder, one, other)
  return new PartitionReader({
    compare,
    start,
    leastLimit: Math.max(reads.store.limits.firstRows, numberofJokes + 1),
    rowsPerCandidate,
    affordable: (readers) => reads.affordableRows(WORD_ROW_BYTES, readers),
    read: async (after, limit) => {
      // DynamoDB refuses to start beyond the end.
      if (after !== undefined && upTo !== undefined && compareKeys(after, upTo) <= 0) return { rows: [] }
      const { Items, LastEvaluatedKey } = await reads.query(WORD_ROW_BYTES, {
        TableName: reads.store.wordsTable,
        KeyConditionExpression: `prefix = :prefix${end}`,
        ExpressionAttributeValues: { ':prefix': prefix, ':upTo': upTo },
        ExclusiveStartKey: after === undefined ? undefined : { prefix, entry: after },
        ScanIndexForward: sortOrder === 'asc',
        Limit: limit,
      })
      const rows = properItems(ParsedRow, Items).filter(isWanted)
      return {
        rows: rows.map(({ id, place }) => ({ id, places: [place], position: afterPlace(place, sortOrder) })),
        // Not after its place: while a joke is reindexed, a second row of it may follow.
        readUpTo: LastEvaluatedKey && String(LastEvaluatedKey.entry),
      }
    },
  })
}
