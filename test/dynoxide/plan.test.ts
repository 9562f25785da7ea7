/** What a listing reads, and in which order. With small limits, few jokes show every way of reading. */
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { identify, type Joke } from '../../shared/joke.ts'
import { internals, load } from '../support/access.ts'
import { type Service, startService } from '../support/service.ts'

const LIMITS = {
  LOOKUP_ROWS: 8,
  LOOKUP_ROWS_IN_ALL: 20,
  LONG_LOOKUP_ROWS: 20,
  FIRST_WALK_ROWS: 10,
  WALK_ROWS: 30,
  MAX_SORTED: 6,
  MAX_CHECKED: 5,
}

/** Which jokes contain a word, by their numbers. */
const WORDS: Record<string, (number: number) => boolean> = {
  three: (number) => number < 3,
  six: (number) => number < 6,
  seven: (number) => number < 7,
  fifteen: (number) => number < 15,
  twenty: (number) => number < 20,
  most: (number) => number < 55,
  haunted: (number) => number < 4 || number === 60,
  hollow: (number) => number === 59 || number > 60,
  fifth: (number) => number % 5 === 0 && number < 60,
  patchy: (number) => number < 20 || (number % 5 === 0 && number > 45),
  every: () => true,
}

/** More than the filter words of an item hold, so no filter leaves its joke out. */
const MANY_WORDS = Array.from({ length: 200 }, (_, index) => `ж${index}`)

/** The joke with a number. Each is newer than the one before, and has one upvote more. */
function jokeOf(number: number): Joke {
  const words = Object.keys(WORDS).filter((word) => WORDS[word]?.(number))
  if (number === 33) words.push(...MANY_WORDS)
  const text = { joke: `No. ${number}`, punchline: words.join(' ') }
  const dateAdded = new Date(Date.UTC(2026, 0, 1) + number).toISOString()
  return { id: identify(text), ...text, category: 'School', thumbsUp: number, thumbsDown: 0, dateAdded }
}

let service: Service
let reads: string[] = []

/** Starts the service with jokes 0 to 59 and orphan rows of 60 to 66. Records its reads: `words 8` or `jokes 3`. */
async function start(limits: Parameters<typeof startService>[0] = {}): Promise<void> {
  service = await startService({ ...LIMITS, ...limits })
  const jokes = Array.from({ length: 67 }, (_, number) => jokeOf(number))
  const { database, toStored, writeRows } = await internals()
  await load(jokes.slice(0, 60))
  await writeRows(jokes.slice(60).flatMap((joke) => toStored(joke).rows))
  database.middlewareStack.add(
    (next) => (args) => {
      const { IndexName = 'words', Limit, RequestItems } = v.parse(Input, args.input)
      const keys = RequestItems && Object.values(RequestItems).flatMap(({ Keys }) => Keys)
      reads.push(keys ? `jokes ${keys.length}` : `${IndexName} ${Limit}`)
      return next(args)
    },
    { step: 'initialize' },
  )
}

const Input = v.object({
  IndexName: v.optional(v.string()),
  Limit: v.optional(v.number()),
  RequestItems: v.optional(v.record(v.string(), v.object({ Keys: v.array(v.unknown()) }))),
})

/** The numbers of the jokes on each page of a listing, and what it reads. By default, it asks for four of School. */
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
  return { category: 'School', numberofJokes: '4', ...Object.fromEntries(new URLSearchParams(query)) }
}

type Case = [title: string, query: string, found: number[], reads: string]

describe('a listing', () => {
  beforeAll(() => start())
  afterAll(() => service.stop())

  it.each<Case>([
    ['reads one row more than its page, to see whether there are more', '', [59, 58, 57, 56], 'byDateAdded 5'],
    ['reads the oldest first if asked', 'sortOrder=asc', [0, 1, 2, 3], 'byDateAdded 5'],
    ['by upvotes reads their index', 'sortBy=thumbsUp', [59, 58, 57, 56], 'byThumbsUp 5'],
    [
      'of all categories reads the share of each and two deviations, then twice as much where jokes are',
      'category=',
      [59, 58, 57, 56],
      'byDateAdded 4, byDateAdded 4, byDateAdded 4, byDateAdded 4, byDateAdded 4, byDateAdded 8',
    ],
  ])('%s', async (_, query, found, reads) => {
    expect(await list(query)).toEqual({ found, reads })
  })

  it('by downvotes reads their index, which holds ids, and then the jokes', async () => {
    const { found, reads } = await list('sortBy=thumbsDown')
    expect([found.length, reads]).toEqual([4, 'byThumbsDown 5, jokes 4'])
  })

  it('at random reads a hundred ids more than asked for, from a random one to the last, then from the first', async () => {
    const { found, reads } = await list('sortBy=random')
    expect(new Set(found).size).toBe(4)
    const [, second] = /^byId 105, byId (\d+), jokes 4$/.exec(reads) ?? []
    expect(Number(second)).toBeLessThanOrEqual(105)
  })
})

