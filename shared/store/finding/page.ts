/** Fills a page of a listing. */
import type { StoredJoke } from '../../joke.ts'
import type { Listing } from '../../listing.ts'
import { MAX_KEYS } from '../connection/batches.ts'
import { entryKeyOf } from '../indexEntries.ts'
import { matchesStored, type SearchableJoke } from '../item.ts'
import type { BudgetedReads } from './budgetedReads.ts'

export interface Page {
  jokes: StoredJoke[]
  /** The cursor of the next page. Absent on the last one. */
  next?: string
}

/** The jokes of a page, limited by their number and by their size as JSON. */
export class PageJokes {
  readonly jokes: StoredJoke[] = []
  private readonly count: number
  private bytesLeft: number
  private checked = 0

  /** @param bytes the maximum size of the jokes as a JSON array */
  constructor(count: number, bytes: number) {
    this.count = count
    // Two brackets, less the comma that does not follow the last joke.
    this.bytesLeft = bytes - 1
  }

  /** Number of jokes until the page has as many as requested. */
  get room(): number {
    return this.count - this.jokes.length
  }

  /** Number of candidates that fill the page, if they match as often as those checked so far. Doubles while none does. */
  get batchSize(): number {
    const found = this.jokes.length
    const needed = found === 0 ? 2 * this.checked : Math.ceil((this.room * this.checked) / found)
    return Math.max(this.room, Math.min(needed, MAX_KEYS))
  }

  /** @returns false if the joke does not fit; the page is then full */
  add(joke: StoredJoke): boolean {
    // A joke that is upvoted or reindexed during the listing may come twice.
    if (this.jokes.some(({ id }) => id === joke.id)) return true
    // One byte is for the comma that follows.
    this.bytesLeft -= Buffer.byteLength(JSON.stringify(joke)) + 1
    if (this.room === 0 || this.bytesLeft < 0) return false
    this.jokes.push(joke)
    return true
  }

  /**
   * Reads candidates in their order, and adds those that match, until the page is full or the budget is spent.
   *
   * @returns the remaining candidates
   */
  async addMatching<C extends Candidate>(candidates: C[], listing: Listing, reads: BudgetedReads): Promise<C[]> {
    let left = candidates
    while (this.room > 0) {
      const batch = left.slice(0, Math.min(this.batchSize, reads.affordableJokes()))
      if (batch.length === 0) break
      const jokes = await reads.jokes(batch.map(({ id }) => id))
      for (const { id, entryKey } of batch) {
        const found = jokes.get(id)
        const isOrphan = found && entryKey !== undefined && entryKey !== entryKeyOf(found.joke)
        if (found && !isOrphan && matchesListing(found, listing) && !this.add(found.joke)) return left
        this.checked += 1
        left = left.slice(1)
      }
    }
    return left
  }
}

/** A joke that may belong on a page. Reading it shows whether it matches, and whether it exists. */
export interface Candidate {
  id: string
  /** The entry key of its index entry, in orders that depend on it. If the joke has another, the entry is an orphan. */
  entryKey?: string
}

export function matchesListing({ joke, words }: SearchableJoke, listing: Listing): boolean {
  return isOfCategory(joke, listing) && (!listing.searchWords || matchesStored(listing.searchWords, words))
}

export function isOfCategory({ category }: { category?: unknown }, { categories }: Listing): boolean {
  return !categories || categories.some((wanted) => wanted === category)
}
