/**
 * Keeps the listed jokes in memory up to date. DynamoDB is the source of truth. The first listing loads all jokes. Each
 * later one reads only what has changed since.
 */
import { logLoad } from '../../log.ts'
import type { Item } from '../item.ts'
import { CACHE } from '../limits.ts'
import type { Batch } from '../reads.ts'
import { BatchReader } from './batchReader.ts'
import { ListedJokes } from './listedJokes.ts'

/** Reads a batch of a segment of the table. */
export type ReadSegment = (segment: number, afterKey: Item | undefined, signal: AbortSignal) => Promise<Batch>

/** Reads a batch of the changes since a time, ISO 8601. */
export type ReadChanges = (since: string, afterKey: Item | undefined, signal: AbortSignal) => Promise<Batch>

export class JokeCache {
  private readonly jokes: ListedJokes
  private readonly readSegment: ReadSegment
  private readonly readChanges: ReadChanges
  /** The load or refresh under way, which all listings that begin meanwhile share. */
  private running: Promise<void> | undefined
  /** When the last refresh began, in milliseconds. Absent until all jokes are loaded. */
  private refreshedAt: number | undefined
  /** When the last search for late changes began. */
  private lateRefreshedAt: number | undefined
  private failedAt = 0
  /** The readers of the load, of the last refresh, and of the changes that reached the index late. */
  private segmentReaders: BatchReader[] | undefined
  private recentReader: BatchReader | undefined
  private lateReader: BatchReader | undefined

  constructor(readSegment: ReadSegment, readChanges: ReadChanges, maxBytes?: number) {
    this.jokes = new ListedJokes(maxBytes)
    this.readSegment = readSegment
    this.readChanges = readChanges
  }

  /** Takes over a write of this process, so that the local service lists it at once. Other functions have no jokes in memory. */
  apply(item: Item): void {
    // A load finds it anyway, or the refresh after it does.
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
      this.running = this.update().finally(() => {
        this.running = undefined
      })
    await this.running
    return this.jokes
  }

  private isDue(): boolean {
    if (this.isServable() && isWithin(CACHE.pauseMs, this.failedAt)) return false
    return !isWithin(CACHE.freshMs, this.refreshedAt)
  }

  private isServable(): boolean {
    return isWithin(CACHE.staleMs, this.refreshedAt)
  }

  private async update(): Promise<void> {
    // Calls that still run are aborted before the response. Otherwise they would go on when Lambda thaws the container.
    const stop = new AbortController()
    const timer = setTimeout(() => stop.abort(), this.isServable() ? CACHE.refreshMs : CACHE.loadMs)
    try {
      this.refreshedAt ??= await this.load(stop.signal)
      await Promise.all([this.refresh(this.refreshedAt, stop.signal), this.refreshLate(this.refreshedAt, stop.signal)])
    } catch (error) {
      if (!this.isServable()) throw error
      this.failedAt = Date.now()
      console.warn({ notRefreshed: error })
    } finally {
      clearTimeout(timer)
      stop.abort()
    }
  }

  /** Reads all jokes, until the memory is full. A load that was interrupted continues. @returns when it began */
  private async load(signal: AbortSignal): Promise<number> {
    this.segmentReaders ??= Array.from(
      { length: CACHE.segments },
      (_, segment) => new BatchReader((...args) => this.readSegment(segment, ...args)),
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

  /** Reads the changes since a time, and those of some time before it again. A refresh that was interrupted continues. */
  private async refresh(since: number, signal: AbortSignal): Promise<void> {
    if (!this.recentReader?.isInterrupted) this.recentReader = this.changesFrom(since, CACHE.rereadMs)
    while (!this.recentReader.isDone) await this.recentReader.readBatch(this.jokes, signal)
    this.refreshedAt = this.recentReader.startedAt
  }

  /** Reads changes that reached the index late. It reads only a batch, side by side with the recent ones, so that it never delays them. */
  private async refreshLate(since: number, signal: AbortSignal): Promise<void> {
    if (!this.lateReader?.isInterrupted) {
      if (isWithin(CACHE.lateEveryMs, this.lateRefreshedAt)) return
      this.lateReader = this.changesFrom(this.lateRefreshedAt ?? since, CACHE.lateMs)
    }
    await this.lateReader.readBatch(this.jokes, signal)
    this.lateRefreshedAt = this.lateReader.startedAt
  }

  /** Returns a reader of the changes since a time, and of some milliseconds before it. */
  private changesFrom(time: number, before: number): BatchReader {
    // If the clock was set back, the time may lie in the future.
    const since = new Date(Math.min(time, Date.now()) - before).toISOString()
    return new BatchReader((...args) => this.readChanges(since, ...args))
  }
}

/** Whether a time lies at most so many milliseconds in the past. If the clock was set back, it may lie in the future. */
function isWithin(milliseconds: number, time = 0): boolean {
  const age = Date.now() - time
  return age >= 0 && age < milliseconds
}
