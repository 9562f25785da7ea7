/** The jokes in memory follow the table, although its index is late and its calls fail. All of it in virtual time. */
import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import * as v from 'valibot'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Joke } from '../shared/joke.ts'
import { parseListing } from '../shared/listing.ts'
import { findPage } from '../shared/store/cache/find.ts'
import { JokeCache } from '../shared/store/cache/jokeCache.ts'
import { ListedJokes } from '../shared/store/cache/listedJokes.ts'
import type { Item, State } from '../shared/store/item.ts'
import { CACHE } from '../shared/store/limits.ts'
import type { ReadBatch } from '../shared/store/reads.ts'

const RUNS = Number(process.env.RUNS ?? 30)
const REMOVED = { jokeState: 'removed' } as const
const MINUTE = 60_000
const START = Date.UTC(2026, 0, 1)

const warn = vi.spyOn(console, 'warn')

beforeEach(() => {
  const toFake = ['Date', 'performance', 'setTimeout', 'clearTimeout'] as const
  vi.useFakeTimers({ toFake: [...toFake], fakeNodeBuiltins: true, now: START })
  letTimePass()
  warn.mockReset().mockReturnValue()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

/** Goes to the next timer whenever all work waits. The mode `nextTimerAsync` of Vitest needs a millisecond for each timer. */
function letTimePass(): void {
  if (!vi.isFakeTimers()) return
  vi.advanceTimersToNextTimer()
  setImmediate(letTimePass)
}

/** The true time in milliseconds. */
const now = () => START + performance.now()

/**
 * Returns a table whose jokes were added a minute ago, and their cache, as in a container. `list` lists all jokes after some
 * milliseconds, by default when a refresh is due. It returns the upvotes of each joke by its number.
 */
async function start({ jokes, ...options }: { jokes: number; pageRows?: number; random?: () => number }) {
  const table = Object.assign(new LateTable(), options)
  for (let number = 0; number < jokes; number++) table.write(number)
  await sleep(MINUTE)
  const cache = new JokeCache({
    segment: (segment) => table.readSegment(segment),
    changes: (since) => table.readChanges(since),
  })
  const list = async (milliseconds = 1_000): Promise<Record<number, number>> => {
    await sleep(milliseconds)
    const jokes = await cache.current()
    return Object.fromEntries(jokes.all().map(({ joke }) => [Number(joke.id), joke.thumbsUp]))
  }
  return { table, cache, list }
}

describe('a load', () => {
  it('leaves out a joke that is removed after its page was read', async () => {
    const { table, list } = await start({ jokes: 16, pageRows: 1 })
    // The load takes longer than the time that a refresh reads again.
    table.latency = 3_500
    void sleep(3_600).then(() => table.write(0, REMOVED))
    expect(await list(0)).not.toHaveProperty('0')
  })

  it('that takes 20 seconds is aborted, and the next listing reads only what is left', async () => {
    const { table, list } = await start({ jokes: 90, pageRows: 1 })
    table.latency = 990
    const startedAt = now()
    await expect(list(0)).rejects.toThrow('aborted')
    expect([now() - startedAt, table.open]).toEqual([20_000, 0])
    table.latency = 200
    expect(Object.keys(await list())).toHaveLength(90)
    expect(table.rows.table).toBe(90)
  })

  it('is enough for a listing, even if the refresh after it fails', async () => {
    const { table, list } = await start({ jokes: 2 })
    void sleep(table.latency + 1).then(() => Object.assign(table, { failing: 1 }))
    expect(await list(0)).toEqual({ 0: 0, 1: 0 })
    expect(warn).toHaveBeenCalledOnce()
  })
})

describe('a refresh', () => {
  it('happens at most once a second for ten clients at once', async () => {
    const { table, cache, list } = await start({ jokes: 1 })
    await list()
    table.calls = 0
    const end = now() + 10_000
    const client = async () => {
      while (now() < end) await cache.current().then(() => sleep(10))
    }
    await Promise.all(Array.from({ length: 10 }, client))
    expect(table.calls).toBeGreaterThan(8)
    expect(table.calls).toBeLessThanOrEqual(10)
  })

  it('that began before a write of this process does not hide it', async () => {
    const { table, cache, list } = await start({ jokes: 1 })
    await list()
    table.latency = 150
    const refreshed = list()
    await sleep(1_002)
    table.write(0, { thumbsUp: 1 }, { lag: MINUTE })
    cache.apply(table.latest(0))
    expect(await refreshed).toEqual({ 0: 1 })
    expect(await list()).toEqual({ 0: 1 })
  })

  it('that takes longer than a second is continued by the next listing', async () => {
    const { table, list } = await start({ jokes: 20, pageRows: 1 })
    await list()
    for (let number = 0; number < 20; number++) table.write(number, { thumbsUp: 1 })
    Object.assign(table, { latency: 60, rows: { index: 0, table: 0 } })
    const startedAt = now()
    await list()
    expect(now() - startedAt).toBe(2_000)
    expect(Object.values(await list())).toEqual(Array(20).fill(1))
    // Each refresh reads a page of late changes, too.
    expect(table.rows.index).toBe(22)
  })

  it('finds new changes after the clock was an hour ahead, and was set right', async () => {
    const { table, list } = await start({ jokes: 1 })
    vi.setSystemTime(now() + 60 * MINUTE)
    await list()
    await list()
    vi.setSystemTime(now())
    table.write(0, { thumbsUp: 1 })
    expect(await list()).toEqual({ 0: 1 })
  })

  it('finds a change that arrives 8 seconds late, and one that arrives later within a minute', async () => {
    const { table, list } = await start({ jokes: 2 })
    await list()
    table.write(0, { thumbsUp: 1 }, { changedAt: now() - 8_000 })
    expect(await list()).toEqual({ 0: 1, 1: 0 })
    table.write(1, { thumbsUp: 1 }, { lag: 90_000 })
    for (let second = 0; second < 90; second++) expect(await list()).toEqual({ 0: 1, 1: 0 })
    for (let second = 0; second < 61; second++) await list()
    expect(await list()).toEqual({ 0: 1, 1: 1 })
  })
})

describe('while the database fails', () => {
  it('a refresh that hangs is aborted after a second, logged, and answered from memory', async () => {
    const { table, list } = await start({ jokes: 1 })
    await list()
    table.hanging = 1
    const startedAt = now()
    expect(await list()).toEqual({ 0: 0 })
    expect([now() - startedAt, table.open]).toEqual([2_000, 0])
    expect(warn.mock.calls).toEqual([[{ notRefreshed: expect.objectContaining({ name: 'AbortError' }) }]])
  })

  it('a refresh whose search for late changes fails is logged', async () => {
    const { table, list } = await start({ jokes: 1 })
    await list()
    const readChanges = vi.spyOn(table, 'readChanges').mockReturnValue(() => Promise.reject(new Error('No.')))
    readChanges.mockReturnValueOnce(async () => ({ items: [], lastKey: undefined }))
    expect(await list(MINUTE)).toEqual({ 0: 0 })
    expect(warn.mock.calls).toEqual([[{ notRefreshed: new Error('No.') }]])
  })

  it('listings are answered from memory for a second after a failed refresh', async () => {
    const { table, list } = await start({ jokes: 1 })
    await list()
    Object.assign(table, { failing: 1, calls: 0 })
    for (const milliseconds of [1_000, 500, 490]) await list(milliseconds)
    expect([table.calls, warn.mock.calls.length]).toEqual([1, 1])
    await list(20)
    expect(table.calls).toBe(2)
  })

  it('listings are answered from memory for 5 minutes, and then wait for the database or fail', async () => {
    const { table, list } = await start({ jokes: 2 })
    await list()
    table.failing = 1
    expect(await list(299_000)).toEqual({ 0: 0, 1: 0 })
    await expect(list(2_000)).rejects.toThrow('The fake database failed.')
    await expect(list(0)).rejects.toThrow('The fake database failed.')
    table.write(0, REMOVED)
    Object.assign(table, { failing: 0, latency: 3_000 })
    expect(await list(20)).toEqual({ 1: 0 })
  })
})

describe('when the memory is full', () => {
  /** Room for 25 jokes. */
  beforeEach(() => {
    const room = vi.spyOn(CACHE, 'bytes', 'get').mockReturnValue(25 * 500)
    return () => void room.mockRestore()
  })

  it('a load stops, and logs that jokes are left out', async () => {
    vi.stubEnv('AWS_LAMBDA_FUNCTION_VERSION', '1')
    using info = vi.spyOn(console, 'info').mockReturnValue()
    const { table, list } = await start({ jokes: 200, pageRows: 5 })
    expect(Object.keys(await list())).toHaveLength(25)
    expect(table.rows.table).toBeLessThan(60)
    const [bytes, milliseconds] = [expect.any(Number), expect.any(Number)]
    expect(info.mock.calls).toEqual([[{ jokes: 25, bytes, milliseconds, isTruncated: true }]])
  })

  it('jokes are changed and removed, and others take the place of those', async () => {
    const { table, list } = await start({ jokes: 80, pageRows: 5 })
    // Then no reader of changes finds those that were left out.
    const before = await list(2 * MINUTE)
    table.write(1, { thumbsUp: 1 })
    table.write(80)
    expect(await list()).toEqual({ ...before, 1: 1 })
    table.write(0, REMOVED)
    expect(await list()).not.toHaveProperty('0')
    expect(await list()).toHaveProperty('80')
  })
})

it('a changed joke keeps its place in memory, a new one is appended, and only a removal makes a new list', () => {
  const jokes = new ListedJokes()
  jokes.apply([newRow(0), newRow(1)])
  const all = jokes.all()
  const [first] = all
  jokes.apply([{ ...newRow(0), rev: 1, thumbsUp: 5 }, newRow(2)])
  expect([jokes.all() === all, all[0] === first, first?.thumbsUp, first?.joke.thumbsUp]).toEqual([true, true, 5, 5])
  expect(all.map(({ id }) => Number(id))).toEqual([0, 1, 2])
  jokes.apply([{ ...newRow(1), ...REMOVED, rev: 1 }])
  expect(jokes.all().map(({ id }) => Number(id))).toEqual([0, 2])
})

it.each(['x', 'ж', 'ﷺ'])('the memory holds hardly more or less than it counts, with texts of %s', (letter) => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const text = letter.repeat(1_000)
  const jokes = new ListedJokes()
  collect()
  const before = process.memoryUsage().heapUsed
  // V8 keeps a joined text as its parts, unlike a copy.
  for (let number = 0; number < 1_000; number++)
    jokes.apply([structuredClone({ ...newRow(number), joke: `${text}${number}`, punchline: `${number}${text}` })])
  collect()
  const share = (process.memoryUsage().heapUsed - before) / jokes.bytes
  expect(share).toBeGreaterThan(0.75)
  expect(share).toBeLessThan(1.25)
})

it('the highest revision stays in memory, or else the later write, in whatever order they arrive', () => {
  const state = fc.constantFrom<State>('listed', 'waiting', 'removed')
  const version = fc.record({ rev: fc.integer({ min: 1, max: 3 }), writtenAt: fc.nat(3), state, thumbsUp: fc.nat() })
  const versions = fc.uniqueArray(version, { selector: ({ rev, writtenAt }) => 10 * rev + writtenAt, minLength: 1 })
  const property = fc.property(versions, (versions) => {
    const jokes = new ListedJokes()
    jokes.apply([newRow(0)])
    for (const { writtenAt, state, ...version } of versions)
      jokes.apply([{ ...newRow(0), ...version, jokeState: state, changedAt: new Date(writtenAt).toISOString() }])
    const latest = versions.toSorted((a, b) => b.rev - a.rev || b.writtenAt - a.writtenAt)[0]
    expect(jokes.all().map(({ joke }) => joke.thumbsUp)).toEqual(latest?.state === 'listed' ? [latest.thumbsUp] : [])
  })
  fc.assert(property, { numRuns: 1_000 })
})

/**
 * One life of a container: eight minutes of upvotes, edits and removals. Clocks differ by 2 seconds, writes land
 * late, table and index show some of them up to a minute later, calls fail or hang, and the container freezes between
 * listings.
 */
async function live(seed: number): Promise<void> {
  let drawn = 0
  const random = () => hash('sha256', `${seed} ${drawn++}`, 'buffer').readUInt32LE() / 2 ** 32
  const { table, cache, list } = await start({ jokes: 30, pageRows: 3, random })
  for (let number = 30; number < 40; number++) table.write(number, { jokeState: 'waiting' })
  const end = now() + 8 * MINUTE
  const often = async (mean: number, act: () => unknown) => {
    for (await sleep(table.about(mean)); now() < end; await sleep(table.about(mean))) act()
  }
  /** Writes a change of a random joke, which lands after some milliseconds. The clock of the writer is wrong. */
  const write = async (changeOf: (row: Row) => Partial<Row> | undefined, landing: number, clockError: number) => {
    const number = Math.floor(random() * 40)
    const changedAt = now() + (random() * 2 - 1) * clockError
    await sleep(landing)
    const change = changeOf(table.latest(number))
    if (change) table.write(number, change, { changedAt })
  }
  const upvote = (row: Row) => (row.jokeState === 'listed' ? { thumbsUp: row.thumbsUp + 1 } : undefined)
  const undo = (row: Row) => ({ jokeState: 'listed' as const, punchline: `wording${row.rev + 1}x` })
  void often(300, () => write(upvote, table.about(10) + (random() < 0.01 ? random() * 5_000 : 0), 5))
  void often(5_000, () =>
    write(random() < 0.6 ? () => REMOVED : undo, table.about(40) + (random() < 0.1 ? random() * 5_000 : 0), 2_000),
  )
  // The clock of the container jumps.
  void often(20_000, () => vi.setSystemTime(now() + (random() * 2 - 1) * 2_000 - (random() < 0.1 ? MINUTE : 0)))
  Object.assign(table, { failing: 0.03, hanging: 0.01, delayed: 0.1 })

  /** The lowest revision of each joke that may still be shown. */
  const lowest = new Map<string, number>()
  while (now() < end) {
    await sleep(random() < 0.01 ? random() * 400_000 : table.about(300))
    const jokes = await cache.current().catch(() => undefined)
    expect(table.open).toBe(0)
    if (!jokes) continue
    const revisions = new Map(jokes.all().map(({ joke }) => [joke.id, joke.thumbsDown]))
    expect([...revisions].filter(([id, revision]) => revision < (lowest.get(id) ?? 0))).toEqual([])
    // A joke that is no longer shown has a later revision.
    for (const [id, revision] of lowest) if (!revisions.has(id)) lowest.set(id, Math.floor(revision) + 0.5)
    for (const [id, revision] of revisions) lowest.set(id, revision)
  }

  Object.assign(table, { failing: 0, hanging: 0 })
  await sleep(3 * MINUTE)
  for (let listing = 0; listing < 60; listing++) await list(5_000)
  const rows = Array.from({ length: 40 }, (_, number) => table.latest(number))
  const listed = rows.filter(({ jokeState }) => jokeState === 'listed').map((row) => v.parse(Joke, row))
  const jokes = await cache.current()
  expect(new Set(jokes.all().map(({ joke }) => joke))).toEqual(new Set(listed))
  for (const joke of listed)
    expect(findPage(jokes, parseListing({ searchString: `${joke.joke} ${joke.punchline}` })).jokes).toContainEqual(joke)
}

it('never shows an older version than before, and ends like the table', async () => {
  const seed = fc.noShrink(fc.integer())
  await fc.assert(fc.asyncProperty(seed, live), { numRuns: RUNS })
})

/** The item of a joke that is listed, waits or was removed. */
type Row = Joke & { jokeState: State; changedAt: string; rev: number }

/** The place that is read: the index, or the table itself. */
type Place = 'index' | 'table'

/**
 * The table and its index in virtual time. As on AWS, both show a write late, and each call may reach a replica that is
 * behind others. `Date` is the clock of the reader. It can differ from `now`, the true time.
 */
class LateTable {
  /** Number of calls, of those that were not answered yet, and of the rows that they read. */
  calls = 0
  open = 0
  rows = { index: 0, table: 0 }
  /** Number of rows on a page. */
  pageRows = 100
  /** Returns a number from 0 to 1. By default, nothing happens by chance. */
  random = () => 0
  /** Time that a call takes, in milliseconds. */
  latency = 5
  /** Share of the calls that fail, of those that are never answered, and of the writes that show up to a minute late. */
  failing = 0
  hanging = 0
  delayed = 0
  /** All versions of each joke, and when each place shows them. */
  private readonly versions: { row: Row; shownAt: Record<Place, number> }[][] = []

  /** Returns the latest version of a joke. */
  latest(number: number): Row {
    return this.versions[number]?.at(-1)?.row ?? newRow(number)
  }

  /**
   * Adds or changes a joke. Its `thumbsDown` is the revision, so that listings show it.
   *
   * @param times the writer's clock, and the delay until the write shows, in milliseconds
   */
  write(number: number, change: Partial<Row> = {}, times: { changedAt?: number; lag?: number } = {}): void {
    const before = this.latest(number)
    const rev = before.rev + 1
    const changedAt = new Date(times.changedAt ?? now()).toISOString()
    const lag = () => times.lag ?? 10 + this.about(80) + (this.random() < this.delayed ? this.random() * MINUTE : 0)
    const version = {
      row: { ...before, ...change, changedAt, rev, thumbsDown: rev },
      shownAt: { index: now() + lag(), table: now() + lag() },
    }
    this.versions[number] = [...(this.versions[number] ?? []), version]
  }

  readChanges(since: string): ReadBatch {
    return (...page) => this.read('index', (row) => row.changedAt >= since, ...page)
  }

  readSegment(segment: number): ReadBatch {
    return (...page) => this.read('table', ({ id }) => Number(id) % CACHE.segments === segment, ...page)
  }

  private async read(place: Place, isIn: (row: Row) => boolean, ...[afterKey, signal]: Parameters<ReadBatch>) {
    const position = ({ id, changedAt }: Item) => `${place === 'table' ? '' : changedAt} ${id}`
    this.calls++
    this.open++
    try {
      await sleep(this.random() < this.hanging ? 60 * MINUTE : this.latency + this.about(10), undefined, { signal })
      if (this.random() < this.failing) throw new Error('The fake database failed.')
      const after = afterKey ? position(afterKey) : ''
      const following = this.shown(place).filter((row) => isIn(row) && position(row) > after)
      const items = following.toSorted((a, b) => (position(a) < position(b) ? -1 : 1)).slice(0, this.pageRows)
      this.rows[place] += items.length
      return { items, lastKey: following.length > items.length ? items.at(-1) : undefined }
    } finally {
      this.open--
    }
  }

  private shown(place: Place): Row[] {
    const time = now() - this.about(300)
    return this.versions.flatMap((known) => known.findLast(({ shownAt }) => shownAt[place] <= time)?.row ?? [])
  }

  /** Returns a random waiting time with a mean. */
  about(mean: number): number {
    return -Math.log(1 - this.random()) * mean
  }
}

/** A joke that is not in the table yet. */
function newRow(number: number): Row {
  return {
    ...{ id: `${number}`.padStart(22, '0'), joke: `${number}`, punchline: '', category: 'Classic' },
    ...{ thumbsUp: 0, thumbsDown: 0, dateAdded: new Date(START).toISOString() },
    ...{ jokeState: 'listed', changedAt: '', rev: 0 },
  }
}
