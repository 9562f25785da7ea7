/** Cost per request, by collection size. */
import { SingleBar } from 'cli-progress'
import { CATEGORIES, type Joke } from '../shared/joke.ts'
import { longestPrefixOf, searchWordsOf } from '../shared/words.ts'
import { meter, type Usage } from '../test/support/meter.ts'
import { isOneIn, numberedJoke } from '../test/support/numberedJoke.ts'
import { type Bench, report, startBench } from './bench.ts'
import { type Measured, type Stage, textOf } from './scaleReport.ts'

/** The joke with each number. New jokes resemble the loaded ones, so adding them does not change the measurements. */
type Collection = (number: number) => Joke

/** A kind of request, which makes a new request for each measurement. */
interface Kind {
  name: string
  request(): Request
}
interface Request {
  method: 'GET' | 'POST'
  path: string
  body?: string
  /** The expected status of the response. */
  expected: number
}

/** Requests measured per kind. */
const REQUESTS = 20

/** Each number has a word that exactly this many jokes contain, mixed evenly among the others. */
const SPREAD = [3, 300, 2_000, 5_000]

/** Words that only the oldest jokes contain, with their number of jokes. */
const OLDEST = { emu: 300 }

/**
 * The largest collection with its whole index. Ten times as many jokes need 18 GB of memory, so larger collections have
 * only the index lists that are searched. They are not measured with nearly all jokes in one category.
 */
const MAX_WHOLE = 100_000

/** Measures all kinds of requests with a collection of each size. */
export async function measureScale(sizes: number[], isWritten: boolean): Promise<void> {
  const bench = await startBench()
  const used = meter(bench.store.database, bench.store.upvoteDatabase)
  const stages: Stage[] = []
  for (const size of sizes.toSorted((a, b) => a - b)) {
    console.log(`Measuring ${size.toLocaleString('en')} jokes.`)
    const measure = async (collection: Collection, isMeasured: (kind: Kind) => boolean = () => true) => {
      const kinds = kindsOf(collection, size).filter(isMeasured)
      const lists = new Set(kinds.flatMap(({ request }) => listsOf(request())))
      await bench.fill(size, collection, ({ prefix }) => size <= MAX_WHOLE || lists.has(prefix))
      return measureKinds(bench, used, kinds)
    }
    const lopsided = size <= MAX_WHOLE ? await measure(lopsidedCollection(sizes), dependsOnCategory) : undefined
    stages.push({ size, lopsided, requests: await measure(mixedCollection(sizes)) })
    // Report after each stage, because the next may take an hour or run out of memory.
    report('What requests cost as jokes accumulate', textOf(stages), isWritten)
  }
  await bench.stop()
}

/** Jokes of all categories in turn. */
function mixedCollection(sizes: number[]): Collection {
  return (number) => numberedJoke(number, wordsOf(number, sizes))
}

