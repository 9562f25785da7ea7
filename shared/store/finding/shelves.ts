/** Walks along an index. Each holds the listed jokes on shelves, one for each category, in the order of one field. */
import type { Position, WalkCursor } from '../../cursor.ts'
import { CATEGORIES } from '../../joke.ts'
import type { Listing } from '../../listing.ts'
import { FIELD_BYTES, filterBy, JOKE_BYTES, properItems, SearchableJoke } from '../item.ts'
import { comparePositions, type IndexedField, inOrder, positionOf } from './order.ts'
import { matchesListing, type Page, PageJokes } from './page.ts'
import type { Reads } from './reads.ts'
import { type Source, Union } from './union.ts'

/** The index of each field, and the size of its largest row. */
const INDEXES = {
  thumbsUp: { name: 'byThumbsUp', rowBytes: JOKE_BYTES },
  dateAdded: { name: 'byDateAdded', rowBytes: FIELD_BYTES },
} as const

/** A page of the jokes that a listing asks for, in the order of a field, from where a cursor says. */
export async function walk(
  listing: Listing,
  field: IndexedField,
  { positions, nextShelf = '', shownUpTo }: WalkCursor,
  reads: Reads,
): Promise<Page> {
  const { sortOrder, numberofJokes } = listing
  const shelves = shelvesOf(listing)
  const union = openShelves(shelves, listing, field, positions, reads)
  union.nextSource = Math.max(0, shelves.indexOf(nextShelf))
  const page = new PageJokes(numberofJokes, reads.store.limits.pageBytes)
  const seen = new Set<string>()
  for (;;) {
    // Full, and there is more.
    if (page.missing === 0 && union.hasPending) break
    const row = union.head
    if (row === undefined) {
      if (union.hasEnded) return { jokes: page.jokes }
      if (!(await union.read())) break
      continue
    }
    const wasShown = shownUpTo && comparePositions(sortOrder, row.position, shownUpTo) <= 0
    // A joke that is upvoted during the walk may be met again further on.
    const isWanted = !wasShown && !seen.has(row.found.joke.id) && matchesListing(row.found, listing)
    if (isWanted && !page.add(row.found.joke)) break
    seen.add(row.found.joke.id)
    union.take()
  }
  const next = Object.fromEntries(shelves.map((shelf, index) => [shelf, union.positions[index]]))
  return { jokes: page.jokes, next: { plan: 'walk', positions: next, nextShelf: shelves[union.nextSource], shownUpTo } }
}

/** The same position on all shelves of a listing. */
export function everywhere(listing: Listing, position: Position): WalkCursor['positions'] {
  return Object.fromEntries(shelvesOf(listing).map((shelf) => [shelf, position]))
}

function shelvesOf({ categories }: Listing): readonly string[] {
  return categories ?? CATEGORIES
}

/** A row of an index. */
interface Row {
  found: SearchableJoke
  position: Position
}

function openShelves(
  shelves: readonly string[],
  { sortOrder, numberofJokes, searchWords }: Listing,
  field: IndexedField,
  positions: WalkCursor['positions'],
  reads: Reads,
) {
  const { name, rowBytes } = INDEXES[field]
  const filter = searchWords && filterBy(searchWords)
  const sources = shelves.map((shelf): Source<Row, Position> => {
    const partition = { name: `${name} ${shelf}`, rowBytes }
    return {
      start: positions[shelf],
      affordable: (count) => reads.affordableRows(partition, count),
      read: async (after, limit) => {
        const { Items = [], LastEvaluatedKey } = await reads.query(partition, {
          TableName: reads.store.jokesTable,
          IndexName: name,
          KeyConditionExpression: 'shelf = :shelf',
          FilterExpression: filter?.expression,
          ExpressionAttributeValues: { ':shelf': shelf, ...filter?.values },
          ExclusiveStartKey: after && { shelf, [field]: after[0], id: after[1] },
          ScanIndexForward: sortOrder === 'asc',
          Limit: limit,
        })
        const jokes = properItems(SearchableJoke, Items)
        return {
          rows: jokes.map((found) => ({ found, position: positionOf(found.joke, field) })),
          readUpTo: LastEvaluatedKey && [LastEvaluatedKey[field], LastEvaluatedKey.id],
        }
      },
    }
  })
  return new Union(sources, {
    // By their values alone: DynamoDB orders equal ones in its own way.
    compare: ([one], [other]) => inOrder(sortOrder, one, other),
    // Of a search, most rows are left out.
    firstLimit: searchWords ? Number.POSITIVE_INFINITY : firstLimit(numberofJokes, shelves.length),
  })
}

/**
 * How many rows to read first from each shelf, so that evenly mixed shelves rarely need a second read: its share of the
 * rows wanted, two standard deviations, and one row to see whether there are more.
 */
function firstLimit(wanted: number, shelves: number): number {
  const share = wanted / shelves
  return Math.ceil(share + 2 * Math.sqrt(share * (1 - 1 / shelves))) + 1
}
