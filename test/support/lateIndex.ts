/**
 * The table and its index `byChange` in virtual time. As on AWS, both are late: each of two replicas of the table, and of
 * each feed, shows a write at its own time. `Date` is the clock of the reader, and `now` is the true time, so that they can
 * differ.
 */
import { vi } from 'vitest'
import type { StoredJoke } from '../../shared/joke.ts'
import type { ReadFeed } from '../../shared/store/cache/feedReader.ts'
import type { ReadSegment } from '../../shared/store/cache/segmentReader.ts'
import type { Item } from '../../shared/store/item.ts'
import { CACHE } from '../../shared/store/limits.ts'
import type { ItemPage } from '../../shared/store/reads.ts'
import type { Feed } from '../../shared/store/tables.ts'

const START = Date.UTC(2026, 0, 1)

export function startVirtualTime(): void {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'], now: START })
}

/** The true time in milliseconds. */
export const now = () => START + performance.now()

export const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Lets time pass, timer by timer, until work is done. */
export async function inVirtualTime<Result>(work: Promise<Result>): Promise<Result> {
  let isRunning = true
  const end = () => {
    isRunning = false
  }
  work.then(end, end)
  while (true) {
    await new Promise(setImmediate)
    if (!isRunning) return work
    vi.advanceTimersToNextTimer()
  }
}

/** The item of a joke that is listed, waits or was removed. */
export type Row = StoredJoke & { feed: Feed; changedAt: string; rev: number }

/** The parts of a row by which pages are sorted. */
type Position = Partial<Row> | Item

interface WriteTimes {
  /** The time by the clock of the writer, in milliseconds. */
  changedAt?: number
  /** The milliseconds by which the index is late. */
  lag?: number
}

/** A version of a joke in one feed of one replica. If its own feed is another one, the joke is absent from then on. */
interface Version {
  row: Row
  shownAt: number
}

/** What is read: a feed of the index, or the table itself. */
type Place = Feed | 'table'

/** Number of partitions of the table, and of each feed. Each partition of the table is a segment. */
export const PARTITIONS = CACHE.segments

export class LateIndex {
  readonly table = new Map<string, Row>()
  readonly calls: { place: Place; afterKey: unknown; rows: number }[] = []
  /** Number of calls that were not answered yet. */
  open = 0
  /** Time that a call takes, in milliseconds. */
  latency = 5
  /** Share of the calls that fail. */
  failing = 0
  /** Share of the calls that are never answered. */
  hanging = 0
  private readonly pageRows: number
  private readonly random: () => number
  private readonly replicas = [newReplica(), newReplica()]
  private readonly lateUntil = new Map<string, number>()

  /**
   * @param pageRows number of rows on a page
   * @param random returns a number from 0 to 1. By default, nothing happens by chance
   */
  constructor(pageRows = 100, random = () => 0) {
    this.pageRows = pageRows
    this.random = random
  }

  /** Adds or changes a joke. Its `thumbsDown` is the revision, so that listings show it. */
  write(joke: Partial<Row> & { id: string }, { changedAt = now(), lag = this.lagOf() }: WriteTimes = {}): void {
    const before = this.table.get(joke.id) ?? { ...EMPTY, id: joke.id }
    const rev = before.rev + 1
    const row: Row = { ...before, ...joke, changedAt: new Date(changedAt).toISOString(), rev, thumbsDown: rev }
    this.table.set(row.id, row)
    for (const replica of this.replicas)
      for (const [place, versions] of Object.entries(replica)) {
        const known = versions.get(row.id) ?? []
        const late = this.lateUntil.get(place + partitionOf(row)) ?? 0
        const shownAt = Math.max(known.at(-1)?.shownAt ?? 0, now() + lag + this.about(30), late)
        versions.set(row.id, [...known, { row, shownAt }])
      }
  }

  /** Makes a partition of a feed or of the table late, for some milliseconds. */
  delay(place: Place, partition: number, milliseconds: number): void {
    this.lateUntil.set(place + partition, now() + milliseconds)
  }

  readonly readFeed: ReadFeed = (feed, since, afterKey, signal) => {
    const rows = (all: Row[]) => all.filter((row) => row.feed === feed && row.changedAt >= since)
    const position = ({ changedAt, id }: Position) => `${changedAt} ${id}`
    return this.readPage({ place: feed, rows, position }, afterKey, signal)
  }

  readonly readSegment: ReadSegment = (segment, afterKey, signal) => {
    const rows = (all: Row[]) => all.filter((row) => partitionOf(row) === segment)
    // Ids are hashes, so their order is none.
    const position = ({ id }: Position) => `${id}`
    return this.readPage({ place: 'table', rows, position }, afterKey, signal)
  }

  private async readPage(
    { place, rows, position }: { place: Place; rows: (all: Row[]) => Row[]; position: (of: Position) => string },
    afterKey: Item | undefined,
    signal: AbortSignal,
  ): Promise<ItemPage> {
    const call = { place, afterKey, rows: 0 }
    this.calls.push(call)
    this.open++
    try {
      await wait(this.random() < this.hanging ? undefined : this.latency + this.about(10), signal)
      if (this.random() < this.failing) throw new Error('The fake database failed.')
      const after = afterKey ? position(afterKey) : ''
      const following = rows(this.shown(place)).filter((row) => position(row) > after)
      const items = following.toSorted((a, b) => (position(a) < position(b) ? -1 : 1)).slice(0, this.pageRows)
      call.rows = items.length
      const { id, changedAt } = items.at(-1) ?? {}
      return { items, ...(following.length > items.length && { lastKey: { id, changedAt } }) }
    } finally {
      this.open--
    }
  }

  private shown(place: Place): Row[] {
    const replica = this.replicas[this.random() < 0.5 ? 0 : 1] ?? {}
    const versions = [...(replica[place]?.values() ?? [])]
    return versions.flatMap((known) => known.findLast(({ shownAt }) => shownAt <= now())?.row ?? [])
  }

  private lagOf(): number {
    return 10 + this.about(80)
  }

  private about(mean: number): number {
    return exponential(this.random, mean)
  }
}

/** Returns a random waiting time with a mean. */
export function exponential(random: () => number, mean: number): number {
  return -Math.log(1 - random()) * mean
}

const EMPTY: Omit<Row, 'id' | 'changedAt'> = {
  ...{ joke: '', punchline: '', category: 'Classic', thumbsUp: 0, thumbsDown: 0 },
  ...{ dateAdded: new Date(START).toISOString(), feed: 'listed', rev: 0 },
}

function newReplica(): Partial<Record<Place, Map<string, Version[]>>> {
  return { listed: new Map(), removed: new Map(), table: new Map() }
}

/** The partition that has a row, in the table and in its feed. */
export function partitionOf({ id }: { id: string }): number {
  return Buffer.from(id).reduce((sum, byte) => sum + byte, 0) % PARTITIONS
}

/** Waits for some milliseconds, or for ever. */
function wait(milliseconds: number | undefined, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    if (milliseconds !== undefined) setTimeout(resolve, milliseconds)
  })
}