describe('a search by date', () => {
  beforeAll(() => start())
  afterAll(() => service.stop())

  it.each<Case>([
    ['looks up a rare word, and reads its newest jokes', 'searchString=seven', [6, 5, 4, 3], 'words 8, jokes 4'],
    [
      'looks up a rare word, and reads its oldest jokes',
      'searchString=seven&sortOrder=asc',
      [0, 1, 2, 3],
      'words 8, jokes 4',
    ],
    ['reads no joke of another category', 'searchString=seven&category=Classic', [], 'words 8'],
    ['checks a bounded number of jokes', 'searchString=seven&numberofJokes=7', [6, 5, 4, 3, 2], 'words 8, jokes 5'],
    [
      'looks up all words, one of which must be rare',
      'searchString=fifteen seven',
      [6, 5, 4, 3],
      'words 8, words 8, jokes 4',
    ],
    [
      'looks up the words of two letters and more',
      'searchString=seven f fi',
      [6, 5, 4, 3],
      'words 8, words 8, jokes 4',
    ],
    [
      'divides the rows among the words',
      'searchString=seven three six',
      [2, 1, 0],
      'words 6, words 6, words 6, jokes 3',
    ],
    ['reads only jokes that all lookups name', 'searchString=seven three', [2, 1, 0], 'words 8, words 8, jokes 3'],
    ['checks the jokes for words that are too short', 'searchString=seven x', [], 'words 8, jokes 4, jokes 1'],
    ['walks if every word is common', 'searchString=every', [59, 58, 57, 56], 'words 8, byDateAdded 5'],
    ['walks if every word is too short', 'searchString=e', [59, 58, 57, 56], 'byDateAdded 5'],
    [
      'walks up to 10 jokes if that fills the page',
      'searchString=fifth&numberofJokes=2',
      [55, 50],
      'words 8, byDateAdded 3, byDateAdded 6, byDateAdded 1',
    ],
    [
      'walks on if little is missing',
      'searchString=fifth&numberofJokes=3',
      [55, 50, 45],
      'words 8, byDateAdded 4, byDateAdded 6, byDateAdded 2, byDateAdded 4, byDateAdded 8',
    ],
    [
      'looks up more rows if much is missing',
      'searchString=fifth',
      [55, 50, 45, 40],
      'words 8, byDateAdded 5, byDateAdded 5, words 20, jokes 4',
    ],
    [
      'walks on if there are more rows still, and the matches so far promise a full page',
      'searchString=patchy',
      [55, 50],
      'words 8, byDateAdded 5, byDateAdded 5, words 20, byDateAdded 3, byDateAdded 6, byDateAdded 11',
    ],
    [
      'walks on if the matches so far promise a page that is just full',
      'searchString=patchy&numberofJokes=6',
      [55, 50],
      'words 8, byDateAdded 7, byDateAdded 3, words 20, byDateAdded 5, byDateAdded 10, byDateAdded 5',
    ],
    [
      'leaves the page short if it probably will not',
      'searchString=patchy&numberofJokes=7',
      [55, 50],
      'words 8, byDateAdded 8, byDateAdded 2, words 20',
    ],
    [
      'leaves the page empty if the walk finds nothing',
      'searchString=twenty',
      [],
      'words 8, byDateAdded 5, byDateAdded 5, words 20',
    ],
    [
      'does not look up more rows if the walk reaches the end',
      'searchString=every&category=Classic',
      [],
      'words 8, byDateAdded 5',
    ],
  ])('%s', async (_, query, found, reads) => {
    expect(await list(query)).toEqual({ found, reads })
  })

  it.each<[title: string, query: string, found: number[][], reads: string]>([
    [
      'ends with its last joke',
      'searchString=six&numberofJokes=3',
      [
        [5, 4, 3],
        [2, 1, 0],
      ],
      'words 8, jokes 3, words 8, jokes 3',
    ],
    [
      'reads more at once after an orphan row, and shows what is left over on the next page',
      'searchString=haunted&numberofJokes=2',
      [
        [3, 2],
        [1, 0],
      ],
      'words 8, jokes 2, jokes 3, words 8, jokes 2',
    ],
    [
      'does not check orphan rows again on the next page',
      'searchString=hollow&sortOrder=asc',
      [[59], []],
      'words 8, jokes 4, jokes 1, words 8, jokes 2',
    ],
  ])('%s', async (_, query, found, reads) => {
    expect(await pages(query)).toEqual({ found, reads })
  })
})

