/** The order of a listing. */
import type { Position } from '../cursor.ts'
import type { Joke } from '../joke.ts'
import type { Listing, SortField } from '../listing.ts'

/** Any listing except a random one. */
export type SortedListing = Omit<Listing, 'sortBy'> & { sortBy: SortField }

type Direction = Pick<Listing, 'sortOrder'>

/** A joke's position in the order of a listing. */
export function positionOf(joke: Joke, { sortBy }: SortedListing): Position {
  return [joke[sortBy], joke.id]
}

/** Negative if one position comes before another. */
export function comparePositions(direction: Direction, one: Position, other: Position): number {
  return compareValues(direction, one, other) || compare(one[1], other[1])
}

/** Compares positions by their values alone: each index has an order of its own among equal values. */
export function compareValues({ sortOrder }: Direction, [one]: Position, [other]: Position): number {
  return sortOrder === 'asc' ? compare(one, other) : compare(other, one)
}

function compare(one: string | number, other: string | number): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
