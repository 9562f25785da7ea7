/** The inverted index: for the beginnings of words, and for categories, the lists of the jokes that have them. */
import type { Listing } from '../../listing.ts'
import { longest, longestBeginningOf } from '../../words.ts'
import { properItems } from '../item.ts'
import { categoryList, holdsWord, ParsedRow, WORD_ROW_BYTES } from '../wordRows.ts'
import type { BudgetedReads } from './budgetedReads.ts'
import { Intersection } from './intersection.ts'
import { compareIn } from './order.ts'
import type { Candidate } from './page.ts'
import { PartitionReader } from './partitionReader.ts'

/** A joke that all lists of a search have. */
export interface IndexedCandidate extends Candidate {
  /** Where reading continues after it. */
  position: string
}

/**
 * Finds all jokes that may match a listing, in no particular order.
 *
 * @param most reads no further for more than so many
 * @returns `undefined` if they are too many, or the listing asks for all jokes
 */
export async function gatherCandidates(
  listing: Listing,
  reads: BudgetedReads,
  most = Number.POSITIVE_INFINITY,
): Promise<Candidate[] | undefined> {
  const { searchWords, categories } = listing
  // One search covers several categories, because index entries name the category.
  const parts = searchWords ? [listing] : categories?.map((category) => ({ ...listing, categories: [category] }))
  const candidates: Candidate[] = []
  for (const part of parts ?? []) {
    // Pages of any size read the same, so that they make the same choice.
    const lists = openLists({ ...part, numberofJokes: 1 }, reads)
    candidates.push(...(await lists.next(most + 1 - candidates.length)))
    if (!lists.hasEnded || candidates.length > most) return undefined
  }
  return parts && candidates
}

/**
 * Opens the lists of a search: those of its longest words, and that of its category if it has only one.
 *
 * @param start the position after which to begin; by default, with the first joke
 */
export function openLists(
  listing: Listing,
  reads: BudgetedReads,
  start?: string,
): Intersection<IndexedCandidate, string> {
  const { searchWords = [], categories, sortOrder } = listing
  const { rowsPerJoke } = reads.store.limits
  const isOfCategory = ({ category }: ParsedRow) => !categories || categories.some((each) => each === category)
  const wordsByList = Map.groupBy(longest(searchWords, MAX_LISTS), longestBeginningOf)
  const readers = Array.from(wordsByList, ([prefix, words]) => {
    const isWanted = (row: ParsedRow) => isOfCategory(row) && words.every((word) => holdsWord(row, word))
    return openList(prefix, rowsPerJoke, isWanted, listing, start, reads)
  })
  // Entries name the category themselves, so its list is worth reading only if it has the fewest.
  const [category, ...others] = categories ?? []
  if (category && others.length === 0)
    readers.push(openList(categoryList(category), 1, () => true, listing, start, reads))
  const compare = (one: string, other: string) => compareIn(sortOrder, one, other)
  return new Intersection(readers, compare, (position) => stepBack(position, sortOrder))
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
  return sortOrder === 'asc' ? position.slice(0, -AFTER_PLACE.length - 1) : position + AFTER_PLACE
}

function openList(
  prefix: string,
  rowsPerCandidate: number,
  isWanted: (row: ParsedRow) => boolean,
  { sortOrder, numberofJokes }: Listing,
  start: string | undefined,
  reads: BudgetedReads,
): PartitionReader<IndexedCandidate, string> {
  return new PartitionReader({
    compare: (one, other) => compareIn(sortOrder, one, other),
    start,
    leastLimit: Math.max(reads.store.limits.firstRows, numberofJokes + 1),
    rowsPerCandidate,
    affordable: (readers) => reads.affordableRows(WORD_ROW_BYTES, readers),
    read: async (after, limit) => {
      const { Items, LastEvaluatedKey } = await reads.query(WORD_ROW_BYTES, {
        TableName: reads.store.wordsTable,
        KeyConditionExpression: 'prefix = :prefix',
        ExpressionAttributeValues: { ':prefix': prefix },
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
