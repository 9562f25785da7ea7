/** What a listing reads, and in which order. With small limits, few jokes show every way of reading. */
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { identify, type Joke } from '../../shared/joke.ts'
import { upvoteJoke } from '../../shared/store/jokes.ts'
import type { Limits } from '../../shared/store/limits.ts'
import { load, writeOrphans } from '../support/access.ts'
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
  international: (number) => number === 7,
  internet: (number) => number === 8,
}

/** More than the stored words of an item hold, so no filter leaves its joke out. */
const MANY_WORDS = Array.from({ length: 200 }, (_, index) => `ж${index}`)

/** The joke with a number. Each is newer than the one before, and has one upvote more. */
function jokeOf(number: number): Joke {
  const words = Object.keys(WORDS).filter((word) => WORDS[word]?.(number))
  if (number === 33) words.push(...MANY_WORDS)
  const text = { joke: `No. ${number}`, punchline: words.join(' ') }
  const dateAdded = new Date(Date.UTC(2026, 0, 1) + number).toISOString()
  return { id: identify(text), ...text, category: 'School', thumbsUp: number, thumbsDown: 0, dateAdded }
}

let service: StartedService
let reads: string[] = []

/** Starts the service with jokes 0 to 59 and orphan rows of 60 to 66. Records its reads: `chicke 8` or `jokes 3`. */
async function start(limits: Partial<Limits> = {}): Promise<void> {
  service = await startService({ ...LIMITS, ...limits })
  const jokes = Array.from({ length: 67 }, (_, number) => jokeOf(number))
  await load(service.store, jokes.slice(0, 60))
  await writeOrphans(service.store, ...jokes.slice(60))
  service.store.database.middlewareStack.add(
    (next) => (args) => {
      const { IndexName, Limit, RequestItems, ExpressionAttributeValues: values } = v.parse(Input, args.input)
      const keys = RequestItems && Object.values(RequestItems).flatMap(({ Keys }) => Keys)
      reads.push(keys ? `jokes ${keys.length}` : `${IndexName ?? values?.[':prefix']} ${Limit}`)
      return next(args)
    },
    { step: 'initialize' },
  )
}

const Input = v.object({
  IndexName: v.optional(v.string()),
  Limit: v.optional(v.number()),
  ExpressionAttributeValues: v.optional(v.record(v.string(), v.unknown())),
  RequestItems: v.optional(v.record(v.string(), v.object({ Keys: v.array(v.unknown()) }))),
})

/** The numbers of the jokes on each page of a listing, and what it reads. By default, it asks for four. */
async function pages(query: string) {
  reads = []
  const found = await service.pages(parametersOf(query))
  return { found: found.map((jokes) => jokes.map(({ thumbsUp }) => thumbsUp)), reads: reads.join(', ') }
}

/** The numbers of the jokes on the first page of a listing, and what it reads. */
async function list(query: string) {
  reads = []
  const found = await service.jokes(parametersOf(query))
  return { found: found.map(({ thumbsUp }) => thumbsUp), reads: reads.join(', ') }
}

function parametersOf(query: string): Record<string, string> {
  return { numberofJokes: '4', ...Object.fromEntries(new URLSearchParams(query)) }
}

type Case = [title: string, query: string, found: number[], reads: string]
type Pages = [title: string, query: string, found: number[][], reads: string]

