/** What each kind of request costs as the collection grows. */
import { SingleBar } from 'cli-progress'
import { CATEGORIES, type Joke } from '../shared/joke.ts'
import { longestBeginningOf, searchWordsOf } from '../shared/words.ts'
import { LONGEST_KINDS, longestJoke } from '../test/support/longestJokes.ts'
import { meter, type Usage } from '../test/support/meter.ts'
import { isOneIn, numberedJoke } from '../test/support/numberedJoke.ts'
import { type Bench, report, startBench } from './bench.ts'
import { type LongestMeasured, type Measured, type Most, type Stage, textOf } from './scaleReport.ts'

/** Any number of jokes. New jokes resemble the loaded ones, so adding them does not change the measurements. */
interface Collection {
  joke(number: number): Joke
  /** How many of the first `size` jokes are of the category School. */
  school(size: number): number
}

/** A kind of request. */
interface Kind {
  name: string
  /** How many jokes match a search whose first page should be full; absent: not promised. */
  matching?: number
  /** What one request should take at most; absent: not promised. */
  most?: Most
  request(): Request
}
interface Request {
  method: 'GET' | 'POST'
  path: string
  body?: string
  /** The status of the answer. */
  expected: number
}

/** How many requests of a kind are measured. */
const REQUESTS = 20

/** For each of these numbers there is a word that exactly as many jokes contain, mixed evenly among the others. */
const SPREAD = [3, 30, 300, 501, 1_001, 2_000, 5_000]

/** Words that only the oldest jokes contain. */
const OLDEST = { emu: 300, yak: 12_900, elk: 20_000 }

/** The default number of jokes of a page. */
const PAGE = 25

/** The maximum of `numberofJokes`. */
const MOST_LISTED = 250

/**
 * The largest collection with all rows of the word lists: ten times as many need 18 GB of memory. Larger ones have the
 * lists that are searched, and are not measured with nearly all jokes in one category.
 */
const MAX_WHOLE = 100_000

/** Units are counted, so no time limit may end a request on a busy machine. */
const PATIENT = { attemptMs: 600_000, operationMs: 600_000, lookAheadMs: 600_000 }

/** Grows a collection to each of the sizes, and measures there. */
export async function measureScale(sizes: number[], isWritten: boolean): Promise<void> {
  const bench = await startBench(PATIENT)
  const used = meter(bench.store.database, bench.store.upvoteDatabase)
  const longest = await measureLongest(bench, used)
  const stages: Stage[] = []
  for (const size of sizes.toSorted((one, other) => one - other)) {
    console.log(`Measuring ${size.toLocaleString('en')} jokes.`)
    const measure = async (collection: Collection) => {
      const kinds = kindsOf(collection, size)
      const lists = new Set(kinds.flatMap(({ request }) => listsOf(request())))
      await bench.fill(size, collection.joke, ({ prefix }) => size <= MAX_WHOLE || lists.has(prefix))
      return measureKinds(bench, used, kinds)
    }
    const lopsided = size <= MAX_WHOLE ? await measure(lopsidedCollection(sizes)) : undefined
    stages.push({ size, lopsided, requests: await measure(mixedCollection(sizes)) })
    // After each stage, because the next may take an hour, or run out of memory.
    report('What requests cost as jokes accumulate', textOf(stages, longest), isWritten)
  }
  await bench.stop()
}

/** Jokes of all categories in turn. */
function mixedCollection(sizes: number[]): Collection {
  return {
    joke: (number) => numberedJoke(number, wordsOf(number, sizes)),
    school: (size) => size / CATEGORIES.length,
  }
}

/** All jokes in one category, except the oldest three of each other. */
function lopsidedCollection(sizes: number[]): Collection {
  const { joke } = mixedCollection(sizes)
  const [most = 'Classic'] = CATEGORIES
  return {
    joke: (number) => ({ ...joke(number), category: number < 3 * CATEGORIES.length ? joke(number).category : most }),
    school: () => 3,
  }
}

function wordsOf(number: number, sizes: number[]): string[] {
  const words: string[] = []
  for (const [word, count] of Object.entries(OLDEST)) if (number < count) words.push(word)
  for (const size of sizes)
    for (const count of SPREAD)
      if (number < size && (number * PRIME) % size < count) words.push(spreadWord(count, size))
  if (isOneIn(10, number)) words.push('amber')
  if (isOneIn(50, number)) words.push('opal')
  if (isOneIn(50, number, 2)) words.push('ruby')
  return words
}

