/** How much a listing reads, and where. With small limits, few jokes show every way of reading. */
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Joke } from '../../shared/joke.ts'
import { upvoteJoke } from '../../shared/store/jokes.ts'
import type { Limits } from '../../shared/store/limits.ts'
import { removeJoke } from '../../shared/store/operators/removal.ts'
import { load, writeOrphans } from '../support/access.ts'
import { jokeOf } from '../support/numberedJoke.ts'
import { type StartedService, startService } from '../support/service.ts'

const LIMITS = { firstRows: 5, rowsPerJoke: 3, listRows: 20, sortedJokes: 6, walkRows: 30 }

/** Which jokes contain a word, by their numbers. */
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

/** More than the stored words of an item hold, so no filter leaves its joke out. */
const MANY_WORDS = Array.from({ length: 200 }, (_, index) => `ж${index}`)

/** The joke with a number. Each is newer than the one before, and has one upvote more. */
function numbered(number: number): Joke {
  const words = Object.keys(WORDS).filter((word) => WORDS[word]?.(number))
  if (number === 33) words.push(...MANY_WORDS)
  return { ...jokeOf({ joke: `No. ${number}`, punchline: words.join(' ') }, number), category: 'School' }
}

let service: StartedService
/** The queries of lists and indexes, and the rows that they ask for; `jokes` are read by id. */
let reads: { from: string; rows: number }[] = []

const Input = v.object({
  IndexName: v.optional(v.string()),
  Limit: v.optional(v.number(), 0),
  ExpressionAttributeValues: v.optional(v.looseObject({ ':prefix': v.optional(v.string()) })),
  RequestItems: v.optional(v.record(v.string(), v.fallback(v.object({ Keys: v.array(v.unknown()) }), { Keys: [] }))),
})

/** Starts the service with jokes 0 to 59 and orphan rows of 60 to 66. */
async function start(limits: Partial<Limits> = {}): Promise<void> {
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
}

