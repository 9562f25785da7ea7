/** The order of a listing. */
import type { StoredJoke } from '../../joke.ts'
import type { Listing } from '../../listing.ts'

/** The fields by which an index is sorted. */
export type IndexedField = 'thumbsUp' | 'dateAdded'

/** A joke's position in the order of a listing: its value of the sort field, and its id. */
export type Position = [value: SortValue, id: string]

type SortValue = string | number

export function positionOf(joke: StoredJoke, field: IndexedField): Position {
  return [joke[field], joke.id]
}

/** Negative if one position comes before another. */
export function comparePositions(sortOrder: Listing['sortOrder'], one: Position, other: Position): number {
  return compareIn(sortOrder, one[0], other[0]) || compare(one[1], other[1])
}

/** Negative if one value comes before another, such as those by which an index is sorted. */
export function compareIn(sortOrder: Listing['sortOrder'], one: SortValue, other: SortValue): number {
  return sortOrder === 'asc' ? compare(one, other) : compare(other, one)
}

/** Compares two values of the same type. For numbers and ASCII, DynamoDB has the same order. */
export function compare(one: SortValue, other: SortValue): number {
  return one < other ? -1 : Number(one > other)
}
