/**
 * Keeps the listed jokes in memory up to date. DynamoDB is the source of truth. The first listing loads all jokes. Each
 * later one reads only what has changed since.
 */
import { logLoad, logNotRefreshed } from '../../log.ts'
import type { Item } from '../item.ts'
import { CACHE } from '../limits.ts'
import type { ItemPage } from '../reads.ts'
import { ListedJokes } from './listedJokes.ts'
import { PageReader } from './pageReader.ts'

/** Reads a page of a segment of the table. */
export type ReadSegment = (segment: number, afterKey: Item | undefined, signal: AbortSignal) => Promise<ItemPage>

/** Reads a page of the changes since a time, ISO 8601. */
export type ReadChanges = (since: string, afterKey: Item | undefined, signal: AbortSignal) => Promise<ItemPage>

export class JokeCache {
  private readonly jokes: ListedJokes
  private readonly readSegment: ReadSegment
  private readonly readChanges: ReadChanges
  /** The load or refresh under way. It may have read before a write that a later listing must show. */
  private running: Promise<void> | undefined
  /** Up to when all changes are in memory, in milliseconds. Absent until all jokes are loaded. */
  private upToDateAt: number | undefined
  /** Up to when the late changes are in memory, too. */
  private lateUpToDateAt: number | undefined
  private isStale = false
  private failedAt = 0
  /** The readers of the load, of the last refresh, and of the changes that reached the index late. */
  private segments: PageReader[] | undefined
  private changes: PageReader | undefined
  private lateChanges: PageReader | undefined

  constructor(readSegment: ReadSegment, readChanges: ReadChanges, maxBytes?: number) {
    this.jokes = new ListedJokes(maxBytes)
    this.readSegment = readSegment
    this.readChanges = readChanges
  }

  /** Makes the next listing refresh at once. Called after a write of this process. */
  invalidate(): void {
    this.isStale = true
  }

  /**
   * Returns the listed jokes as they were some moments ago. If they cannot be refreshed, it returns those in memory, for
   * up to {@link CACHE.staleMs}.
   *
   * @throws the error of the database, if there are no jokes in memory that are recent enough
   */
  async current(): Promise<ListedJokes> {
    while (this.running) await this.running
    if (this.isDue()) {
      this.running = this.update().finally(() => {
        this.running = undefined
      })
      await this.running
    }
    return this.jokes
  }

  private isDue(): boolean {
    if (this.isRecent() && isWithin(CACHE.pauseMs, this.failedAt)) return false
    return this.isStale || !isWithin(CACHE.freshMs, this.upToDateAt)
  }

  private isRecent(): boolean {
    return isWithin(CACHE.staleMs, this.upToDateAt)
  }

  private async update(): Promise<void> {
    this.isStale = false
    // Calls that still run are aborted before the response. Otherwise they would go on when Lambda thaws the container.
    const stop = new AbortController()
    const timer = setTimeout(() => stop.abort(), this.isRecent() ? CACHE.refreshMs : CACHE.loadMs)
    try {
      this.upToDateAt ??= await this.load(stop.signal)
      await this.refresh(this.upToDateAt, stop.signal)
    } catch (error) {
      if (!this.isRecent()) throw error
      this.failedAt = Date.now()
      logNotRefreshed(error)
    } finally {
      clearTimeout(timer)
      stop.abort()
    }
  }

  /** Reads all jokes, until the memory is full. A load that was interrupted goes on. @returns when it began */
  private async load(signal: AbortSignal): Promise<number> {
    this.segments ??= Array.from(
      { length: CACHE.segments },
      (_, segment) => new PageReader((...page) => this.readSegment(segment, ...page)),
    )
    const readAll = async (reader: PageReader) => {
      while (!reader.isDone && !this.jokes.isTruncated) await reader.readPage(this.jokes, signal)
    }
    await Promise.all(this.segments.map(readAll))
    const startedAt = Math.min(...this.segments.map((reader) => reader.startedAt))
    const { bytes, isTruncated } = this.jokes
    logLoad({ jokes: this.jokes.all().length, bytes, isTruncated, milliseconds: Date.now() - startedAt })
    return startedAt
  }

  private async refresh(upToDateAt: number, signal: AbortSignal): Promise<void> {
    const readings = [this.readNewest(upToDateAt, signal)]
    const isLateDue = this.lateChanges?.isHalfDone || !isWithin(CACHE.lateEveryMs, this.lateUpToDateAt)
    if (isLateDue) readings.push(this.readLate(this.lateUpToDateAt ?? upToDateAt, signal))
    await Promise.all(readings)
  }

  /** Reads the changes since a time, and those of some time before it again. A refresh that was interrupted goes on. */
  private async readNewest(upToDateAt: number, signal: AbortSignal): Promise<void> {
    const reader = this.changes?.isHalfDone ? this.changes : this.readerOf(CACHE.rereadMs, upToDateAt)
    this.changes = reader
    while (!reader.isDone) await reader.readPage(this.jokes, signal)
    this.upToDateAt = reader.startedAt
  }

  /** Reads one page, so that these changes never delay the newest ones. */
  private async readLate(upToDateAt: number, signal: AbortSignal): Promise<void> {
    const reader = this.lateChanges?.isHalfDone ? this.lateChanges : this.readerOf(CACHE.lateMs, upToDateAt)
    this.lateChanges = reader
    await reader.readPage(this.jokes, signal)
    if (reader.isDone) this.lateUpToDateAt = reader.startedAt
  }

  /** Returns a reader of the changes from so many milliseconds before a time on. */
  private readerOf(milliseconds: number, time: number): PageReader {
    // If a clock jumped, the time may lie in the future.
    const since = new Date(Math.min(time, Date.now()) - milliseconds).toISOString()
    return new PageReader((...page) => this.readChanges(since, ...page))
  }
}

/** Whether a time lies at most so many milliseconds in the past. After a clock jumped, it may lie in the future. */
function isWithin(milliseconds: number, time = 0): boolean {
  const age = Date.now() - time
  return age >= 0 && age < milliseconds
}
