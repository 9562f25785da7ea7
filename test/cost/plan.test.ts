/** The reads of listings. Small limits show every way of reading with few jokes. */
import * as v from 'valibot'
import { beforeAll, describe, expect, it } from 'vitest'
import { CATEGORIES, type Joke } from '../../shared/joke.ts'
import { FILTER_CATEGORIES } from '../../shared/listing.ts'
import { upvoteJoke } from '../../shared/store/jokes.ts'
import type { Limits } from '../../shared/store/limits.ts'
import { changeState, TRANSITIONS } from '../../shared/store/operators/removal.ts'
import { emptyTables, load, writeOrphans } from '../support/access.ts'
import { jokeOf, numberedJokes } from '../support/numberedJoke.ts'
import { idsOf, type StartedService, startService } from '../support/service.ts'

const LIMITS = { firstEntries: 5, entriesPerJoke: 3, sortedJokes: 6, windowRows: 21, windowMatches: 5 }

/** For each word, selects the jokes that contain it by their numbers. */
const WORDS: Record<string, (number: number) => boolean> = {
  six: (number) => number < 6,
  seven: (number) => number < 7,
  fifteen: (number) => number < 15,
  haunted: (number) => number < 4 || number === 60,
  hollow: (number) => number === 59 || number > 60,
  fifth: (number) => number % 5 === 0 && number < 60,
  tenth: (number) => number % 10 === 0 && number < 60,
  other: (number) => number % 2 === 0 && number < 60,
  every: () => true,
  mix: (number) => number < 30 || number > 62,
  international: (number) => number === 7,
  internet: (number) => number === 8,
}

/** The joke with a number. Each joke is newer than the previous one, and has one upvote more. */
function numbered(number: number): Joke {
  const words = Object.keys(WORDS).filter((word) => WORDS[word]?.(number))
  return { ...jokeOf({ joke: `No. ${number}`, punchline: words.join(' ') }, number), category: 'School' }
}

let service: StartedService
/** Queries of lists and indexes with their row limits. Reads by id are from `jokes`. */
let reads: { from: string; rows: number }[] = []

const Input = v.object({
  IndexName: v.optional(v.string()),
  Limit: v.optional(v.number(), 0),
  ExpressionAttributeValues: v.optional(v.looseObject({ ':prefix': v.optional(v.string()) })),
  RequestItems: v.optional(v.record(v.string(), v.fallback(v.object({ Keys: v.array(v.unknown()) }), { Keys: [] }))),
})

/** Starts the service with jokes 0 to 59 and orphan entries of 60 to 66. Returns a function that stops it. */
async function start(limits: Partial<Limits> = {}): Promise<() => Promise<void>> {
  service = await startService({ ...LIMITS, ...limits })
  const jokes = Array.from({ length: 67 }, (_, number) => numbered(number))
  await load(service.store, jokes.slice(0, 60))
  await writeOrphans(service.store, ...jokes.slice(60))
  service.store.database.middlewareStack.add(
    (next) => (args) => {
      const { IndexName, Limit, RequestItems, ExpressionAttributeValues: values } = v.parse(Input, args.input)
      const keys = Object.values(RequestItems ?? {}).flatMap(({ Keys }) => Keys)
      if (RequestItems) reads.push({ from: 'jokes', rows: keys.length })
      else reads.push({ from: IndexName ?? values?.[':prefix'] ?? '', rows: Limit })
      return next(args)
    },
    { step: 'initialize' },
  )
  return service.stop
}

/** The numbers of the jokes on the first page or on all, and the reads. A page has four jokes by default. */
async function list(query: string, firstOnly = true) {
  reads = []
  const parameters = { numberofJokes: '4', ...Object.fromEntries(new URLSearchParams(query)) }
  const pages = firstOnly ? [await service.jokes(parameters)] : await service.pages(parameters)
  const rows: Record<string, number> = {}
  for (const { from, rows: count } of reads) rows[from] = (rows[from] ?? 0) + count
  const found = pages.map((jokes) => jokes.map(({ thumbsUp }) => thumbsUp).join(' ')).join(' | ')
  return { found, calls: reads.length, rows }
}

