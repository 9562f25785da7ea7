/** Reading the sorted indexes. Each holds the listed jokes on shelves, one for each category. */
import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import type { Position, WalkCursor } from '../cursor.ts'
import { CATEGORIES, identify, Joke, JokeId } from '../joke.ts'
import type { Listing, SortField } from '../listing.ts'
import { JOKES_TABLE } from './environment.ts'
import { filterBy, fits, properItems } from './item.ts'
import { ID_ROW_BYTES, JOKE_BYTES, WALK_ROWS } from './limits.ts'
import { merge, type Source } from './merge.ts'
import type { Reads } from './reads.ts'
import type { JOKES } from './tables.ts'

/** Any listing except a random one. */
export type OrderedListing<SortBy extends SortField = SortField> = Omit<Listing, 'sortBy'> & { sortBy: SortBy }

/** What has a position in the order of a field. */
export type Sortable<SortBy extends SortField> = Pick<Joke, 'id' | SortBy>

/** What a row of an index tells; absent joke: the index does not hold it. */
export interface Row {
  position: Position
  joke?: Joke
}

/**
 * Walks along the shelves of a listing, and returns the rows that may match it in its order, and where to continue if
 * there are more. A search ends early, with what it has found, where it has read `maxRows`.
 */
export async function walk(
  listing: OrderedListing,
  maxRows: number,
  reads: Reads,
): Promise<{ rows: Row[]; next?: WalkCursor }> {
  const { category, sortBy, sortOrder, numberofJokes, words } = listing
  const { index, rowBytes, schema, holdsJokes } = INDEXES[sortBy]
  const { positions, lastShelf, shownUpTo } = startOf(listing)
  const shelves = shelvesOf(category)
  // Jokes that the index does not hold are read by their ids afterwards.
  const reservedUnits = holdsJokes ? 0 : numberofJokes
  let rowsRead = 0
  // A joke that is upvoted while it is being listed may be met again further on.
  const met = new Set<string>()
  const isWanted = ({ position, joke }: Row) =>
    !met.has(position[1]) &&
    (shownUpTo === undefined || comparePositions(listing, shownUpTo, position) < 0) &&
    (joke === undefined || fits(joke, listing))
  const sources = shelves.map(
    (shelf, shelfIndex): Source<Row, Position> => ({
      resumeAfter: positions[shelfIndex] ?? undefined,
      keyOf: ({ position }) => position,
      read: async (resumeAfter, limit) => {
        const { items, lastKey } = await readShelf(shelf, words, reads, {
          IndexName: index,
          ScanIndexForward: sortOrder === 'asc',
          ExclusiveStartKey: resumeAfter && { shelf, [sortBy]: resumeAfter[0], id: resumeAfter[1] },
          Limit: limit,
        })
        rowsRead += limit
        const rows = properItems(schema, items).filter(isWanted)
        for (const { position } of rows) met.add(position[1])
        return { items: rows, lastKey: lastKey && [lastKey[sortBy], lastKey.id] }
      },
    }),
  )
  const { items, hasMore, resumeAfter, lastSource } = await merge(sources, {
    compare: ([one], [other]) => compareValues(listing, one, other),
    limit: numberofJokes,
    pageSize: firstPageSize(numberofJokes, shelves.length),
    rowsLeft: () =>
      Math.min(words ? maxRows - rowsRead : Number.POSITIVE_INFINITY, reads.affordableRows(rowBytes, reservedUnits)),
    lastSource: lastShelf,
  })
  if (!hasMore) return { rows: items }
  const next = { positions: resumeAfter.map((position) => position ?? null), lastShelf: lastSource }
  return { rows: items, next: shownUpTo ? { ...next, shownUpTo } : next }
}

/** A joke's position in the order of a listing. */
export function positionOf<SortBy extends SortField>(
  joke: Sortable<SortBy>,
  { sortBy }: OrderedListing<SortBy>,
): Position {
  return [joke[sortBy], joke.id]
}

/** Negative where one position comes before another in the order of a listing; no two jokes have the same. */
export function comparePositions(listing: OrderedListing, one: Position, other: Position): number {
  return compareValues(listing, one[0], other[0]) || (one[1] === other[1] ? 0 : one[1] < other[1] ? -1 : 1)
}

/**
 * The ids of a random sample of a listing's jokes. A search may find fewer than there are, as it ends where it has read
 * {@link WALK_ROWS}.
 */
