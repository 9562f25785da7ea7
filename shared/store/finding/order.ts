/** The order of a listing. */
import type { Position } from '../../cursor.ts'
import type { StoredJoke } from '../../joke.ts'
import type { Listing } from '../../listing.ts'

/** The fields by which an index is sorted. Nothing changes `thumbsDown`, so the order of dates is right for it, too. */
export type IndexedField = 'thumbsUp' | 'dateAdded'

type SortValue = string | number

/** A joke's position in the order of a field. */
export function positionOf(joke: StoredJoke, field: IndexedField): Position {
  return [joke[field], joke.id]
}

/** Negative if one position comes before another. */
export function comparePositions(sortOrder: Listing['sortOrder'], one: Position, other: Position): number {
  return inOrder(sortOrder, one[0], other[0]) || compare(one[1], other[1])
}

/** Negative if one value comes before another, such as those by which an index is sorted. */
export function inOrder(sortOrder: Listing['sortOrder'], one: SortValue, other: SortValue): number {
  return sortOrder === 'asc' ? compare(one, other) : compare(other, one)
}

/** Compares two values of the same type. DynamoDB orders texts by UTF-8, which is the same for dates, ids and ASCII. */
export function compare(one: SortValue, other: SortValue): number {
  return one < other ? -1 : Number(one > other)
}
