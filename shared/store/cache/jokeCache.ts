/**
 * Keeps the listed jokes in memory up to date. DynamoDB is the source of truth. The first listing loads all jokes. Each
 * later one reads only what has changed since.
 */
import { logCache, logNotRefreshed } from '../../log.ts'
import { CACHE } from '../limits.ts'
import { FeedReader, type ReadFeed } from './feedReader.ts'
import { ListedJokes } from './listedJokes.ts'
import { type ReadSegment, SegmentReader } from './segmentReader.ts'

/** The feeds that change what is listed. */
const FEEDS = ['listed', 'removed'] as const

export class JokeCache {
  private readonly jokes: ListedJokes
  /** Read once, by the load. */
  private readonly segments: SegmentReader[]
  /** Read at each refresh. */
  private readonly newest: FeedReader[]
  /** Read older changes again, a page at a refresh, because some reach the index late. */
  private readonly late: FeedReader[]
  private loadedAt: number | undefined
  private isLoaded = false
  private isStale = false
  private failedAt = -Infinity
  /** The refresh under way. It may have read before a write that a later listing must show. */
  private running: Promise<void> | undefined
  /** The next refresh, for which the listings wait that began during the one under way. */
  private following: Promise<void> | undefined

  constructor(readSegment: ReadSegment, readFeed: ReadFeed, maxBytes = CACHE.bytes) {
    this.jokes = new ListedJokes(maxBytes)
    this.segments = Array.from(
      { length: CACHE.segments },
      (_, segment) => new SegmentReader(segment, readSegment, maxBytes / CACHE.segments),
    )
    this.newest = FEEDS.map((feed) => new FeedReader(feed, readFeed))
    this.late = FEEDS.map((feed) => new FeedReader(feed, readFeed))
  }

  /** Makes the next listing refresh at once. Called after a write of this process. */
  invalidate(): void {
    this.isStale = true
  }

  /**
   * Returns the listed jokes as they were some moments ago. If they cannot be refreshed, it returns those in memory, for
   * up to {@link CACHE.staleMs}. Calls during a refresh wait for the next one, which they share.
   *
   * @throws the error of the database, if there are no jokes in memory that are recent enough
   */
  async current(): Promise<ListedJokes> {
    if (this.running) this.following ??= this.running.catch(() => {}).then(() => this.start())
    await (this.following ?? this.start())
    return this.jokes
  }

  private get upToDateAt(): number {
    return Math.min(...this.newest.map((reader) => reader.upToDateAt))
  }

  private get hasRecentJokes(): boolean {
    return this.isLoaded && isWithin(CACHE.staleMs, this.upToDateAt)
  }

  private start(): Promise<void> {
    this.following = undefined
    this.running = this.update().finally(() => {
      this.running = undefined
    })
    return this.running
  }

  private async update(): Promise<void> {
    if (!this.isStale && isWithin(CACHE.freshMs, this.upToDateAt)) return
    if (this.hasRecentJokes && isWithin(CACHE.pauseMs, this.failedAt)) return
    this.isStale = false
    // Calls that still run are aborted before the response. Otherwise they would go on when Lambda thaws the container.
    const stop = new AbortController()
    const timer = setTimeout(() => stop.abort(), this.hasRecentJokes ? CACHE.refreshMs : CACHE.loadMs)
    try {
      await this.load(stop.signal)
      await this.refresh(stop.signal)
    } catch (error) {
      if (!this.hasRecentJokes) throw error
      this.failedAt = Date.now()
      logNotRefreshed(error)
    } finally {
      clearTimeout(timer)
      stop.abort()
    }
  }

  /** Reads all jokes, until the memory is full. A load that was interrupted goes on. */
  private async load(signal: AbortSignal): Promise<void> {
    if (this.isLoaded) return
    this.loadedAt ??= Date.now()
    await Promise.all(this.segments.map((segment) => segment.readAll(this.jokes, signal)))
    for (const reader of this.newest) reader.endAt(this.loadedAt)
    // These begin at once, because a segment may have lacked changes that the index has shown before.
    for (const reader of this.late) reader.endAt(this.loadedAt - CACHE.lateEveryMs)
    this.isLoaded = true
    logCache(this.jokes, Date.now() - this.loadedAt)
  }

  private async refresh(signal: AbortSignal): Promise<void> {
    const wasCut = this.jokes.isTruncated
    for (const reader of this.newest) beginAgain(reader, CACHE.rereadMs)
    for (const reader of this.late)
      if (!isWithin(CACHE.lateEveryMs, reader.upToDateAt)) beginAgain(reader, CACHE.lateMs)
    try {
      await Promise.all([
        ...this.newest.map((reader) => reader.readAll(this.jokes, signal)),
        ...this.late.map((reader) => reader.readPage(this.jokes, signal)),
      ])
    } finally {
      if (this.jokes.isTruncated && !wasCut) logCache(this.jokes)
    }
  }
}

/** Begins to read what changed since some time before the last complete reading, or before now if a clock jumped. */
function beginAgain(reader: FeedReader, before: number): void {
  reader.begin(Math.min(reader.upToDateAt, Date.now()) - before)
}

/** Whether a time lies at most so many milliseconds in the past. After a clock jumped, it may lie in the future. */
function isWithin(milliseconds: number, time: number): boolean {
  const age = Date.now() - time
  return age >= 0 && age < milliseconds
}