describe('a listing', () => {
  beforeAll(() => start())

  const newest = '59 58 57 56'
  const FOUR = `categories=${FILTER_CATEGORIES}`
  const ofWalk = { seven: 10, '#School': 5, byThumbsUp: 65 }

  it.each<[title: string, query: string, found: string, calls: number, rows: Record<string, number>]>([
    ['reads one row more than its page', 'category=School', newest, 1, { byDateAdded: 5 }],
    ['reads the oldest first if asked', 'category=School&sortOrder=asc', '0 1 2 3', 1, { byDateAdded: 5 }],
    ['by upvotes reads their index', 'category=School&sortBy=thumbsUp', newest, 1, { byThumbsUp: 5 }],
    ['reads a share of each category, then where jokes are', FOUR, newest, 5, { byDateAdded: 24 }],
    ['finds long words by their prefix', 'searchString=intern', '8 7', 2, { intern: 5, jokes: 2 }],
    ['tells long words apart without reading jokes', 'searchString=internat', '7', 2, { intern: 5, jokes: 1 }],
    ['reads one list if no joke has the word', 'searchString=nobody', '', 1, { nobody: 5 }],
    ['reads a list of one letter like any other', 'searchString=e', newest, 4, { e: 14, jokes: 12 }],
    ['reads a list of all jokes like any other', 'searchString=every', newest, 4, { every: 14, jokes: 12 }],
    ['skips in lists in parallel', 'searchString=fifth other', '50 40 30 20', 5, { fifth: 12, other: 24, jokes: 4 }],
    ['reads on if few match', 'searchString=mix&numberofJokes=8', '29 28 27 26 25 24 23 22', 4, { mix: 18, jokes: 16 }],
    ['reads a longer list once', 'searchString=tenth every', '50 40 30 20', 3, { tenth: 5, every: 5, jokes: 4 }],
    ['reads no joke of another category', 'searchString=six&category=Classic', '', 2, { six: 5, '#Classic': 5 }],
    ['reads a category once', 'searchString=six&category=School', '5 4 3 2', 3, { six: 5, '#School': 5, jokes: 4 }],
    ['reads a list and its newest jokes', 'searchString=six', '5 4 3 2 | 1 0', 4, { six: 10, jokes: 6 }],
    ['finds the oldest first if asked', 'searchString=six&sortOrder=asc', '0 1 2 3 | 4 5', 4, { six: 10, jokes: 6 }],
    ['reads past orphan entries', 'searchString=haunted&numberofJokes=2', '3 2 | 1 0', 5, { haunte: 10, jokes: 6 }],
    ['by votes walks for a common word', 'searchString=seven&sortBy=thumbsUp&category=School', '6 5 4 3', 7, ofWalk],
    ['skips orphan entries', 'searchString=hollow', '59', 4, { hollow: 14, jokes: 7 }],
    [
      'by votes sorts the matches of a rare word',
      'searchString=six&numberofJokes=3&sortBy=thumbsUp',
      '5 4 3 | 2 1 0',
      6,
      { six: 20, jokes: 12 },
    ],
  ])('a listing %s', async (_, query, found, calls, rows) => {
    expect(await list(query, !found.includes('|'))).toEqual({ found, calls, rows })
  })

  it.each<[title: string, query: string, pages: number[], rows: Record<string, number>]>([
    ['reads a window that wraps around the last id', '', [4], { byState: 42, jokes: 4 }],
    ['reads no window twice', '&numberofJokes=15', [15, 15, 15, 15], { byState: 84, jokes: 60 }],
    ['walks if many jokes of a category match', '&category=School', [4], { byState: 42, jokes: 4 }],
    ['walks if many jokes of a search match', '&searchString=every', [4], { byState: 42, jokes: 4 }],
    ['gathers entries if few match', '&searchString=tenth every', [4], { byState: 42, tenth: 45, every: 5, jokes: 4 }],
  ])('a random listing %s', async (_, query, sizes, rows) => {
    const { found, rows: read } = await list(`sortBy=random&seed=a${query}`, sizes.length === 1)
    expect(found.split(' | ').map((page) => page.split(' ').length)).toEqual(sizes)
    expect(read).toMatchObject(rows)
  })

  it.each([
    ['asc', '2 3', '2 3'],
    ['desc', '3 2', '5 4'],
  ])('a search by votes, %s, continues when its word becomes common or rare', async (sortOrder, ifCommon, ifRare) => {
    const query = { category: 'School', searchString: 'six', sortBy: 'thumbsUp', sortOrder, numberofJokes: '2' }
    const next = (cursor: string) => list(`${new URLSearchParams({ ...query, cursor })}`)
    const sorted = await service.cursor(query)
    const more = [70, 71].map((number) => ({ ...numbered(number), punchline: 'six' }))
    await writeOrphans(service.store, ...more)
    await load(service.store, more)
    const { found, rows } = await next(sorted)
    expect([found, Object.keys(rows)]).toEqual([ifCommon, expect.arrayContaining(['byThumbsUp'])])
    const walked = await service.cursor(query)
    for (const { id } of more) await changeState(service.store, id, TRANSITIONS.remove)
    expect((await next(walked)).found).toBe(ifRare)
  })

  it('a listing by votes shows a joke once despite upvotes during reading', async () => {
    const { store } = service
    let isUpvoted = false
    store.database.middlewareStack.add(
      (next) => async (args) => {
        const walked = reads.filter(({ from }) => from === 'byThumbsUp')
        if (walked.length === 2 && !isUpvoted) {
          isUpvoted = true
          for (let vote = 0; vote < 35; vote++) await upvoteJoke(store, numbered(0).id)
        }
        return next(args)
      },
      { step: 'initialize', priority: 'low' },
    )
    const { found } = await list('sortBy=thumbsUp&sortOrder=asc&category=School&numberofJokes=40')
    expect([isUpvoted, found]).toEqual([true, Array.from({ length: 40 }, (_, number) => number).join(' ')])
  })
})

