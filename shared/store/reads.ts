/** What one request reads and compares. It counts both; callers ask what is still affordable before they go on. */
import { QueryCommand, type QueryCommandInput, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { JokeId, type StoredJoke } from '../joke.ts'
import type { Listing } from '../listing.ts'
import { matchesText } from '../words.ts'
import { getItems } from './batches.ts'
import { isListed, matchesStored, properItems, SearchableJoke, textOf } from './item.ts'
import type { Store } from './store.ts'

/** What one read unit reads, eventually consistent. */
const BYTES_PER_UNIT = 8_192

export class Reads {
  readonly store: Store
  private readonly abortSignal: AbortSignal
  private unitsLeft: number
  private compareMsLeft: number

  constructor(store: Store, abortSignal: AbortSignal) {
    this.store = store
    this.abortSignal = abortSignal
    this.unitsLeft = store.limits.readUnits
    this.compareMsLeft = store.limits.compareMs
  }

  /** Whether the time to compare texts is up. What was read then still counts, but is not compared. */
  get isTooLong(): boolean {
    return this.compareMsLeft < 0
  }

  /** How many rows, of at most `rowBytes` each, queries may still read if `reservedUnits` are kept for other reads. */
  affordableRows(rowBytes: number, reservedUnits: number): number {
    if (this.isTooLong) return 0
    return Math.max(0, Math.floor(((this.unitsLeft - reservedUnits) * BYTES_PER_UNIT) / rowBytes))
  }

  /** How many jokes may still be read by id, eventually consistent: each costs at most one unit. */
  affordableJokes(): number {
    return this.isTooLong ? 0 : Math.max(0, Math.floor(this.unitsLeft))
  }

  async query(input: QueryCommandInput): Promise<QueryCommandOutput> {
    const command = new QueryCommand({ ...input, ReturnConsumedCapacity: 'TOTAL' })
    const output = await this.store.database.send(command, { abortSignal: this.abortSignal })
    this.unitsLeft -= output.ConsumedCapacity?.CapacityUnits ?? 0
    return output
  }

  /** Reads jokes by their ids: those that exist and are listed, by id. */
  async jokes(ids: string[], options: { ConsistentRead?: boolean } = {}): Promise<Map<string, SearchableJoke>> {
    const validIds = new Set(ids.filter((id) => v.is(JokeId, id)))
    const { items, units } = await getItems(this.store, [...validIds], options, this.abortSignal)
    this.unitsLeft -= units
    return new Map(properItems(SearchableJoke, items.filter(isListed)).map((found) => [found.joke.id, found]))
  }

  /** Whether a listing asks for a joke. Takes time only if the joke's stored words are incomplete. */
  fits({ joke, words }: SearchableJoke, { searchWords, category }: Listing): boolean {
    if (category !== undefined && joke.category !== category) return false
    if (searchWords === undefined) return true
    return matchesStored(searchWords, words) ?? this.compare(searchWords, joke)
  }

  private compare(searchWords: string[], joke: StoredJoke): boolean {
    const start = performance.now()
    const isMatch = matchesText(searchWords, textOf(joke))
    this.compareMsLeft -= performance.now() - start
    return isMatch
  }
}
