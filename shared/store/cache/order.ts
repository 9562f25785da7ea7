/** The orders of listings, and cursors: texts in a `Link` header that say where a listing continues. */
import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { invalid } from '../../errors.ts'
import { type Joke, JokeId } from '../../joke.ts'
import type { Listing, SORT_FIELDS } from '../../listing.ts'
import { needlesOf } from '../../words.ts'

/** The fields that decide the place of a joke in any order. */
const SortKey = v.object({
  id: JokeId,
  /** When the joke was added, in milliseconds. */
  dateAdded: v.number(),
  thumbsUp: v.number(),
  thumbsDown: v.number(),
  /** A number from the id, which is a hash. */
  hash: v.number(),
})
export type SortKey = v.InferOutput<typeof SortKey>

export function sortKeyOf({ id, dateAdded, thumbsUp, thumbsDown }: Joke): SortKey {
  const hash = Buffer.from(id, 'base64url').readUInt32LE()
  return { id, dateAdded: Date.parse(dateAdded), thumbsUp, thumbsDown, hash }
}

export type Order = (a: SortKey, b: SortKey) => number

/** Returns the descending order by a field. Among equal values, the newest comes first, then the lowest id. */
export function descendingBy(field: (typeof SORT_FIELDS)[number]): Order {
  return (a, b) => b[field] - a[field] || b.dateAdded - a.dateAdded || compareIds(a, b)
}

/** Returns the random order of a seed. A new joke leaves the order of the others as it is. */
export function randomOrder(seed: string): Order {
  // The hash FNV-1a.
  let seedHash = 2_166_136_261
  for (const byte of Buffer.from(seed)) seedHash = Math.imul(seedHash ^ byte, 16_777_619)
  // The finalizer of MurmurHash3, by which each bit of its input changes half of the bits.
  const mix = (number: number) => {
    let bits = number ^ seedHash
    bits = Math.imul(bits ^ (bits >>> 16), 0x85eb_ca6b)
    bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2_ae35)
    return (bits ^ (bits >>> 16)) >>> 0
  }
  return (a, b) => mix(a.hash) - mix(b.hash) || compareIds(a, b)
}

function compareIds(a: SortKey, b: SortKey): number {
  return a.id < b.id ? -1 : Number(a.id > b.id)
}

/** Encodes the place of the last joke on a page. */
export function encodeCursor(key: SortKey, listing: Listing): string {
  return Buffer.from(JSON.stringify([fingerprint(listing), key])).toString('base64url')
}

/**
 * Decodes the cursor of a listing, or returns `undefined` for its first page.
 *
 * @throws {ProblemError} `invalid` if the cursor belongs to another listing
 */
export function decodeCursor(listing: Listing): SortKey | undefined {
  if (listing.cursor === undefined) return undefined
  const decoded = v.safeParse(
    v.pipe(Encoded, v.strictTuple([v.literal(fingerprint(listing)), SortKey])),
    listing.cursor,
  )
  if (decoded.success) return decoded.output[1]
  throw invalid(
    'cursor',
    'must come from the Link header of a listing with the same search, categories, sort and seed.',
  )
}

const Encoded = v.pipe(
  v.string(),
  v.transform((encoded) => Buffer.from(encoded, 'base64url').toString()),
  v.parseJson(),
)

/** Returns a text that is the same for listings with the same jokes and order. */
function fingerprint({ searchString, categories, sortBy, sortOrder, seed }: Listing): string {
  const needles = searchString === undefined ? undefined : needlesOf(searchString)
  const text = JSON.stringify({ needles, categories: categories?.toSorted(), sortBy, sortOrder, seed })
  return createHash('sha256').update(text).digest('base64url').slice(0, 8)
}
