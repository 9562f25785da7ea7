/** The jokes in memory follow the table, although its index is late and its calls fail. All of it in virtual time. */
import fc from 'fast-check'
import * as v from 'valibot'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { StoredJoke } from '../shared/joke.ts'
import { parseListing } from '../shared/listing.ts'
import { findPage } from '../shared/store/cache/find.ts'
import { JokeCache, type ReadChanges, type ReadSegment } from '../shared/store/cache/jokeCache.ts'
import type { Item, State } from '../shared/store/item.ts'
import { CACHE } from '../shared/store/limits.ts'
import type { Batch } from '../shared/store/reads.ts'

const RUNS = Number(process.env.RUNS ?? 30)
const REMOVED = { jokeState: 'removed' } as const
const LISTED = { jokeState: 'listed' } as const
const MINUTE = 60_000
const START = Date.UTC(2026, 0, 1)
/** Number of partitions of the table, and of its index. Each partition of the table is a segment. */
const PARTITIONS = CACHE.segments

const warn = vi.spyOn(console, 'warn')
const info = vi.spyOn(console, 'info')

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'], now: START })
  vi.stubEnv('AWS_LAMBDA_FUNCTION_VERSION', '1')
  for (const spy of [warn, info]) spy.mockReset().mockReturnValue()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

function idOf(number: number): string {
  return Buffer.from(`joke no. ${1_000 + number}`)
    .toString('base64url')
    .padEnd(22, 'A')
}

/** Returns an index with jokes that were added a minute ago. */
async function indexOf(jokes: number, pageRows?: number, random?: () => number): Promise<LateIndex> {
  const index = new LateIndex(pageRows, random)
  for (let number = 0; number < jokes; number++) index.write({ id: idOf(number), joke: `joke${1_000 + number}` })
  await inVirtualTime(sleep(MINUTE))
  return index
}

/** A cache that is listed, as by a container that takes one request after the other. */
class Container extends JokeCache {
  readonly index: LateIndex

  constructor(index: LateIndex, maxBytes?: number) {
    super(index.readSegment, (...page) => index.readChanges(...page), maxBytes)
    this.index = index
  }

  /** Lists all jokes. @returns their ids and upvotes, and what the listing needed */
  async list() {
    const startedAt = now()
    const before = this.index.calls.length
    const jokes = await inVirtualTime(this.current())
    const shown = jokes.all().map(({ joke }): [string, number] => [joke.id, joke.thumbsUp])
    const calls = this.index.calls.slice(before)
    return { shown: new Map(shown), calls, milliseconds: now() - startedAt, open: this.index.open }
  }

  /** Lists after some milliseconds. */
  async listAfter(milliseconds: number) {
    await inVirtualTime(sleep(milliseconds))
    return this.list()
  }
}

/** Delays all partitions of these places by two minutes. */
function delayAll(index: LateIndex, ...places: Parameters<LateIndex['delay']>[0][]): void {
  for (const place of places)
    for (let partition = 0; partition < PARTITIONS; partition++) index.delay(place, partition, 2 * MINUTE)
}

function rowsOf(calls: LateIndex['calls'], places: string[] = ['changes']): number {
  return calls.reduce((sum, { place, rows }) => sum + (places.includes(place) ? rows : 0), 0)
}