/** The numbers of the jokes on each page, or on the first, and where it reads how many rows. By default, it asks for four. */
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
  afterAll(() => service.stop())

  const newest = '59 58 57 56'

  it.each<[title: string, query: string, found: string, calls: number, rows: Record<string, number>]>([
    ['reads one row more than its page', 'category=School', newest, 1, { byDateAdded: 5 }],
    ['reads the oldest first if asked', 'category=School&sortOrder=asc', '0 1 2 3', 1, { byDateAdded: 5 }],
    ['by upvotes reads their index', 'category=School&sortBy=thumbsUp', newest, 1, { byThumbsUp: 5 }],
    ['reads a share of each category, and then where jokes are', '', newest, 6, { byDateAdded: 28 }],
    ['finds long words by their beginning', 'searchString=intern', '8 7', 2, { intern: 5, jokes: 2 }],
    ['tells long words apart without reading jokes', 'searchString=internat', '7', 2, { intern: 5, jokes: 1 }],
    ['reads nothing else if nobody uses the word', 'searchString=nobody', '', 1, { nobody: 5 }],
    ['reads a list of one letter like any other', 'searchString=e', newest, 4, { e: 14, jokes: 12 }],
    ['reads a list of all jokes like any other', 'searchString=every', newest, 4, { every: 14, jokes: 12 }],
    ['skips in lists side by side', 'searchString=fifth other', '50 40 30 20', 5, { fifth: 12, other: 24, jokes: 4 }],
    ['reads on if few match', 'searchString=mix&numberofJokes=8', '29 28 27 26 25 24 23 22', 4, { mix: 21, jokes: 18 }],
    ['leaves a longer list unread', 'searchString=tenth every', '50 40 30 20', 3, { tenth: 5, every: 5, jokes: 4 }],
    ['reads no joke of another category', 'searchString=six&category=Classic', '', 2, { six: 5, '#Classic': 5 }],
    ['reads no longer category', 'searchString=six&category=School', '5 4 3 2', 3, { six: 5, '#School': 5, jokes: 4 }],
    ['reads a word and its newest jokes', 'searchString=six', '5 4 3 2 | 1 0', 4, { six: 10, jokes: 6 }],
    ['reads the oldest first if asked', 'searchString=six&sortOrder=asc', '0 1 2 3 | 4 5', 4, { six: 10, jokes: 6 }],
    ['reads on after orphan rows', 'searchString=haunted&numberofJokes=2', '3 2 | 1 0', 6, { haunte: 15, jokes: 7 }],
    [
      'by votes finds nothing on a page of its walk',
      'searchString=seven&category=School&sortBy=thumbsUp',
      '',
      6,
      { seven: 10, '#School': 5, byThumbsUp: 30 },
    ],
    ['passes over orphan rows', 'searchString=hollow', '59', 4, { hollow: 14, jokes: 7 }],
    ['by votes ends', 'searchString=six&numberofJokes=3&sortBy=thumbsUp', '5 4 3 | 2 1 0', 6, { six: 20, jokes: 12 }],
  ])('%s', async (_, query, found, calls, rows) => {
    expect(await list(query, !found.includes('|'))).toEqual({ found, calls, rows })
  })

  it('at random reads a hundred ids more than asked for, round the ring, and then goes on from the last one', async () => {
    const { found, rows } = await list('sortBy=random&category=School&numberofJokes=40', false)
    expect(found.split(' | ').map((page) => page.split(' ').length)).toEqual([40, 20])
    expect(rows).toEqual({ byId: expect.any(Number), jokes: 60 })
    expect(reads[0]).toEqual({ from: 'byId', rows: 141 })
    expect(reads.findLast(({ from }) => from === 'byId')?.rows).toBeLessThanOrEqual(42)
  })

  it.each<[word: string, sortBy: string, why: string, index: string]>([
    ['every', 'thumbsUp', 'the list is too long', 'byThumbsUp'],
    ['seven', 'random', 'the jokes are too many', 'byId'],
    ['every', 'random', 'the list is too long', 'byId'],
    ['fifth other', 'thumbsUp', 'the lists are too long', 'byThumbsUp'],
    ['six', 'random', 'the word is rare', 'jokes'],
  ])('of a search for %s sorted by %s reads what is cheaper, because %s', async (words, sortBy, _, index) => {
    const { rows } = await list(`searchString=${words}&category=School&sortBy=${sortBy}`)
    const listRows = words.split(' ').reduce((sum, word) => sum + (rows[word] ?? 0), 0)
    expect([listRows > 0, listRows <= LIMITS.listRows]).toEqual([true, true])
    expect(rows[index]).toBeLessThanOrEqual(index === 'jokes' ? 6 : LIMITS.walkRows)
    expect(Object.keys(rows).filter((from) => from.startsWith('by'))).toEqual(index === 'jokes' ? [] : [index])
  })

  // These seeds would choose one of the last rows read as the first.
  it.each([23, 26, 34])('of a search in random order that walks begins with a full page (%i)', async (seed) => {
    const { found } = await list(`searchString=every&category=School&sortBy=random&seed=${seed}`)
    expect(found.split(' ')).toHaveLength(4)
  })

  it('of a search by downvotes walks ids, and reads only jokes that may match', async () => {
    const { found, rows } = await list('searchString=fifth&sortBy=thumbsDown&numberofJokes=20', false)
    const numbers = found.match(/\d+/g)?.map(Number) ?? []
    expect(numbers.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 12 }, (_, index) => 5 * index))
    expect(rows.jokes).toBe(13)
  })

  it.each([
    ['asc', '2 3', '2 3'],
    ['desc', '3 2', '5 4'],
  ])('of a search by votes, %s, goes on if its word becomes common, or rare', async (sortOrder, ifCommon, ifRare) => {
    const query = { category: 'School', searchString: 'six', sortBy: 'thumbsUp', sortOrder, numberofJokes: '2' }
    const next = (cursor: string) => list(`${new URLSearchParams({ ...query, cursor })}`)
    const sorted = await service.cursor(query)
    const more = [70, 71].map((number) => ({ ...numbered(number), punchline: 'six' }))
    await writeOrphans(service.store, ...more)
    await load(service.store, more)
    const { found, rows } = await next(sorted)
    expect([found, (rows.byThumbsUp ?? 99) <= 9]).toEqual([ifCommon, true])
    const walked = await service.cursor(query)
    for (const { id } of more) await removeJoke(service.store, id)
    expect((await next(walked)).found).toBe(ifRare)
  })

  it('of a search by votes shows a joke once that is upvoted while its page is read', async () => {
    const { store } = service
    store.database.middlewareStack.add(
      (next) => async (args) => {
        const { from, rows } = reads.at(-1) ?? {}
        if (from === 'byThumbsUp' && rows === 10)
          for (let vote = 0; vote < 6; vote++) await upvoteJoke(store, numbered(0).id)
        return next(args)
      },
      { step: 'initialize', priority: 'low' },
    )
    const { found } = await list('searchString=fifth&sortBy=thumbsUp&sortOrder=asc&category=School')
    expect([found, reads.some(({ rows }) => rows === 10)]).toEqual(['0 5 10 15', true])
  })
})

describe('with few read units, a listing', () => {
  beforeAll(() => start({ readUnits: 26, listRows: 200, sortedJokes: 80 }))
  afterAll(() => service.stop())

  it.each<[title: string, query: string, count: number, most: Record<string, number>]>([
    ['reads fewer rows than the page needs', 'numberofJokes=50', 50, { byDateAdded: 55 }],
    ['by downvotes keeps units for jokes', 'numberofJokes=25&sortBy=thumbsDown', 6, { byThumbsDown: 6, jokes: 6 }],
    ['of a search ends early', 'searchString=every&numberofJokes=50', 42, { every: 60, jokes: 52 }],
    ['leaves what it cannot sort to the next page', 'searchString=every&sortBy=thumbsUp', 0, { every: 200, jokes: 52 }],
  ])('%s', async (_, query, count, most) => {
    const { found, rows } = await list(`${query}&category=School`)
    for (const from of Object.keys(most)) expect(rows[from]).toBeLessThanOrEqual(most[from] ?? 0)
    expect(Math.abs(found.split(' ').filter(Boolean).length - count)).toBeLessThanOrEqual(2)
    // Each batch reads no more jokes than the units left can pay for.
    const batches = reads.filter(({ from }) => from === 'jokes').map(({ rows }) => rows)
    expect(batches).toEqual(batches.toSorted((one, other) => other - one))
  })
})