/** `number * PRIME % size` visits each remainder once, well mixed: the prime is near a million / 1.618. */
const PRIME = 618_619

/** A short word, to keep jokes at their usual size. No other word starts with it. */
function spreadWord(count: number, size: number): string {
  return `k${SPREAD.indexOf(count)}s${size.toString(36)}`
}

const ONE_WORD = { units: 15, calls: 3 }
const ONE_CATEGORY = { units: 30, calls: 12 }
const RARE_AND_COMMON = { units: 25, calls: 6 }
const TWO_COMMON = { units: 60, calls: Number.POSITIVE_INFINITY }
const RANDOM = { units: 15, calls: 3 }
const ONE_RANDOM = { units: 3, calls: 3 }
const RANDOM_SEARCH = { units: 20, calls: 6 }
const RANDOM_IN_CATEGORY = { units: 25, calls: 9 }
/** As by date, also where nearly all jokes are in one category. */
const BY_DATE = { units: 3.5, calls: 6 }
const CREATE = { units: 66, calls: Number.POSITIVE_INFINITY }

function kindsOf({ joke, school }: Collection, size: number): Kind[] {
  const spread = (count: number) => spreadWord(count, size)
  const inSchool = (share: number) => ({ matching: school(size) * share, most: ONE_CATEGORY })
  return [
    listing('list, the newest', ''),
    listing('list by thumbsUp', 'sortBy=thumbsUp'),
    { ...listing('list by thumbsDown', 'sortBy=thumbsDown'), most: BY_DATE },
    listing('list, one category', 'category=School'),
    listing('list, two categories', 'categories=School,Classic'),
    listing('list, 250 jokes', `numberofJokes=${MOST_LISTED}`),
    { ...listing('random', 'sortBy=random'), matching: size, most: RANDOM },
    { ...listing('random, one joke', 'sortBy=random&numberofJokes=1'), most: ONE_RANDOM },
    { ...listing('random, two categories', 'sortBy=random&categories=School,Classic'), most: RANDOM_IN_CATEGORY },
    listing('by id', `id=${joke(1).id}`),
    search('nothing found', 'nothing', 0),
    ...SPREAD.filter((count) => count < size).map((count) =>
      search(`${count.toLocaleString('en')} found`, spread(count), count),
    ),
    search('1 in 100 match', 'middling', size / 100),
    search('1 in 10 match', 'amber', size / 10),
    search('4 in 5 match', 'chicken', (size * 4) / 5),
    ...Object.entries(OLDEST)
      .filter(([, count]) => count < size)
      .map(([word, count]) => search(`the oldest ${count.toLocaleString('en')}`, word, count)),
    search('1 in 100 match, oldest first', 'middling&sortOrder=asc', size / 100),
    search('one letter', 'c', size),
    search('one letter, none', 'q', 0),
    search('two letters', 'ch', size),
    search('two letters, none', 'zz', 0),
    { ...search('300 found, one category', `${spread(300)}&category=School`), ...inSchool(300 / size) },
    { ...search('1 in 100 match, one category', 'middling&category=School'), ...inSchool(1 / 100) },
    { ...search('4 in 5 match, one category', 'chicken&category=School'), ...inSchool(4 / 5) },
    { ...search('one letter, one category', 'c&category=School'), ...inSchool(1) },
    { ...search('two words, 300 and 4 in 5', `${spread(300)} chicken`, 240), most: RARE_AND_COMMON },
    { ...search('two words, the oldest 300 and 4 in 5', 'emu chicken', 240), most: RARE_AND_COMMON },
    { ...search('two words, 1 in 50 each', 'opal ruby', size / 2_500), most: TWO_COMMON },
    listing('search, two words, 4 in 5 and 1 in 5, never both', 'searchString=chicken duck'),
    listing('search by thumbsUp, 300 found', `sortBy=thumbsUp&searchString=${spread(300)}`),
    listing('search by thumbsUp, 1 in 100 match', 'sortBy=thumbsUp&searchString=middling'),
    listing('search by thumbsUp, 4 in 5 match', 'sortBy=thumbsUp&searchString=chicken'),
    randomSearch('300 found', spread(300), 300),
    randomSearch('1 in 100 match', 'middling', size / 100),
    randomSearch('4 in 5 match', 'chicken', (size * 4) / 5),
    {
      ...randomSearch('4 in 5 match, one category', 'chicken&category=School', school(size) * 0.8),
      most: RANDOM_IN_CATEGORY,
    },
    { name: 'upvote', request: () => upvoteOf(joke(next() % size).id) },
    { name: 'create', most: CREATE, request: () => creationOf(joke(FIRST_NEW + next())) },
    { name: 'create, sent again', request: () => creationOf(joke(1), 409) },
  ]
}

