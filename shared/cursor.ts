/** Where a listing continues, and how a `Link` carries it. */
import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { InvalidInput } from './errors.ts'
import { Joke, JokeId } from './joke.ts'
import type { Listing } from './listing.ts'

/** A joke's position in the order of a listing: its value of the sort field, and its id. */
export type Position = [value: string | number, id: string]

/** Where a listing that walks the sorted indexes continues. */
export interface WalkCursor {
  /** By shelf: the position after which it continues; absent: it starts at its beginning. */
  positions: Record<string, Position | undefined>
  /** The shelf that comes first among equal values: the shelves take turns. */
  turn?: string | undefined
  /** Set if the listing began with the word lists: the walk skips jokes up to this position, which were shown already. */
  shownUpTo?: Position | undefined
}

/** Where a random order continues: it goes round the ring of all ids once. */
export interface RingCursor {
  /** The id after which it continues; absent: with the first. */
  after?: string | undefined
  /** The id with which it ends. */
  last: string
}

/** Where the next page begins. */
export type Cursor =
  | { walk: WalkCursor }
  /** Of a search by votes whose page came from word lists. */
  | { shownUpTo: Position }
  /** Of a search by date: a place in its word lists. */
  | { place: string }
  | { ring: RingCursor }

/** Writes a cursor as text that is safe in a URL. */
export function encodeCursor(cursor: Cursor, listing: Listing): string {
  return Buffer.from(JSON.stringify([fingerprint(listing), cursor])).toString('base64url')
}

/** @throws {InvalidInput} if the text is no cursor of this listing */
export function decodeCursor(text: string, listing: Listing): Cursor {
  const decoded = v.safeParse(cursorSchema(listing), text)
  if (decoded.success) return decoded.output[1]
  throw new InvalidInput([
    { field: 'cursor', detail: 'must come from the Link header of a listing with the same search, category and sort.' },
  ])
}

/** A cursor of a version that knows other categories is accepted: versions run side by side during a deploy. */
function cursorSchema(listing: Listing) {
  return v.pipe(
    v.string(),
    v.transform((encoded) => Buffer.from(encoded, 'base64url').toString()),
    v.parseJson(),
    v.tuple([v.literal(fingerprint(listing)), placeSchema(listing)]),
  )
}

function placeSchema({ sortBy, searchWords }: Listing): v.GenericSchema<unknown, Cursor> {
  if (sortBy === 'random')
    return v.strictObject({ ring: v.strictObject({ after: v.optional(StringKey), last: StringKey }) })
  const isByDate = sortBy === 'dateAdded'
  if (searchWords && isByDate) return v.strictObject({ place: StringKey })
  // The last row that a walk has read may be damaged, so its key may be any that DynamoDB accepts.
  const rowPosition = v.tuple([isByDate ? StringKey : NumberKey, StringKey])
  const walk = { positions: v.record(v.string(), rowPosition), turn: v.optional(v.string()) }
  if (isByDate) return v.strictObject({ walk: v.strictObject(walk) })
  const shownUpTo = v.tuple([Joke.entries.thumbsUp, JokeId])
  return v.union([
    v.strictObject({ walk: v.strictObject({ ...walk, shownUpTo: v.optional(shownUpTo) }) }),
    v.strictObject({ shownUpTo }),
  ])
}

/** A string that DynamoDB accepts as a sort key. */
const StringKey = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxBytes(1_024),
  v.check((text) => text.isWellFormed()),
)

/** A number that DynamoDB accepts. Its exponents are smaller than those of JavaScript. */
const NumberKey = v.pipe(
  v.number(),
  v.check((number) => number === 0 || (Math.abs(number) >= 1e-130 && Math.abs(number) < 1e126)),
)

/** A cursor is valid only in a listing with the same search words, category and sort: elsewhere its positions differ. */
function fingerprint({ searchWords, category, sortBy, sortOrder, seed }: Listing): string {
  const order = JSON.stringify([searchWords, category, sortBy, sortOrder, seed])
  return createHash('sha256').update(order).digest('base64url').slice(0, 8)
}