describe('a load', () => {
  it('leaves out a joke that is removed between any two of its pages', async () => {
    const numbers = [...Array(12).keys()]
    for (let page = 0; page < 5; page++) {
      for (const removed of numbers) {
        const index = await indexOf(numbers.length + 4, 1)
        // The late reader, which reads a page at a time, finds these first.
        for (let other = 0; other < 4; other++) index.write({ id: idOf(numbers.length + other), ...REMOVED })
        await inVirtualTime(sleep(10_000))
        // Longer than the time that a refresh reads again.
        index.latency = 3_000
        const container = new Container(index)
        void sleep(page * 3_000 + 1_500).then(() => index.write({ id: idOf(removed), ...REMOVED }))
        await container.list()
        index.latency = 5
        const { shown } = await container.listAfter(1_000)
        const others = numbers.filter((number) => number !== removed)
        expect([...shown.keys()].toSorted()).toEqual(others.map(idOf).toSorted())
      }
    }
  })

  it('shows a change that the table still lacks, but the index has', async () => {
    const index = await indexOf(12)
    delayAll(index, 'table')
    for (let number = 0; number < 4; number++) index.write({ id: idOf(number), ...REMOVED })
    await inVirtualTime(sleep(MINUTE))
    expect((await new Container(index).list()).shown.size).toBe(8)
  })

  it.each([
    // Segments are read side by side, or else this would take 90 seconds.
    ['that takes 20 seconds is aborted', 90, 1, Infinity, 'aborted', 20_000],
    // Three segments have one page, and one has two.
    ['of which a page fails ends at once', 42, 10, 1_500, 'The fake database failed.', 1_980],
  ])(
    '%s, and the next listing reads only what is left',
    async (_, jokes, pageRows, failsAfter, message, milliseconds) => {
      const index = await indexOf(jokes, pageRows)
      index.latency = 990
      const container = new Container(index)
      if (failsAfter < Infinity) void sleep(failsAfter).then(() => Object.assign(index, { failing: 1 }))
      const startedAt = now()
      await expect(container.list()).rejects.toThrow(message)
      expect([now() - startedAt, index.open]).toEqual([milliseconds, 0])
      Object.assign(index, { failing: 0, latency: 200 })
      const { shown, calls } = await container.listAfter(1_000)
      expect(shown.size).toBe(jokes)
      // No page was read twice.
      expect(calls[0]?.afterKey).toBeDefined()
      expect(rowsOf(index.calls, ['table'])).toBe(jokes)
    },
  )

  it('is enough for a listing, even if the refresh after it fails', async () => {
    const index = await indexOf(10)
    Object.assign(index, { readChanges: async () => Promise.reject(new Error('The index failed.')) })
    expect((await new Container(index).list()).shown.size).toBe(10)
    expect(warn).toHaveBeenCalledOnce()
  })

  it('keeps no joke that waits, and takes it up when it is approved', async () => {
    const index = await indexOf(1)
    index.write({ id: idOf(1), jokeState: 'waiting' })
    await inVirtualTime(sleep(MINUTE))
    const container = new Container(index)
    expect([...(await container.list()).shown.keys()]).toEqual([idOf(0)])
    index.write({ id: idOf(1), ...LISTED })
    expect((await container.listAfter(1_000)).shown.size).toBe(2)
  })
})