export async function sampleIds(listing: Listing, reads: Reads): Promise<string[]> {
  const { category, numberofJokes, words } = listing
  const shelves = shelvesOf(category)
  const limit = numberofJokes + SAMPLE_SLACK
  const neighbours: string[] = []
  let rowsRead = 0
  // All neighbours from a random position on; where the order ends before there are enough, on from its beginning.
  const start = identify({ joke: String(Math.random()), punchline: '' })
  for (const [range, maxRows] of [
    ['id > :start', WALK_ROWS / 2],
    ['id <= :start', WALK_ROWS],
  ] as const) {
    const sources = shelves.map(
      (shelf): Source<string, string> => ({
        resumeAfter: undefined,
        keyOf: (id) => id,
        read: async (id, Limit) => {
          const { items, lastKey } = await readShelf(shelf, words, reads, {
            IndexName: 'byId',
            KeyConditionExpression: `shelf = :shelf AND ${range}`,
            ExpressionAttributeValues: { ':start': start },
            ExclusiveStartKey: id === undefined ? undefined : { shelf, id },
            Limit,
          })
          rowsRead += Limit
          return { items: properItems(IdRow, items), lastKey: lastKey?.id }
        },
      }),
    )
    const { items, hasMore } = await merge(sources, {
      compare: (one, other) => (one < other ? -1 : 1),
      limit: limit - neighbours.length,
      pageSize: firstPageSize(limit, shelves.length),
      rowsLeft: () =>
        Math.min(words ? maxRows - rowsRead : Number.POSITIVE_INFINITY, reads.affordableRows(ID_ROW_BYTES)),
      lastSource: -1,
    })
    neighbours.push(...items)
    if ((hasMore && !words) || neighbours.length === limit) break
  }
  return shuffle(neighbours).slice(0, numberofJokes)
}

/** A new list of the same items in random order. */
export function shuffle<Item>(items: Item[]): Item[] {
  return items
    .map((item) => ({ item, rank: Math.random() }))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ item }) => item)
}

/**
 * A sample is drawn from this many jokes more than asked for. They are neighbours in the order of their hashes, and the
 * more of them, the less it matters how far apart two neighbours happen to be: with 100 and more, every joke's chance
 * is within some 20 % of its share.
 */
const SAMPLE_SLACK = 100

const IdRow = v.pipe(
  v.object({ id: JokeId }),
  v.transform(({ id }) => id),
)

/** The index that holds a listing's order, the size of its largest row, and what its rows tell. */
const INDEXES = {
  thumbsUp: { index: 'byThumbsUp', rowBytes: JOKE_BYTES, schema: jokeRow('thumbsUp'), holdsJokes: true },
  dateAdded: { index: 'byDateAdded', rowBytes: JOKE_BYTES, schema: jokeRow('dateAdded'), holdsJokes: true },
  thumbsDown: {
    index: 'byThumbsDown',
    rowBytes: ID_ROW_BYTES,
    schema: v.pipe(
      v.object({ id: JokeId, thumbsDown: v.number() }),
      v.transform(({ id, thumbsDown }): Row => ({ position: [thumbsDown, id] })),
    ),
    holdsJokes: false,
  },
} satisfies Record<
  SortField,
  { index: keyof typeof JOKES.indexes; rowBytes: number; schema: v.GenericSchema<unknown, Row>; holdsJokes: boolean }
>

function jokeRow(sortBy: SortField) {
  return v.pipe(
    Joke,
    v.transform((joke): Row => ({ position: [joke[sortBy], joke.id], joke })),
  )
}

/** Where a walk starts. */
function startOf(listing: OrderedListing): WalkCursor {
  const { cursor, category } = listing
  if (cursor === undefined) return { positions: [], lastShelf: -1 }
  if ('walk' in cursor) return cursor.walk
  // The indexes have an order of their own among equal values, so all of the position's value is read again.
  const [value, id] = cursor.after
  const position: Position = [oneStepBefore(value, listing), id]
  return { positions: shelvesOf(category).map(() => position), lastShelf: -1, shownUpTo: cursor.after }
}

function oneStepBefore(value: string | number, { sortOrder }: OrderedListing): string | number {
  const step = sortOrder === 'asc' ? -1 : 1
  return typeof value === 'number' ? value + step : new Date(Date.parse(value) + step).toISOString()
}

function compareValues({ sortOrder }: OrderedListing, one: string | number, other: string | number): number {
  if (one === other) return 0
  return one < other === (sortOrder === 'asc') ? -1 : 1
}

function shelvesOf(category: Listing['category']): readonly string[] {
  return category === undefined ? CATEGORIES : [category]
}

/** Reads one page of a shelf, without what cannot match the words of a search. */
async function readShelf(
  shelf: string,
  words: string[] | undefined,
  reads: Reads,
  query: Omit<QueryCommandInput, 'TableName'>,
) {
  const { values, ...filter } = filterBy(words) ?? {}
  const { Items, LastEvaluatedKey } = await reads.query({
    TableName: JOKES_TABLE,
    KeyConditionExpression: 'shelf = :shelf',
    ...query,
    ...filter,
    ExpressionAttributeValues: { ':shelf': shelf, ...values, ...query.ExpressionAttributeValues },
  })
  return { items: Items, lastKey: LastEvaluatedKey }
}

/**
 * How many rows to read first from each shelf: its share of the jokes wanted, two standard deviations of what chance
 * makes of evenly mixed shelves, and one to see whether there are more. So a second round of reading is rare.
 */
function firstPageSize(wanted: number, shelves: number): number {
  const share = wanted / shelves
  return Math.ceil(share + 2 * Math.sqrt(share * (1 - 1 / shelves))) + 1
}