function listing(name: string, query: string): Kind {
  return { name, request: () => listingOf(query) }
}

function randomSearch(name: string, query: string, matching: number): Kind {
  return {
    ...listing(`search at random, ${name}`, `sortBy=random&searchString=${query}`),
    matching,
    most: RANDOM_SEARCH,
  }
}

/** A search by date. */
function search(name: string, query: string, matching = 0): Kind {
  return { ...listing(`search, ${name}`, `searchString=${query}`), matching, most: ONE_WORD }
}

function listingOf(query: string): Request {
  return { method: 'GET', path: `/joke?${query}`, expected: 200 }
}

function upvoteOf(id: string): Request {
  return { method: 'POST', path: `/thumbsUp/${id}`, expected: 200 }
}

function creationOf({ joke, punchline, category }: Joke, expected = 201): Request {
  return { method: 'POST', path: '/joke', body: JSON.stringify({ joke, punchline, category }), expected }
}

/** The word lists that a request reads. */
function listsOf({ path }: Request): string[] {
  const { searchParams } = new URL(path, 'http://localhost')
  const words = searchWordsOf(searchParams.get('searchString') ?? '')
  const categories = searchParams.get('categories') ?? searchParams.get('category') ?? ''
  return [...words.map(longestBeginningOf), ...categories.split(',').map((category) => `#${category}`)]
}

let counter = 0
function next(): number {
  return counter++
}

/** The numbers of new jokes begin here. */
const FIRST_NEW = 1_000_000_000

async function measureKinds({ url }: Bench, used: () => Usage, kinds: Kind[]): Promise<Map<string, Measured>> {
  const measured = new Map<string, Measured>()
  const bar = new SingleBar({ format: 'Measuring {bar} {name}' })
  bar.start(kinds.length, 0)
  for (const { name, matching = 0, most, request } of kinds) {
    bar.increment({ name })
    used()
    const counts: number[] = []
    for (let count = 0; count < REQUESTS; count++) counts.push(await send(url, request()))
    const { calls, read, written } = used()
    measured.set(name, {
      calls: calls / REQUESTS,
      read: read / REQUESTS,
      written: written / REQUESTS,
      jokes: request().method === 'GET' ? Math.min(...counts) : undefined,
      expected: Math.min(Math.floor(matching), PAGE),
      most,
    })
  }
  bar.stop()
  return measured
}

/** The usage of the longest jokes of each kind, in a collection of only this kind. */
async function measureLongest(bench: Bench, used: () => Usage): Promise<Map<string, LongestMeasured>> {
  const measured = new Map<string, LongestMeasured>()
  const usage = async (request: Request) => {
    used()
    await send(bench.url, request)
    return used()
  }
  for (const kind of LONGEST_KINDS) {
    await bench.fill(MOST_LISTED - 1, (number) => longestJoke(kind, number, 'common'))
    const first = longestJoke(kind, MOST_LISTED, 'common')
    measured.set(kind, {
      added: await usage(creationOf(first)),
      again: await usage(creationOf(first, 409)),
      upvoted: await usage(upvoteOf(first.id)),
      listed: await usage(listingOf('')),
      mostListed: await usage(listingOf(`numberofJokes=${MOST_LISTED}`)),
      searched: await usage(listingOf(`numberofJokes=${MOST_LISTED}&searchString=common`)),
    })
  }
  return measured
}

/** Sends a request and returns the number of jokes in its response. */
async function send(url: string, { path, expected, ...init }: Request): Promise<number> {
  const response = await fetch(url + path, init)
  const body = await response.text()
  if (response.status !== expected) throw new Error(`${path} answered ${response.status}: ${body}`)
  return [JSON.parse(body)].flat().length
}