describe('a refresh', () => {
  it('takes over a higher revision that arrives 8 seconds late, although a clock says that it is older', async () => {
    const index = await indexOf(2)
    const container = new Container(index)
    await container.list()
    index.write({ id: idOf(0), thumbsUp: 1 })
    await container.listAfter(1_000)
    index.write({ id: idOf(0), ...REMOVED }, { changedAt: now() - 8_000 })
    expect([...(await container.listAfter(1_000)).shown.keys()]).toEqual([idOf(1)])
  })

  it('keeps the later change of two with the same revision', async () => {
    const item = { ...EMPTY, ...LISTED, id: idOf(0), rev: 5, changedAt: new Date(now()).toISOString() }
    const earlier = { ...item, ...REMOVED, changedAt: new Date(now() - 1).toISOString() }
    const later = { ...item, thumbsUp: 1, changedAt: new Date(now() + 1).toISOString() }
    const pages = [[item], [earlier], [later], [item]]
    const cache = new JokeCache(
      async () => ({ items: [], lastKey: undefined }),
      async () => ({ items: pages.shift() ?? [], lastKey: undefined }),
    )
    const shown: (number | undefined)[] = []
    while (pages.length > 0) {
      await inVirtualTime(sleep(1_000))
      shown.push((await inVirtualTime(cache.current())).all()[0]?.joke.thumbsUp)
    }
    expect(shown.at(-1)).toBe(1)
  })

  it('keeps a joke removed although a replica of the index shows it as listed again', async () => {
    const index = await indexOf(2)
    const { readChanges } = index
    const container = new Container(index)
    await container.list()
    index.write({ id: idOf(0), thumbsUp: 1 })
    await container.listAfter(1_000)
    const before = await inVirtualTime(readChanges('', undefined, new AbortController().signal))
    index.write({ id: idOf(0), ...REMOVED })
    expect([...(await container.listAfter(1_000)).shown.keys()]).toEqual([idOf(1)])
    Object.assign(index, { readChanges: async () => before })
    for (let listing = 0; listing < 5; listing++)
      expect([...(await container.listAfter(1_000)).shown.keys()]).toEqual([idOf(1)])
  })

  it('happens at most once a second for ten clients at once', async () => {
    const container = new Container(await indexOf(1))
    await container.list()
    const { calls } = container.index
    const before = calls.length
    const end = now() + 10_000
    const client = async () => {
      while (now() < end) await container.current().then(() => sleep(1))
    }
    await inVirtualTime(Promise.all(Array.from({ length: 10 }, client)))
    expect(calls.length - before).toBeGreaterThan(8)
    expect(calls.length - before).toBeLessThanOrEqual(10)
  })

  it('that began before a write of this process does not hide it', async () => {
    const index = await indexOf(1)
    const container = new Container(index)
    await container.list()
    await inVirtualTime(sleep(1_000))
    index.latency = 150
    const first = container.current()
    await inVirtualTime(sleep(2))
    index.write({ id: idOf(0), thumbsUp: 1 }, { lag: MINUTE })
    container.apply(index.table.get(idOf(0)) ?? {})
    await inVirtualTime(first)
    expect((await container.list()).shown.get(idOf(0))).toBe(1)
    expect((await container.listAfter(1_000)).shown.get(idOf(0))).toBe(1)
  })

  it('that takes longer than a second is continued by the next listing', async () => {
    const index = await indexOf(20, 1)
    const container = new Container(index)
    await container.list()
    for (let number = 0; number < 20; number++) index.write({ id: idOf(number), thumbsUp: 1 })
    index.latency = 60
    const { calls, milliseconds } = await container.listAfter(1_000)
    expect(milliseconds).toBe(1_000)
    const { calls: others, shown } = await container.listAfter(1_000)
    expect([...shown.values()]).toEqual(Array(20).fill(1))
    // Each refresh reads a page of late changes, too.
    expect(rowsOf([...calls, ...others])).toBe(22)
  })

  it('finds new changes after the clock was an hour ahead, and was set right', async () => {
    const index = await indexOf(1)
    vi.setSystemTime(now() + 60 * MINUTE)
    const container = new Container(index)
    await container.list()
    await container.listAfter(1_000)
    vi.setSystemTime(now())
    index.write({ id: idOf(0), thumbsUp: 1 })
    expect((await container.listAfter(1_000)).shown.get(idOf(0))).toBe(1)
  })
})

it('a late change is found within a minute after it reached the index', async () => {
  const container = new Container(await indexOf(1))
  await container.list()
  container.index.write({ id: idOf(0), thumbsUp: 1 }, { lag: 90_000 })
  for (let second = 0; second < 90; second++) expect((await container.listAfter(1_000)).shown.get(idOf(0))).toBe(0)
  for (let second = 0; second < 61; second++) await container.listAfter(1_000)
  expect((await container.list()).shown.get(idOf(0))).toBe(1)
})

it('after 3,000 jokes were removed, listings read a bounded number of rows', async () => {
  const index = await indexOf(4_000, 500)
  const container = new Container(index)
  await container.list()
  for (let number = 0; number < 3_000; number++) {
    index.write({ id: idOf(number), ...REMOVED })
    if (number % 50 === 0) await inVirtualTime(sleep(1_000))
  }
  expect((await container.listAfter(1_000)).shown.size).toBe(1_000)
  for (let listing = 0; listing < 40; listing++) {
    const { calls } = await container.listAfter(3_000)
    // The changes of ten seconds, and a page of late ones.
    expect(rowsOf(calls)).toBeLessThanOrEqual(14 * 50 + 500)
  }
})