describe('a listing', () => {
  beforeAll(() => start())
  afterAll(() => service.stop())

  it.each<Case>([
    [
      'reads one row more than its page, to see whether there are more',
      'category=School',
      [59, 58, 57, 56],
      'byDateAdded 5',
    ],
    ['reads the oldest first if asked', 'category=School&sortOrder=asc', [0, 1, 2, 3], 'byDateAdded 5'],
    ['by upvotes reads their index', 'category=School&sortBy=thumbsUp', [59, 58, 57, 56], 'byThumbsUp 5'],
    [
      'of all categories reads the share of each and two deviations, then twice as much where jokes are',
      '',
      [59, 58, 57, 56],
      'byDateAdded 4, byDateAdded 4, byDateAdded 4, byDateAdded 4, byDateAdded 4, byDateAdded 8',
    ],
  ])('%s', async (_, query, found, reads) => {
    expect(await list(query)).toEqual({ found, reads })
  })

  it('by downvotes reads their index, which holds ids, and then the jokes', async () => {
    const { found, reads } = await list('sortBy=thumbsDown&category=School')
    expect([found.length, reads]).toEqual([4, 'byThumbsDown 5, jokes 4'])
  })

  it('at random reads a hundred ids more than asked for, round the ring, and then goes on from the last one', async () => {
    const { found, reads } = await pages('sortBy=random&category=School&numberofJokes=40')
    expect(found.map((page) => page.length)).toEqual([40, 20])
    expect(reads).toMatch(/^byId 141, byId \d+, jokes 40, byId 42(, byId \d+)?, jokes 20$/)
  })
})

describe('a search by date', () => {
  beforeAll(() => start())
  afterAll(() => service.stop())

  it.each<Pages>([
    [
      'reads the list of a word, and its newest jokes',
      'searchString=six',
      [
        [5, 4, 3, 2],
        [1, 0],
      ],
      'six 5, jokes 4, six 5, jokes 2',
    ],
    [
      'reads the oldest first if asked',
      'searchString=six&sortOrder=asc',
      [
        [0, 1, 2, 3],
        [4, 5],
      ],
      'six 5, jokes 4, six 5, jokes 2',
    ],
    ['reads nothing else if nobody uses the word', 'searchString=nobody', [[]], 'nobody 5'],
    ['tells long words apart without reading jokes', 'searchString=internat', [[7]], 'intern 5, jokes 1'],
    ['finds long words by their beginning', 'searchString=intern', [[8, 7]], 'intern 5, jokes 2'],
  ])('%s', async (_, query, found, reads) => {
    expect(await pages(query)).toEqual({ found, reads })
  })

  it.each<Case>([
    ['reads a list of one letter like any other', 'searchString=e', [59, 58, 57, 56], 'e 5, jokes 4, e 9, jokes 8'],
    [
      'reads a list of all jokes like any other',
      'searchString=every',
      [59, 58, 57, 56],
      'every 5, jokes 4, every 9, jokes 8',
    ],
    [
      'reads the lists of several words side by side, and skips to the furthest',
      'searchString=fifth other',
      [50, 40, 30, 20],
      'fifth 5, other 5, other 19, fifth 7, jokes 4',
    ],
    [
      'leaves a list unread that is much longer than another',
      'searchString=tenth every',
      [50, 40, 30, 20],
      'tenth 5, every 5, jokes 4',
    ],
    ['reads no joke of another category', 'searchString=six&category=Classic', [], 'six 5, #Classic 5'],
    [
      'stops to read the list of a category that has more jokes than the word',
      'searchString=six&category=School',
      [5, 4, 3, 2],
      'six 5, #School 5, jokes 4',
    ],
  ])('%s', async (_, query, found, reads) => {
    expect(await list(query)).toEqual({ found, reads })
  })

  it('reads further candidates after orphan rows', async () => {
    const { found, reads } = await pages('searchString=haunted&numberofJokes=2')
    expect(found).toEqual([
      [3, 2],
      [1, 0],
    ])
    expect(reads).toBe('haunte 5, jokes 2, haunte 5, jokes 3, haunte 5, jokes 2')
  })

  it('does not check orphan rows again on the next page', async () => {
    const { found } = await pages('searchString=hollow')
    expect(found).toEqual([[59]])
  })
})

