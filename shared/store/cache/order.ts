/** The orders of listings. */
import * as v from 'valibot'
import { JokeId, type StoredJoke } from '../../joke.ts'

/** The fields that decide the place of a joke in any order. */
export const SortKey = v.object({
  id: JokeId,
  /** When the joke was added, in milliseconds. */
  dateAdded: v.number(),
  thumbsUp: v.number(),
  thumbsDown: v.number(),
  /** A random number: a part of the id, which is a hash. */
  hash: v.number(),
})
export type SortKey = v.InferOutput<typeof SortKey>

export function sortKeyOf({ id, dateAdded, thumbsUp, thumbsDown }: StoredJoke): SortKey {
  const hash = Buffer.from(id, 'base64url').readUInt32LE()
  return { id, dateAdded: Date.parse(dateAdded), thumbsUp, thumbsDown, hash }
}

export type Order = (a: SortKey, b: SortKey) => number

/** Returns the descending order by a field. Among equal values, the newest comes first, then the lowest id. */
export function descendingBy(field: 'dateAdded' | 'thumbsUp' | 'thumbsDown'): Order {
  return (a, b) => b[field] - a[field] || b.dateAdded - a.dateAdded || compareIds(a, b)
}

/** Returns the random order of a seed. It depends on nothing but ids, so a new joke leaves the order of the others. */
export function randomOrder(seed: string): Order {
  // The hash FNV-1a.
  let start = 2_166_136_261
  for (const byte of Buffer.from(seed)) start = Math.imul(start ^ byte, 16_777_619)
  // The finalizer of MurmurHash3, by which each bit of its input changes half of the bits.
  const mix = (number: number) => {
    let hash = number ^ start
    hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b)
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35)
    return (hash ^ (hash >>> 16)) >>> 0
  }
  return (a, b) => mix(a.hash) - mix(b.hash) || compareIds(a, b)
}

function compareIds(a: SortKey, b: SortKey): number {
  return a.id < b.id ? -1 : Number(a.id > b.id)
}
