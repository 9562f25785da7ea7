/** The order of a listing. */
import type { Position } from '../cursor.ts'
import type { StoredJoke } from '../joke.ts'
import type { Listing, SortField } from '../listing.ts'

/** Any listing except a random one. */
export type SortedListing = Omit<Listing, 'sortBy'> & { sortBy: SortField }

/** A joke's position in the order of a listing. */
export function positionOf(joke: StoredJoke, sortBy: SortField): Position {
  return [joke[sortBy], joke.id]
}

/** Negative if one position comes before another. */
export function comparePositions(sortOrder: Listing['sortOrder'], one: Position, other: Position): number {
  return compareValues(sortOrder, one, other) || compare(one[1], other[1])
}

/** Compares positions by their values alone. DynamoDB orders equal values of an index in its own way. */
export function compareValues(sortOrder: Listing['sortOrder'], [one]: Position, [other]: Position): number {
  return sortOrder === 'asc' ? compare(one, other) : compare(other, one)
}

/** Compares two values of the same type. DynamoDB orders texts by UTF-8, which is the same for dates, ids and ASCII. */
export function compare(one: string | number, other: string | number): number {
  return one < other ? -1 : Number(one > other)
}
