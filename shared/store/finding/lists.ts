/** Reads the word lists: which jokes stand in all lists of a search, in the order of their dates. */
import type { Listing } from '../../listing.ts'
import { longest, longestBeginningOf } from '../../words.ts'
import { properItems } from '../item.ts'
import { categoryList, holdsWord, ParsedRow, WORD_ROW_BYTES } from '../wordRows.ts'
import { Intersection } from './intersection.ts'
import { inOrder } from './order.ts'
import type { Candidate } from './page.ts'
import type { Reads } from './reads.ts'
import { type Source, Union } from './union.ts'

/** A candidate of a ring or of lists. */
export interface Positioned extends Candidate {
  /** Where reading continues after it. */
  position: string
}

/** A part of the lists: what stands after one position, up to another one. Absent: from the start, to the end. */
export interface Range {
  after?: string | undefined
  upTo?: string | undefined
}

/** Opens the lists of a search: those of its longest words, and those of its categories. */
export function openLists(listing: Listing, reads: Reads, range: Range = {}): Intersection<Positioned, string> {
  const { searchWords = [], categories, sortOrder, numberofJokes } = listing
  const { firstRows, rowsPerJoke } = reads.store.limits
  const order = (one: string, other: string) => inOrder(sortOrder, one, other)
  const options = { compare: order, firstLimit: Math.max(firstRows, numberofJokes + 1) }
  const isOfCategory = ({ category }: ParsedRow) => !categories || categories.some((each) => each === category)
  const wordsByList = Map.groupBy(longest(searchWords, MAX_LISTS), longestBeginningOf)
  const unions = Array.from(wordsByList, ([prefix, words]) => {
    const isWanted = (row: ParsedRow) => isOfCategory(row) && words.every((word) => holdsWord(row, word))
    return new Union([sourceOf(prefix, isWanted, sortOrder, range, reads)], {
      ...options,
      rowsPerCandidate: rowsPerJoke,
    })
  })
  // Rows tell the category themselves, so its list is worth reading only if it has the fewest.
  if (categories !== undefined) {
    const sources = categories.map((category) => sourceOf(categoryList(category), () => true, sortOrder, range, reads))
    unions.push(new Union(sources, { ...options, rowsPerCandidate: 1 }))
  }
  return new Intersection(unions, order, (position) => stepBack(position, sortOrder))
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

function sourceOf(
  prefix: string,
  isWanted: (row: ParsedRow) => boolean,
  sortOrder: Listing['sortOrder'],
  { after: start, upTo }: Range,
  reads: Reads,
): Source<Positioned, string> {
  const partition = { name: `list ${prefix}`, rowBytes: WORD_ROW_BYTES }
  // Only windows of random orders have an end, and these go from the newest to the oldest.
  const end = upTo === undefined ? '' : ' AND entry >= :upTo'
  return {
    start,
    affordable: (count) => reads.affordableRows(partition, count),
    read: async (after, limit) => {
      // DynamoDB refuses to start beyond the end.
      if (after !== undefined && upTo !== undefined && inOrder(sortOrder, after, upTo) >= 0) return { rows: [] }
      const { Items, LastEvaluatedKey } = await reads.query(partition, {
        TableName: reads.store.wordsTable,
        KeyConditionExpression: `prefix = :prefix${end}`,
        ExpressionAttributeValues: { ':prefix': prefix, ':upTo': upTo },
        ExclusiveStartKey: after === undefined ? undefined : { prefix, entry: after },
        ScanIndexForward: sortOrder === 'asc',
        Limit: limit,
      })
      const rows = properItems(ParsedRow, Items).filter(isWanted)
      return {
        rows: rows.map(({ id, place }) => ({ id, place, position: afterPlace(place, sortOrder) })),
        // Not after its place: while a joke is reindexed, a second row of it may follow.
        readUpTo: LastEvaluatedKey && String(LastEvaluatedKey.entry),
      }
    },
  }
}
