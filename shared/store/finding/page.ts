/** A page of a listing, and how the jokes of candidates get on it. */
import type { StoredJoke } from '../../joke.ts'
import type { Listing } from '../../listing.ts'
import { MAX_KEYS } from '../connection/batches.ts'
import { matchesStored, type SearchableJoke } from '../item.ts'
import { placeOf } from '../wordRows.ts'
import type { BudgetedReads } from './budgetedReads.ts'

export interface Page {
  jokes: StoredJoke[]
  /** The cursor of the next page; absent: there is none. */
  next?: string
}

/** The jokes of a page: as many as asked for, and as fit into an answer. */
export class PageJokes {
  readonly jokes: StoredJoke[] = []
  private readonly count: number
  private bytesLeft: number

  /** @param bytes of the jokes as a JSON array */
  constructor(count: number, bytes: number) {
    this.count = count
    // The brackets, less the comma that the last joke lacks.
    this.bytesLeft = bytes - 1
  }

  /** How many jokes it still takes. */
  get room(): number {
    return this.count - this.jokes.length
  }

  /** @returns false if it does not fit; then, the page is full, and takes no further joke */
  add(joke: StoredJoke): boolean {
    // With the comma that follows.
    this.bytesLeft -= Buffer.byteLength(JSON.stringify(joke)) + 1
    if (this.room === 0 || this.bytesLeft < 0) return false
    this.jokes.push(joke)
    return true
  }
}

/** A joke that may be on a page. It may turn out not to match, or not to exist. */
export interface Candidate {
  id: string
  /** Where rows of the word lists say that the joke stands; none: the candidate comes from elsewhere. */
  places: string[]
}

/**
 * Reads the jokes of candidates in their order, until the page is full, and leaves out those that do not match.
 *
 * @param next returns further candidates, none at the end
 * @returns the last candidate that was dealt with, and whether some are left
 */
export async function addMatching<One extends Candidate>(
  page: PageJokes,
  next: (count: number) => One[] | Promise<One[]>,
  listing: Listing,
  reads: BudgetedReads,
): Promise<{ last: One | undefined; hasMore: boolean }> {
  let unchecked: One[] = []
  let checked = 0
  let last: One | undefined
  while (page.room > 0) {
    if (unchecked.length === 0) unchecked = await next(batchSize(page, checked))
    const batch = unchecked.slice(0, reads.affordableJokes())
    if (batch.length === 0) break
    const jokes = await reads.jokes(batch.map(({ id }) => id))
    for (const candidate of batch) {
      const found = jokes.get(candidate.id)
      const { places } = candidate
      const isOrphan = found && places.length > 0 && !places.includes(placeOf(found.joke))
      if (found && !isOrphan && matchesListing(found, listing) && !page.add(found.joke)) return { last, hasMore: true }
      last = candidate
      checked += 1
      unchecked.shift()
    }
  }
  return { last, hasMore: unchecked.length > 0 }
}

/**
 * Reads the jokes of candidates in their order, until the page is full, and leaves out those that do not match.
 *
 * @returns the candidates that are left
 */
export async function addInOrder(
  page: PageJokes,
  candidates: Candidate[],
  listing: Listing,
  reads: BudgetedReads,
): Promise<Candidate[]> {
  const unread = [...candidates]
  const { last } = await addMatching(page, (count) => unread.splice(0, count), listing, reads)
  return last ? candidates.slice(candidates.indexOf(last) + 1) : candidates
}

/** Whether a listing asks for a joke. */
export function matchesListing({ joke, words }: SearchableJoke, { searchWords, categories }: Listing): boolean {
  const isOfCategory = !categories || categories.some((category) => category === joke.category)
  return isOfCategory && (searchWords === undefined || matchesStored(searchWords, words))
}

/** How many candidates to read to fill the page, if as many match as of those checked so far. */
function batchSize({ jokes, room }: PageJokes, checked: number): number {
  const needed = jokes.length === 0 ? 2 * checked : Math.ceil((room * checked) / jokes.length) + 2
  return Math.max(room, Math.min(needed, MAX_KEYS))
}