describe('while the database fails', () => {
  async function warm(): Promise<Container> {
    const container = new Container(await indexOf(2))
    await container.list()
    await inVirtualTime(sleep(1_000))
    return container
  }

  it('a refresh that hangs is aborted after a second, logged, and answered from memory', async () => {
    const container = await warm()
    container.index.hanging = 1
    const { shown, milliseconds, open } = await container.list()
    expect(shown.size).toBe(2)
    expect(milliseconds).toBe(1_000)
    expect(open).toBe(0)
    expect(warn.mock.calls).toEqual([[{ notRefreshed: expect.objectContaining({ name: 'AbortError' }) }]])
  })

  it('a refresh whose one call fails aborts the other before it is answered', async () => {
    const index = await indexOf(2)
    const container = new Container(index)
    await container.list()
    const { readChanges } = index
    let calls = 0
    const readFirstOnly: ReadChanges = (...page) =>
      calls++ % 2 ? Promise.reject(new Error('A call failed.')) : readChanges(...page)
    Object.assign(index, { readChanges: readFirstOnly })
    // Late changes are read, too.
    const { open } = await container.listAfter(MINUTE)
    expect([calls, open, warn.mock.calls.length]).toEqual([2, 0, 1])
  })

  it('listings are answered from memory for a second after a failed refresh', async () => {
    const container = await warm()
    container.index.failing = 1
    expect((await container.list()).calls).not.toEqual([])
    expect((await container.listAfter(500)).calls).toEqual([])
    expect((await container.listAfter(490)).calls).toEqual([])
    container.index.failing = 0
    expect((await container.listAfter(20)).calls).not.toEqual([])
    expect(warn).toHaveBeenCalledOnce()
  })

  it('listings are answered from memory for 5 minutes, and then fail', async () => {
    const container = await warm()
    const { index } = container
    index.failing = 1
    expect((await container.listAfter(298_000)).shown.size).toBe(2)
    await inVirtualTime(sleep(2_000))
    await expect(container.list()).rejects.toThrow('The fake database failed.')
    await expect(container.list()).rejects.toThrow('The fake database failed.')
    index.write({ id: idOf(0), ...REMOVED })
    index.failing = 0
    expect((await container.listAfter(20)).shown.size).toBe(1)
  })

  it('listings with jokes older than 5 minutes wait for a slow database', async () => {
    const container = await warm()
    container.index.latency = 3_000
    expect((await container.listAfter(6 * MINUTE)).milliseconds).toBe(3_000)
  })
})

describe('when the memory is full', () => {
  /** Room for at most 25 jokes. */
  const ROOM = 25 * 515

  it('a load stops, and logs that jokes are left out', async () => {
    const index = await indexOf(200, 5)
    const { shown, calls } = await new Container(index, ROOM).list()
    expect(shown.size).toBe(25)
    expect(rowsOf(calls, ['table'])).toBeLessThan(60)
    const [bytes, milliseconds] = [expect.any(Number), expect.any(Number)]
    expect(info.mock.calls).toEqual([[{ jokes: 25, bytes, milliseconds, isTruncated: true }]])
  })

  it('jokes are changed and removed, and others take the place of those', async () => {
    const index = await indexOf(80, 5)
    // Then no reader of changes finds those that were left out.
    await inVirtualTime(sleep(2 * MINUTE))
    const container = new Container(index, ROOM)
    const { shown: before } = await container.list()
    const [removed = '', upvoted = '', ...others] = before.keys()
    index.write({ id: upvoted, thumbsUp: 1 })
    index.write({ id: idOf(80) })
    const { shown } = await container.listAfter(1_000)
    expect(Object.fromEntries(shown)).toEqual({
      ...Object.fromEntries([removed, ...others].map((id) => [id, 0])),
      [upvoted]: 1,
    })
    index.write({ id: removed, ...REMOVED })
    expect((await container.listAfter(1_000)).shown.has(removed)).toBe(false)
    expect((await container.listAfter(1_000)).shown.has(idOf(80))).toBe(true)
  })
})