describe('a search by votes', () => {
  beforeAll(() => start())
  afterAll(() => service.stop())

  it.each<Case>([
    ['reads all jokes with a rare word to sort them', 'searchString=six', [5, 4, 3, 2], 'words 8, jokes 6'],
    ['walks if they are too many', 'searchString=seven', [], 'words 8, byThumbsUp 5, byThumbsUp 10, byThumbsUp 15'],
    ['walks if the word is common', 'searchString=every', [59, 58, 57, 56], 'words 8, byThumbsUp 5'],
  ])('%s', async (_, query, found, reads) => {
    expect(await list(`${query}&sortBy=thumbsUp`)).toEqual({ found, reads })
  })

  it('ends with its last joke', async () => {
    const { found } = await pages('searchString=six&numberofJokes=3&sortBy=thumbsUp')
    expect(found).toEqual([
      [5, 4, 3],
      [2, 1, 0],
    ])
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
    await load([70, 71].map((number) => ({ ...jokeOf(number), punchline: 'six' })))
    const { found, reads } = await list(`${new URLSearchParams({ ...query, cursor })}`)
    expect([found, reads]).toEqual([[3, 2], 'words 8, byThumbsUp 3, byThumbsUp 6'])
  })

  it('shows a joke once that is upvoted while its page is read', async () => {
    const { database, thumbUp } = await internals()
    const upvote = async () => {
      for (let vote = 0; vote < 6; vote++) await thumbUp(jokeOf(0).id)
    }
    database.middlewareStack.add(
      (next) => async (args) => {
        if (reads.at(-1) === 'byThumbsUp 10') await upvote()
        return next(args)
      },
      { step: 'initialize', priority: 'low' },
    )
    expect(await list('searchString=fifth&sortBy=thumbsUp&sortOrder=asc')).toEqual({
      found: [0, 5, 10, 15],
      reads: 'words 8, byThumbsUp 5, byThumbsUp 10, byThumbsUp 15',
    })
  })
})

describe('a search at random', () => {
  beforeAll(() => start())
  afterAll(() => service.stop())

  it.each([
    ['reads jokes with a rare word', 'searchString=three', 3, /^words 8, jokes 3$/],
    ['reads at least 25 candidates at once', 'searchString=seven', 4, /^words 8, jokes 7$/],
    ['checks the jokes for words that are too short', 'searchString=seven x', 0, /^words 8, jokes 7$/],
    ['samples the index if the word is common', 'searchString=every', 4, /^words 8, byId 15, byId 15, jokes 4$/],
    ['samples the index if the word is too short', 'searchString=e', 4, /^byId 15, byId 15, jokes 4$/],
    [
      'looks up more rows if the sample is too small',
      'searchString=fifteen&numberofJokes=25',
      15,
      /^words 8, byId 15, byId 15,( jokes \d+,)? words 20, jokes 15$/,
    ],
  ])('%s', async (_, query, count, expected) => {
    const { found, reads } = await list(`${query}&sortBy=random`)
    expect(new Set(found).size).toBe(count)
    expect(reads).toMatch(expected)
  })

  it('finds fewer than exist if there are more rows still', async () => {
    const { found, reads } = await list('searchString=twenty&sortBy=random&numberofJokes=25')
    expect(found.length).toBeLessThan(20)
    expect(reads).toMatch(/^words 8, byId 15, byId 15,( jokes \d+,)? words 20$/)
  })
})

describe('with few read units', () => {
  beforeAll(() =>
    start({ MAX_READ_UNITS: 26, LOOKUP_ROWS: 80, LOOKUP_ROWS_IN_ALL: 80, MAX_SORTED: 60, MAX_CHECKED: 60 }),
  )
  afterAll(() => service.stop())

  const SHRINKING = 'jokes 25, jokes 13, jokes 6, jokes 3, jokes 2, jokes 1'

  it.each<[title: string, query: string, count: number, reads: string]>([
    ['reads fewer rows than the page needs', 'numberofJokes=50', 50, 'byDateAdded 28, byDateAdded 27'],
    [
      'keeps units for the jokes of a listing by downvotes',
      'numberofJokes=24&sortBy=thumbsDown',
      24,
      'byThumbsDown 13, byThumbsDown 10, byThumbsDown 6, jokes 24',
    ],
    ['looks up fewer rows', 'searchString=every', 4, 'words 60, byDateAdded 5'],
    ['reads a search by date in shrinking batches', 'searchString=most&numberofJokes=50', 50, `words 60, ${SHRINKING}`],
    [
      'reads a search at random in shrinking batches',
      'searchString=most&numberofJokes=50&sortBy=random',
      50,
      `words 60, ${SHRINKING}`,
    ],
    [
      'leaves a search by upvotes whose jokes cannot all be read to the walk of the next page',
      'searchString=most&sortBy=thumbsUp',
      0,
      `words 60, ${SHRINKING}`,
    ],
  ])('%s', async (_, query, count, expected) => {
    const { found, reads } = await list(query)
    expect([found.length, reads]).toEqual([count, expected])
  })
})
