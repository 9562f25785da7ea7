/** Where a listing continues, tagged with the plan that it follows, and how a `Link` carries it. */
import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { InvalidInput } from './errors.ts'
import { Joke, JokeId } from './joke.ts'

/** A joke's position in the order of a listing: its value of the sort field, and its id. */
export type Position = [value: string | number, id: string]

/** Where a listing that walks along an index continues. */
export interface WalkCursor {
  plan: 'walk'
  /** By shelf: the position after which it continues; absent: it starts at its beginning. */
  positions: Record<string, Position | undefined>
  /** The shelf that comes first among equal values: the shelves take turns. */
  nextShelf?: string | undefined
  /** Of a search that was sorted before: the walk leaves out jokes up to this position, which were shown already. */
  shownUpTo?: Position | undefined
}

/** Where a random order continues, which goes round a ring in windows. */
export interface RandomCursor {
  plan: 'random'
  /** The position after which the ring begins, and with which it ends. */
  start: string
  /** The position after which the window begins. */
  begin: string
  /** The position with which the window ends; absent: it has not been read yet. */
  end?: string | undefined
  /** The rank up to which the jokes of the window were shown. */
  shown: string
}

/** Where the next page begins. */
export type Cursor =
  | WalkCursor
  /** Of a search by votes that sorts all of its jokes. */
  | { plan: 'sorted'; shownUpTo: Position }
  /** Of a search by date: the position in the word lists after which it continues. */
  | { plan: 'words'; after?: string | undefined }
  | RandomCursor

/** What a cursor belongs to: in a listing with another search, categories or order, positions differ. */
export interface CursorOwner {
  searchWords?: string[] | undefined
  categories?: string[] | undefined
  sortBy: string
  sortOrder: string
  seed: string
}

/** Writes a cursor as text that is safe in a URL. */
export function encodeCursor(cursor: Cursor, owner: CursorOwner): string {
  return Buffer.from(JSON.stringify([fingerprint(owner), cursor])).toString('base64url')
}

/** @throws {InvalidInput} if the text is no cursor of this listing */
export function decodeCursor(text: string, owner: CursorOwner): Cursor {
  const decoded = v.safeParse(cursorSchema(owner), text)
  if (decoded.success) return decoded.output[1]
  throw new InvalidInput([
    {
      field: 'cursor',
      detail: 'must come from the Link header of a listing with the same search, categories and sort.',
    },
  ])
}

/** A cursor of a version that knows other categories is accepted: versions run side by side during a deploy. */
function cursorSchema(owner: CursorOwner) {
  return v.pipe(
    v.string(),
    v.transform((encoded) => Buffer.from(encoded, 'base64url').toString()),
    v.parseJson(),
    v.tuple([v.literal(fingerprint(owner)), planSchema(owner)]),
  )
}

function planSchema({ sortBy, searchWords }: CursorOwner): v.GenericSchema<unknown, Cursor> {
  if (sortBy === 'random') return RandomPlan
  const isByVotes = sortBy === 'thumbsUp'
  // The last row that a walk has read may be damaged, so its key may be any that DynamoDB accepts.
  const positions = v.record(v.string(), v.tuple([isByVotes ? NumberKey : StringKey, StringKey]))
  const walk = { plan: v.literal('walk'), positions, nextShelf: v.optional(v.string()) }
  if (!searchWords) return v.strictObject(walk)
  if (!isByVotes) return v.strictObject({ plan: v.literal('words'), after: v.optional(StringKey) })
  const shownUpTo = v.tuple([Joke.entries.thumbsUp, JokeId])
  return v.variant('plan', [
    v.strictObject({ ...walk, shownUpTo: v.optional(shownUpTo) }),
    v.strictObject({ plan: v.literal('sorted'), shownUpTo }),
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

/** Ids and places are ASCII. DynamoDB orders other texts in another way than JavaScript. */
const AsciiKey = v.pipe(v.string(), v.regex(/^[ -~]{1,1024}$/))

const RandomPlan = v.strictObject({
  plan: v.literal('random'),
  start: AsciiKey,
  begin: AsciiKey,
  end: v.optional(AsciiKey),
  shown: v.string(),
})

function fingerprint({ searchWords, categories, sortBy, sortOrder, seed }: CursorOwner): string {
  const order = JSON.stringify([searchWords, categories, sortBy, sortOrder, seed])
  return createHash('sha256').update(order).digest('base64url').slice(0, 8)
}