/**
 * One life of a container: eight minutes of upvotes, edits and removals. Clocks differ by 2 seconds, writes land
 * late, partitions of the index lag for up to a minute, calls fail or hang, and the container freezes between listings.
 */
async function live(seed: number): Promise<void> {
  const random = numbersFrom(seed)
  const about = (mean: number) => exponential(random, mean)
  const index = await indexOf(30, 3, random)
  for (let number = 30; number < 40; number++)
    index.write({ id: idOf(number), joke: `joke${1_000 + number}`, jokeState: 'waiting' })
  const container = new Container(index)
  const end = now() + 8 * MINUTE
  const often = async (mean: number, act: () => unknown) => {
    for (await sleep(about(mean)); now() < end; await sleep(about(mean))) act()
  }
  /** Writes a change of a random joke, which lands after some milliseconds. The clock of the writer is wrong. */
  const write = async (changeOf: (row: Row) => Partial<Row> | undefined, landing: number, clockError: number) => {
    const id = idOf(Math.floor(random() * 40))
    const changedAt = now() + (random() * 2 - 1) * clockError
    await sleep(landing)
    const row = index.table.get(id)
    const change = row && changeOf(row)
    if (change) index.write({ id, ...change }, { changedAt })
  }
  const upvote = (row: Row) => (row.jokeState === 'listed' ? { thumbsUp: row.thumbsUp + 1 } : undefined)
  const undo = (row: Row) => ({ ...LISTED, punchline: `wording${row.rev + 1}x` })
  void often(300, () => write(upvote, about(10) + (random() < 0.01 ? random() * 5_000 : 0), 5))
  void often(5_000, () =>
    write(random() < 0.6 ? () => REMOVED : undo, about(40) + (random() < 0.1 ? random() * 5_000 : 0), 2_000),
  )
  void often(5 * MINUTE, () => {
    const partition = Math.floor(random() * PARTITIONS)
    const place = (['changes', 'table'] as const)[Math.floor(random() * 2)]
    if (place) index.delay(place, partition, random() * MINUTE)
  })
  // The clock of the container jumps.
  void often(20_000, () => vi.setSystemTime(now() + (random() * 2 - 1) * 2_000 - (random() < 0.1 ? MINUTE : 0)))
  index.failing = 0.03
  index.hanging = 0.01

  /** The lowest revision of each joke that may still be shown. */
  const lowest = new Map<string, number>()
  while (now() < end) {
    await inVirtualTime(sleep(random() < 0.01 ? random() * 400_000 : about(300)))
    const jokes = await inVirtualTime(container.current()).catch(() => undefined)
    if (!jokes) continue
    const revisions = new Map(jokes.all().map(({ joke }) => [joke.id, joke.thumbsDown]))
    expect([...revisions].filter(([id, revision]) => revision < (lowest.get(id) ?? 0))).toEqual([])
    // A joke that is no longer shown has a later revision.
    for (const [id, revision] of lowest) if (!revisions.has(id)) lowest.set(id, Math.floor(revision) + 0.5)
    for (const [id, revision] of revisions) lowest.set(id, revision)
  }

  Object.assign(index, { failing: 0, hanging: 0, latency: 5 })
  await inVirtualTime(sleep(3 * MINUTE))
  for (let listing = 0; listing < 60; listing++) await container.listAfter(5_000)
  const listed = [...index.table.values()]
    .filter(({ jokeState }) => jokeState === 'listed')
    .map((row) => v.parse(StoredJoke, row))
  const jokes = await inVirtualTime(container.current())
  expect(new Set(jokes.all().map(({ joke }) => joke))).toEqual(new Set(listed))
  for (const joke of listed)
    expect(findPage(jokes, parseListing({ searchString: `${joke.joke} ${joke.punchline}` })).jokes).toEqual([joke])
}

/** Returns pseudo-random numbers from 0 to 1: the generator mulberry32. */
function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let number = Math.imul(state ^ (state >>> 15), 1 | state)
    number = (number + Math.imul(number ^ (number >>> 7), 61 | number)) ^ number
    return ((number ^ (number >>> 14)) >>> 0) / 2 ** 32
  }
}

