/** The order of a listing. */
import type { StoredJoke } from '../../joke.ts'
import type { Listing } from '../../listing.ts'

export type IndexedField = 'thumbsUp' | 'dateAdded'

/** A joke's position in the order of a listing: its value of the sort field, and its id. */
export type Position = [value: SortValue, id: string]

type SortValue = string | number

export function positionOf(joke: StoredJoke, field: IndexedField): Position {
  return [joke[field], joke.id]
}

export function comparePositions(sortOrder: Listing['sortOrder'], a: Position, b: Position): number {
  return compareIn(sortOrder, a[0], b[0]) || compare(a[1], b[1])
}

/** Compares values of the sort field. */
export function compareIn(sortOrder: Listing['sortOrder'], a: SortValue, b: SortValue): number {
  return sortOrder === 'asc' ? compare(a, b) : compare(b, a)
}

/** Compares two values of the same type. DynamoDB orders numbers and ASCII in the same way. */
export function compare(a: SortValue, b: SortValue): number {
  return a < b ? -1 : Number(a > b)
}
