/**
 * Keeps the listed jokes in memory up to date. DynamoDB is the source of truth. The first listing loads all jokes. Each
 * later one reads only what has changed since.
 */
import { logLoad } from '../../log.ts'
import type { Item } from '../item.ts'
import { CACHE } from '../limits.ts'
import type { ReadBatch } from '../reads.ts'
import { BatchReader } from './batchReader.ts'
import { ListedJokes } from './listedJokes.ts'

export interface Reads {
  segment: (segment: number) => ReadBatch
  /** @param since ISO 8601 */
  changes: (since: string) => ReadBatch
}

/**
 * Two readers follow the index of changes. At each refresh, the recent one reads it to its end, from ten seconds before the
 * last refresh. Once a minute, the late one looks two minutes back for changes that reached the index later. It reads only a
 * batch at each refresh, so recent changes need not wait for many late ones.
 */
export class JokeCache {
  private readonly jokes = new ListedJokes()
  private readonly reads: Reads
  /** The load or refresh under way. All listings that begin meanwhile share it. */
  private running: Promise<void> | undefined
  /** All changes until this time are in memory, except late ones. In milliseconds, and absent until all jokes are loaded. */
  private refreshedAt: number | undefined
  private lateStartedAt: number | undefined
  private failedAt: number | undefined
  private segmentReaders: BatchReader[] | undefined
  private recentReader: BatchReader | undefined
  private lateReader: BatchReader | undefined

  constructor(reads: Reads) {
    this.reads = reads
  }

  /** Takes over a write of this process: the local service lists it at once. */
  apply(item: Item): void {
    // The functions that write never load, so they would only collect what they write.
    if (this.refreshedAt !== undefined) this.jokes.apply([item])
  }

  /**
   * Returns the listed jokes as they were some moments ago. If they cannot be refreshed, it returns those in memory, for
   * up to {@link CACHE.staleMs}.
   *
   * @throws the error of the database, if there are no jokes in memory that are recent enough
   */
  async current(): Promise<ListedJokes> {
    if (!this.running && this.isDue())
      this.running = this.loadOrRefresh().finally(() => {
        this.running = undefined
      })
    await this.running
    return this.jokes
  }

  private isDue(): boolean {
    const isPaused = this.isServable() && isYounger(this.failedAt, CACHE.pauseMs)
    return !isPaused && !isYounger(this.refreshedAt, CACHE.freshMs)
  }

  private isServable(): boolean {
    return isYounger(this.refreshedAt, CACHE.staleMs)
  }

  private async loadOrRefresh(): Promise<void> {
    // Calls that still run are aborted before the response. Otherwise they would go on when Lambda thaws the container.
    const stop = new AbortController()
    const timer = setTimeout(() => stop.abort(), this.isServable() ? CACHE.refreshMs : CACHE.loadMs)
    try {
      this.refreshedAt ??= await this.load(stop.signal)
      await Promise.all([this.readRecent(this.refreshedAt, stop.signal), this.readLate(this.refreshedAt, stop.signal)])
    } catch (error) {
      if (!this.isServable()) throw error
      this.failedAt = Date.now()
      console.warn({ notRefreshed: error })
    } finally {
      clearTimeout(timer)
      stop.abort()
    }
  }

  /** Reads all jokes, until the memory is full, or goes on where it was interrupted. @returns when it began */
  private async load(signal: AbortSignal): Promise<number> {
    this.segmentReaders ??= Array.from(
      { length: CACHE.segments },
      (_, segment) => new BatchReader(this.reads.segment(segment)),
    )
    const readAll = async (reader: BatchReader) => {
      while (!reader.isDone && !this.jokes.isTruncated) await reader.readBatch(this.jokes, signal)
    }
    await Promise.all(this.segmentReaders.map(readAll))
    const startedAt = Math.min(...this.segmentReaders.map((reader) => reader.startedAt))
    const { bytes, isTruncated } = this.jokes
    logLoad({ jokes: this.jokes.all().length, bytes, isTruncated, milliseconds: Date.now() - startedAt })
    return startedAt
  }

  private async readRecent(since: number, signal: AbortSignal): Promise<void> {
    if (!this.recentReader?.hasMore) this.recentReader = this.changesFrom(since, CACHE.rereadMs)
    while (!this.recentReader.isDone) await this.recentReader.readBatch(this.jokes, signal)
    this.refreshedAt = this.recentReader.startedAt
  }

  private async readLate(since: number, signal: AbortSignal): Promise<void> {
    if (!this.lateReader?.hasMore) {
      if (isYounger(this.lateStartedAt, CACHE.lateEveryMs)) return
      this.lateReader = this.changesFrom(this.lateStartedAt ?? since, CACHE.lateMs)
    }
    await this.lateReader.readBatch(this.jokes, signal)
    this.lateStartedAt = this.lateReader.startedAt
  }

  private changesFrom(time: number, before: number): BatchReader {
    // If the clock was set back, the time may lie in the future.
    const since = new Date(Math.min(time, Date.now()) - before).toISOString()
    return new BatchReader(this.reads.changes(since))
  }
}

/** After the clock was set back, a time may lie ahead. */
function isYounger(time: number | undefined, milliseconds: number): boolean {
  if (time === undefined) return false
  const age = Date.now() - time
  return age >= 0 && age < milliseconds
}
