/** Reads a change feed into memory. */
import type { Item } from '../item.ts'
import type { ItemPage } from '../reads.ts'
import type { Feed } from '../tables.ts'
import type { ListedJokes } from './listedJokes.ts'

/** Reads a page of a feed, from a time on (ISO 8601), or after the last key of the page before. */
export type ReadFeed = (feed: Feed, since: string, afterKey: Item | undefined, signal: AbortSignal) => Promise<ItemPage>

/**
 * Reads one feed in the order of its changes, page by page. After an interruption, it continues where it was. So no
 * request has to read much at once, and no progress is lost.
 */
export class FeedReader {
  /** When the last complete reading began, in milliseconds. It found all changes that were in the index by then. */
  upToDateAt = 0
  private reading: { since: string; startedAt: number; afterKey?: Item } | undefined
  private readonly feed: Feed
  private readonly read: ReadFeed

  constructor(feed: Feed, read: ReadFeed) {
    this.feed = feed
    this.read = read
  }

  get isReading(): boolean {
    return this.reading?.afterKey !== undefined
  }

  /** Begins to read the changes since a time in milliseconds, unless an interrupted reading has to continue. */
  begin(since: number): void {
    if (!this.isReading) this.reading = { since: new Date(since).toISOString(), startedAt: Date.now() }
  }

  /** Ends a reading. From now on, the feed counts as read up to a time in milliseconds. */
  endAt(time: number): void {
    this.reading = undefined
    this.upToDateAt = time
  }

  /** Reads the next page, if a reading has begun. @returns whether more pages follow */
  async readPage(jokes: ListedJokes, signal: AbortSignal): Promise<boolean> {
    if (!this.reading) return false
    const { since, startedAt, afterKey } = this.reading
    const { items, lastKey } = await this.read(this.feed, since, afterKey, signal)
    // A response that comes after the abortion must not move a later reading.
    signal.throwIfAborted()
    jokes.apply(items)
    if (lastKey) this.reading = { since, startedAt, afterKey: lastKey }
    else this.endAt(startedAt)
    return lastKey !== undefined
  }

  async readAll(jokes: ListedJokes, signal: AbortSignal): Promise<void> {
    while (await this.readPage(jokes, signal));
  }
}
