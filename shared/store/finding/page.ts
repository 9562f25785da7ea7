/** A page of a listing, and how jokes get on it. */
import type { StoredJoke } from '../../joke.ts'
import type { Listing } from '../../listing.ts'
import { MAX_KEYS } from '../connection/batches.ts'
import { entryKeyOf } from '../indexEntries.ts'
import { matchesStored, type SearchableJoke } from '../item.ts'
import type { BudgetedReads } from './budgetedReads.ts'

export interface Page {
  jokes: StoredJoke[]
  /** The cursor of the next page; absent on the last one. */
  next?: string
}

/** The jokes of a page: as many as asked for, and as fit into a response. */
export class PageJokes {
  readonly jokes: StoredJoke[] = []
  private readonly count: number
  private bytesLeft: number
  private checked = 0

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

  /** How many candidates to read to fill the page, if as many match as of those checked so far. */
  get batchSize(): number {
    const found = this.jokes.length
    const needed = found === 0 ? 2 * this.checked : Math.ceil((this.room * this.checked) / found)
    return Math.max(this.room, Math.min(needed, MAX_KEYS))
  }

  /** @returns false if it does not fit; then, the page is full, and takes no further joke */
  add(joke: StoredJoke): boolean {
    // A joke that is upvoted or reindexed during the listing may be met again.
    if (this.jokes.some(({ id }) => id === joke.id)) return true
    // With the comma that follows.
    this.bytesLeft -= Buffer.byteLength(JSON.stringify(joke)) + 1
    if (this.room === 0 || this.bytesLeft < 0) return false
    this.jokes.push(joke)
    return true
  }

  /**
   * Reads the jokes of candidates in their order, and adds those that match, until the page is full or the budget spent.
   *
   * @returns the candidates that are left
   */
  async addMatching<C extends Candidate>(candidates: C[], listing: Listing, reads: BudgetedReads): Promise<C[]> {
    let left = candidates
    while (this.room > 0 && left.length > 0) {
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

/** A joke that may be on a page. It may turn out not to match, or not to exist. */
export interface Candidate {
  id: string
  /** The entry key in the index, in orders that depend on it. An entry with another key than its joke's is an orphan. */
  entryKey?: string
}

/** Whether a listing asks for a joke. */
export function matchesListing({ joke, words }: SearchableJoke, listing: Listing): boolean {
  return isOfCategory(joke, listing) && (!listing.searchWords || matchesStored(listing.searchWords, words))
}

/** Whether a listing asks for the category of a joke, or of an index row. */
export function isOfCategory({ category }: { category?: unknown }, { categories }: Listing): boolean {
  return !categories || categories.some((wanted) => wanted === category)
}