it('never shows an older version than before, and ends like the table', async () => {
  const seed = fc.noShrink(fc.integer())
  await fc.assert(fc.asyncProperty(seed, live), { numRuns: RUNS })
})

/** The true time in milliseconds. */
const now = () => START + performance.now()

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Lets time pass, timer by timer, until work is done. */
async function inVirtualTime<Result>(work: Promise<Result>): Promise<Result> {
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
type Row = StoredJoke & { jokeState: State; changedAt: string; rev: number }

/** The place that is read: the index, or the table itself. */
type Place = 'changes' | 'table'

/**
 * The table and its index `byChange` in virtual time. As on AWS, both are late: each of two replicas of the table, and of
 * the index, shows a write at its own time. `Date` is the clock of the reader. It can differ from `now`, the true time.
 */
class LateIndex {
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

  /**
   * Adds or changes a joke. Its `thumbsDown` is the revision, so that listings show it.
   *
   * @param times the writer's clock, and the delay of the index, in milliseconds
   */
  write(joke: Partial<Row> & { id: string }, times: { changedAt?: number; lag?: number } = {}): void {
    const { changedAt = now(), lag = 10 + this.about(80) } = times
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

  /** Makes a partition of the index or of the table late, for some milliseconds. */
  delay(place: Place, partition: number, milliseconds: number): void {
    this.lateUntil.set(place + partition, now() + milliseconds)
  }

  readonly readChanges: ReadChanges = (since, ...page) =>
    this.readPage('changes', (row) => row.changedAt >= since, ...page)

  // Ids are hashes, so the order of a segment is none.
  readonly readSegment: ReadSegment = (segment, ...page) =>
    this.readPage('table', (row) => partitionOf(row) === segment, ...page)

  private async readPage(
    place: Place,
    isIn: (row: Row) => boolean,
    afterKey: Item | undefined,
    signal: AbortSignal,
  ): Promise<Batch> {
    const position = ({ id, changedAt }: Item) => `${place === 'table' ? '' : changedAt} ${id}`
    const call = { place, afterKey, rows: 0 }
    this.calls.push(call)
    this.open++
    try {
      await wait(this.random() < this.hanging ? undefined : this.latency + this.about(10), signal)
      if (this.random() < this.failing) throw new Error('The fake database failed.')
      const after = afterKey ? position(afterKey) : ''
      const following = this.shown(place).filter((row) => isIn(row) && position(row) > after)
      const items = following.toSorted((a, b) => (position(a) < position(b) ? -1 : 1)).slice(0, this.pageRows)
      call.rows = items.length
      const last = items.at(-1)
      const hasMore = last && following.length > items.length
      return { items, lastKey: hasMore ? { id: last.id, changedAt: last.changedAt } : undefined }
    } finally {
      this.open--
    }
  }

  private shown(place: Place): Row[] {
    const replica = this.replicas[this.random() < 0.5 ? 0 : 1]
    const versions = [...(replica?.[place].values() ?? [])]
    return versions.flatMap((known) => known.findLast(({ shownAt }) => shownAt <= now())?.row ?? [])
  }

  private about(mean: number): number {
    return exponential(this.random, mean)
  }
}

/** Returns a random waiting time with a mean. */
function exponential(random: () => number, mean: number): number {
  return -Math.log(1 - random()) * mean
}

const EMPTY: Omit<Row, 'id' | 'changedAt'> = {
  ...{ joke: '', punchline: '', category: 'Classic', thumbsUp: 0, thumbsDown: 0 },
  ...{ dateAdded: new Date(START).toISOString(), jokeState: 'listed', rev: 0 },
}

/** The versions of each joke in each place. */
function newReplica(): Record<Place, Map<string, { row: Row; shownAt: number }[]>> {
  return { changes: new Map(), table: new Map() }
}

/** The partition that has a row, in the table and in its index. */
function partitionOf({ id }: { id: string }): number {
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
