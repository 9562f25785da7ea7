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
export function comparePositions(sortOrder: Listing['sortOrder'], a: Position, b: Position): number {
  return compareIn(sortOrder, a[0], b[0]) || compare(a[1], b[1])
}

/** Negative if one value comes before another, such as those by which an index is sorted. */
export function compareIn(sortOrder: Listing['sortOrder'], a: SortValue, b: SortValue): number {
  return sortOrder === 'asc' ? compare(a, b) : compare(b, a)
}

/** Compares two values of the same type. For numbers and ASCII, DynamoDB has the same order. */
export function compare(a: SortValue, b: SortValue): number {
  return a < b ? -1 : Number(a > b)
}
