/** Cursors: texts in a `Link` that say where a listing continues. Each plan has a schema for its cursors. */
import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { InvalidInput } from '../../errors.ts'
import { CONTINUATIONS, type Listing } from '../../listing.ts'

/** Encodes a cursor as text that is safe in a URL. */
export function encodeCursor<Cursor extends { plan: string }>(cursor: Cursor, listing: Listing): string {
  return Buffer.from(JSON.stringify([fingerprint(listing), cursor])).toString('base64url')
}

/**
 * Decodes the cursor of a listing, or returns `undefined` for its first page.
 *
 * @throws {InvalidInput} if the cursor belongs to another listing
 */
export function decodeCursor<Cursor>(schema: v.GenericSchema<unknown, Cursor>, listing: Listing): Cursor | undefined {
  if (listing.cursor === undefined) return undefined
  const decoded = v.safeParse(v.pipe(Encoded, v.strictTuple([v.literal(fingerprint(listing)), schema])), listing.cursor)
  if (decoded.success) return decoded.output[1]
  const detail = 'must come from the Link header of a listing with the same search, categories, sort and seed.'
  throw new InvalidInput([{ field: 'cursor', code: 'invalid', detail }])
}

/** A string that DynamoDB accepts as a key. */
export const StringKey = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxBytes(1_024),
  v.check((text) => text.isWellFormed()),
)

/** A number that DynamoDB accepts. Its range is smaller than that of JavaScript. */
export const NumberKey = v.pipe(
  v.number(),
  v.check((number) => number === 0 || (Math.abs(number) >= 1e-130 && Math.abs(number) < 1e126)),
)

const Encoded = v.pipe(
  v.string(),
  v.transform((encoded) => Buffer.from(encoded, 'base64url').toString()),
  v.parseJson(),
)

/** Returns a text that is the same for listings that can share cursors, because their positions are the same. */
function fingerprint(listing: Listing): string {
  const parameters = Object.entries(CONTINUATIONS).map(([name, { inFingerprint }]) => [name, inFingerprint?.(listing)])
  // JSON omits absent parameters, so a new one leaves the fingerprints of listings without it unchanged.
  const text = JSON.stringify(Object.fromEntries(parameters))
  return createHash('sha256').update(text).digest('base64url').slice(0, 8)
}
