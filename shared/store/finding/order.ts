/** The order of a listing. */
import type { StoredJoke } from '../../joke.ts'
import type { Listing } from '../../listing.ts'

export type IndexedField = 'thumbsUp' | 'dateAdded'

/** A joke's position in the order of a listing: its value of the sort field, and its id. */
export type Position = [value: string | number, id: string]

export function positionOf(joke: StoredJoke, field: IndexedField): Position {
  return [joke[field], joke.id]
}

export function comparePositions(sortOrder: Listing['sortOrder'], a: Position, b: Position): number {
  return compareIn(sortOrder, a[0], b[0]) || compare(a[1], b[1])
}

/** Returns the position before all jokes with the same value. Among them, DynamoDB has an order of its own. */
export function beforeValue(sortOrder: Listing['sortOrder'], [value, id]: Position): Position {
  const isAscending = sortOrder === 'asc'
  if (typeof value === 'number') return [value + (isAscending ? -1 : 1), id]
  return [isAscending ? value.slice(0, -1) : `${value}$`, id]
}

/** Compares values of the sort field. */
export function compareIn(sortOrder: Listing['sortOrder'], a: string | number, b: string | number): number {
  return sortOrder === 'asc' ? compare(a, b) : compare(b, a)
}

/** Compares two values of the same type. DynamoDB orders numbers and ASCII in the same way. */
export function compare(a: string | number, b: string | number): number {
  return a < b ? -1 : Number(a > b)
}