describe('of several categories, a listing', () => {
  // The newest twelve are in one category, and none has more upvotes than another.
  const mixed = numberedJokes(10 * CATEGORIES.length)
  const newest = Array.from({ length: 12 }, (_, index) => numbered(mixed.length + index))
  const jokes = [...mixed, ...newest].map((joke) => ({ ...joke, thumbsUp: 3 }))
  beforeAll(async () => {
    const stop = await start()
    await emptyTables(service.store)
    await load(service.store, jokes)
    return stop
  })

  it('equal upvotes alternate between categories', async () => {
    const listed = await service.jokes({ sortBy: 'thumbsUp', numberofJokes: String(5 * CATEGORIES.length) })
    const counts = Map.groupBy(listed, ({ category }) => category).values()
    expect(Array.from(counts, ({ length }) => length)).toEqual(CATEGORIES.map(() => 5))
  })

  it('a page of one category reads on where other categories may be newer', async () => {
    const listed = await service.jokes({ numberofJokes: String(newest.length) })
    expect(idsOf(listed)).toEqual(idsOf(newest))
  })

  it('a full page reads no further', async () => {
    expect((await list('numberofJokes=4')).calls).toBe(CATEGORIES.length)
  })
})

describe('a listing with few read units', () => {
  const few = { units: 14, calls: 20 }
  beforeAll(() =>
    start({
      listing: { ...few, units: 28 },
      partition: few,
      indexLists: few,
      indexListsByVotes: few,
      window: few,
      sortedJokes: 80,
    }),
  )

  it.each<[title: string, query: string, count: number, most: Record<string, number>]>([
    ['fills its page in several reads', 'numberofJokes=50', 50, { byDateAdded: 65 }],
    ['of a search ends its page early', 'searchString=every&numberofJokes=50', 42, { every: 102, jokes: 58 }],
    ['by votes leaves the rest to the next page', 'searchString=every&sortBy=thumbsUp', 0, { every: 200, jokes: 58 }],
  ])('with few read units, a listing %s', async (_, query, count, most) => {
    const { found, rows } = await list(`${query}&category=School`)
    for (const from of Object.keys(most)) expect(rows[from]).toBeLessThanOrEqual(most[from] ?? 0)
    // The tolerance is for DynamoDB Local, which counts fewer units for reads by id.
    expect(Math.abs(found.split(' ').filter(Boolean).length - count)).toBeLessThanOrEqual(8)
    // Batches shrink as the remaining units do.
    const batches = reads.filter(({ from }) => from === 'jokes').map(({ rows }) => rows)
    expect(batches).toEqual(batches.toSorted((a, b) => b - a))
  })

  it('a listing ends its page when its calls are spent', async () => {
    const { store } = service
    const calls = store.limits.listing.calls
    store.limits.listing.calls = 3
    expect((await list('numberofJokes=50')).calls).toBe(0)
    expect((await list('numberofJokes=50&category=School')).calls).toBeLessThanOrEqual(3)
    store.limits.listing.calls = calls
  })

  it('a search reads its lists no further than their own budget', async () => {
    const { limits } = service.store
    const { indexLists, indexListsByVotes } = limits
    const query = 'searchString=every&category=School&numberofJokes=50'
    Object.assign(limits, { indexListsByVotes: { ...few, units: 1 } })
    expect((await list(`${query}&sortBy=thumbsUp`)).rows).toHaveProperty('byThumbsUp')
    Object.assign(limits, { indexLists: { ...few, units: 1 } })
    expect((await list(query)).rows.every).toBeLessThan(40)
    Object.assign(limits, { indexLists, indexListsByVotes })
  })
})