/** All jokes in one category, except the oldest three of each other category. */
function lopsidedCollection(sizes: number[]): Collection {
  const mixed = mixedCollection(sizes)
  const [most] = CATEGORIES
  return (number) => ({ ...mixed(number), ...(number >= 3 * CATEGORIES.length && { category: most }) })
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

/** `number * PRIME % size` visits each remainder once, well mixed because the prime is near a million / 1.618. */
const PRIME = 618_619

/** A word that is short, so that jokes keep their usual size. No other word starts with it. */
function spreadWord(count: number, size: number): string {
  return `k${SPREAD.indexOf(count)}s${size.toString(36)}`
}

function kindsOf(joke: Collection, size: number): Kind[] {
  const spread = (count: number) => spreadWord(count, size)
  return [
    listing('list, the newest', ''),
    listing('list by thumbsUp', 'sortBy=thumbsUp'),
    listing('list, one category', 'category=School'),
    listing('list, two categories', 'categories=School,Classic'),
    listing('list, 250 jokes', 'numberofJokes=250'),
    listing('random', 'sortBy=random'),
    listing('random, one joke', 'sortBy=random&numberofJokes=1'),
    listing('random, one category', 'sortBy=random&category=School'),
    listing('random, two categories', 'sortBy=random&categories=School,Classic'),
    listing('by id', `id=${joke(1).id}`),
    search('nothing found', 'nothing'),
    ...SPREAD.filter((count) => count < size).map((count) =>
      search(`${count.toLocaleString('en')} found`, spread(count)),
    ),
    search('1 in 100 match', 'middling'),
    search('1 in 10 match', 'amber'),
    search('4 in 5 match', 'chicken'),
    ...Object.entries(OLDEST)
      .filter(([, count]) => count < size)
      .map(([word, count]) => search(`the oldest ${count.toLocaleString('en')}`, word)),
    search('one letter', 'c'),
    search('300 found, one category', `${spread(300)}&category=School`),
    search('1 in 100 match, one category', 'middling&category=School'),
    search('4 in 5 match, one category', 'chicken&category=School'),
    search('one letter, one category', 'c&category=School'),
    search('two words, 300 and 4 in 5', `${spread(300)} chicken`),
    search('two words, the oldest 300 and 4 in 5', 'emu chicken'),
    search('two words, 1 in 50 each', 'opal ruby'),
    search('two words, 4 in 5 and 1 in 5, never both', 'chicken duck'),
    listing('search by thumbsUp, 300 found', `sortBy=thumbsUp&searchString=${spread(300)}`),
    listing('search by thumbsUp, 1 in 100 match', 'sortBy=thumbsUp&searchString=middling'),
    listing('search by thumbsUp, 4 in 5 match', 'sortBy=thumbsUp&searchString=chicken'),
    listing('search at random, 300 found', `sortBy=random&searchString=${spread(300)}`),
    listing('search at random, 5,000 found', `sortBy=random&searchString=${spread(5000)}`),
    listing('search at random, 1 in 100 match', 'sortBy=random&searchString=middling'),
    listing('search at random, 1 in 10 match', 'sortBy=random&searchString=amber'),
    listing('search at random, 4 in 5 match', 'sortBy=random&searchString=chicken'),
    listing('search at random, 4 in 5 match, one category', 'sortBy=random&searchString=chicken&category=School'),
    listing('search at random, two words, 1 in 50 each', 'sortBy=random&searchString=opal ruby'),
    { name: 'upvote', request: () => upvoteOf(joke(next() % size).id) },
    { name: 'create', request: () => creationOf(joke(FIRST_NEW + next())) },
    { name: 'create, sent again', request: () => creationOf(joke(1), 409) },
  ]
}

function listing(name: string, query: string): Kind {
  return { name, request: () => listingOf(query) }
}

/** Whether the cost may depend on categories. A search by date alone reads only the lists of its words. */
function dependsOnCategory({ name }: Kind): boolean {
  return /^(list|random|search (by|at))/.test(name) || name.endsWith('category')
}

/** A search by date. */
function search(name: string, query: string): Kind {
  return listing(`search, ${name}`, `searchString=${query}`)
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

/** The prefixes of the index lists that a request reads. */
function listsOf({ path }: Request): string[] {
  const { searchParams } = new URL(path, 'http://localhost')
  const words = searchWordsOf(searchParams.get('searchString') ?? '')
  const categories = searchParams.get('categories') ?? searchParams.get('category') ?? ''
  return [...words.map(longestPrefixOf), ...categories.split(',').map((category) => `#${category}`)]
}

let counter = 0
function next(): number {
  return counter++
}

/** The number of the first new joke. */
const FIRST_NEW = 1_000_000_000

async function measureKinds({ url }: Bench, used: () => Usage, kinds: Kind[]): Promise<Map<string, Measured>> {
  const measured = new Map<string, Measured>()
  const bar = new SingleBar({ format: 'Measuring {bar} {name}' })
  bar.start(kinds.length, 0)
  for (const { name, request } of kinds) {
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
    })
  }
  bar.stop()
  return measured
}

/** Sends a request and returns the number of jokes in its response. */
async function send(url: string, { path, expected, ...init }: Request): Promise<number> {
  const response = await fetch(url + path, init)
  const body = await response.text()
  if (response.status !== expected) throw new Error(`${path} answered ${response.status}: ${body}`)
  return [JSON.parse(body)].flat().length
}
