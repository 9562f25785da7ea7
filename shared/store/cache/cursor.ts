/** Cursors: texts in a `Link` header that say where a listing continues. */
import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { ProblemError } from '../../errors.ts'
import type { Listing } from '../../listing.ts'
import { SortKey } from './order.ts'

/** Encodes the place of the last joke on a page as text that is safe in a URL. */
export function encodeCursor(key: SortKey, listing: Listing): string {
  return Buffer.from(JSON.stringify([fingerprint(listing), v.parse(SortKey, key)])).toString('base64url')
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
  const detail = 'must come from the Link header of a listing with the same search, categories, sort and seed.'
  throw new ProblemError('invalid', { errors: [{ field: 'cursor', code: 'invalid', detail }] })
}

const Encoded = v.pipe(
  v.string(),
  v.transform((encoded) => Buffer.from(encoded, 'base64url').toString()),
  v.parseJson(),
)

/** Returns a text that is the same for listings that can share cursors, because they have the same jokes and order. */
function fingerprint({ needles, categories, sortBy, sortOrder, seed }: Listing): string {
  // JSON omits absent parameters, so a new one leaves the fingerprints of listings without it unchanged.
  const text = JSON.stringify({ needles, categories, sortBy, sortOrder, seed })
  return createHash('sha256').update(text).digest('base64url').slice(0, 8)
}