describe.each(['thumbsUp', 'random'])('a search sorted by %s', (sortBy) => {
  beforeAll(() => start())
  afterAll(() => service.stop())

  it('reads all jokes with a rare word to sort them', async () => {
    expect((await list(`searchString=six&sortBy=${sortBy}`)).reads).toMatch(/^six 5, six 5, jokes [46]$/)
  })

  it.each([
    ['seven', 'they are too many'],
    ['every', 'their lists are too long'],
  ])('walks for %s, because %s', async (word) => {
    const { reads } = await list(`searchString=${word}&category=School&sortBy=${sortBy}`)
    expect(reads).toMatch(sortBy === 'random' ? /, byId \d+/ : /, byThumbsUp 5/)
    expect(reads.startsWith(`${word} 5, `)).toBe(true)
  })
})

describe('a search by votes', () => {
  beforeAll(() => start())
  afterAll(() => service.stop())

  it('ends with its last joke', async () => {
    const { found } = await pages('searchString=six&numberofJokes=3&sortBy=thumbsUp')
    expect(found).toEqual([
      [5, 4, 3],
      [2, 1, 0],
    ])
  })

  it('walks a bounded number of jokes, and may find nothing', async () => {
    const { found, reads } = await list('searchString=seven&category=School&sortBy=thumbsUp')
    expect([found, reads]).toEqual([[], expect.stringMatching(/byThumbsUp 5, byThumbsUp 10, byThumbsUp 15$/)])
  })

  it('walks ids of jokes that may match, reads these jokes, and leaves out those that do not', async () => {
    const { found, reads } = await pages('searchString=fifth&sortBy=thumbsDown&numberofJokes=20')
    expect(found.flat().toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: 12 }, (_, index) => 5 * index),
    )
    const read = [...reads.matchAll(/jokes (\d+)/g)].map(([, count]) => Number(count))
    expect(read.reduce((sum, count) => sum + count)).toBe(13)
  })

  it('walks from the last joke shown if a word has become common', async () => {
    const query = { category: 'School', searchString: 'six', sortBy: 'thumbsUp', numberofJokes: '2' }
    const cursor = await service.cursor(query)
    await load(
      service.store,
      [70, 71].map((number) => ({ ...jokeOf(number), punchline: 'six' })),
    )
    const { found, reads } = await list(`${new URLSearchParams({ ...query, cursor })}`)
    expect([found, reads]).toEqual([[3, 2], expect.stringMatching(/, byThumbsUp 3, byThumbsUp 6$/)])
  })

  it('shows a joke once that is upvoted while its page is read', async () => {
    const { store } = service
    store.database.middlewareStack.add(
      (next) => async (args) => {
        if (reads.at(-1) === 'byThumbsUp 10') for (let vote = 0; vote < 6; vote++) await upvoteJoke(store, jokeOf(0).id)
        return next(args)
      },
      { step: 'initialize', priority: 'low' },
    )
    const { found } = await list('searchString=fifth&sortBy=thumbsUp&sortOrder=asc&category=School')
    expect(found).toEqual([0, 5, 10, 15])
  })
})

describe('with few read units', () => {
  beforeAll(() => start({ readUnits: 26, listRows: 200, sortedJokes: 80 }))
  afterAll(() => service.stop())

  it.each<[title: string, query: string, count: number, reads: RegExp]>([
    ['reads fewer rows than the page needs', 'numberofJokes=50', 50, /^byDateAdded 28, byDateAdded 27$/],
    [
      'keeps units for the jokes of a listing by downvotes',
      'numberofJokes=22&sortBy=thumbsDown',
      22,
      /^byThumbsDown 2\d, jokes 22$/,
    ],
    ['reads a search in shrinking batches', 'searchString=every&numberofJokes=50', 42, /, jokes 25(, jokes \d+){4,}$/],
    [
      'leaves a search by upvotes whose jokes cannot all be read to the walk of the next page',
      'searchString=every&sortBy=thumbsUp',
      0,
      /, jokes 2\d, jokes 1\d, .*jokes 1$/,
    ],
  ])('%s', async (_, query, count, expected) => {
    const { found, reads } = await list(`${query}&category=School`)
    expect(reads).toMatch(expected)
    expect(Math.abs(found.length - count)).toBeLessThanOrEqual(2)
  })
})
