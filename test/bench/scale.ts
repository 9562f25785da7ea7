/** What each kind of request costs as the collection grows; writes scale.md and its chart. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  BatchWriteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  paginateScan,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import { SingleBar } from 'cli-progress'
import { CATEGORIES, type Joke } from '../../shared/joke.ts'
import { internals } from '../support/access.ts'
import { invoke } from '../support/invoke.ts'
import { LONGEST_KINDS, longestJoke } from '../support/longestJokes.ts'
import { meter, type Usage } from '../support/meter.ts'
import { isOneIn, numberedJoke } from '../support/numberedJoke.ts'
import { type Bench, cpuTime, median, percentile, startBench, time } from './bench.ts'
import {
  CONNECTIONS,
  type LongestMeasured,
  type LongestSearch,
  type Measured,
  type Stage,
  writeReport,
} from './report.ts'

/** Any number of jokes. New jokes resemble the loaded ones, so adding them does not change the measurements. */
interface Collection {
  joke(number: number): Joke
  /** A word that exactly `count` of the first `size` jokes contain. */
  exactWord(count: number, size: number): string
}

/** A kind of request. */
interface Kind {
  name: string
  /** How many jokes match a search whose first page should be full; absent: not promised. */
  holders?: number
  request(): Request
}
interface Request {
  method: 'GET' | 'POST'
  path: string
  body?: string
  /** The status of the answer. */
  expected: number
}

/** How many requests of a kind are timed in sequence, and then sent by each number of clients. */
const REQUESTS = 50

/** Each number has a word that exactly this many jokes contain, mixed evenly among the others. */
const EXACT = [450, 501, 900, 1_001, 2_000, 5_000]

/** Words that only the oldest jokes contain: more than even the long lookup reads. */
const OLDEST = { yak: 12_900, elk: 20_000 }

/** The default number of jokes of a page. */
const PAGE = 25

/** The largest collection with nearly all jokes in one category. Larger ones take much longer and cost the same. */
const MAX_LOPSIDED = 100_000

/** Grows a collection to each of the sizes, measures there, and writes the report to a folder. */
export async function measureScale(sizes: number[], folder: string): Promise<void> {
  const bench = await startBench()
  const { database, upvoteDatabase } = await internals()
  // Without time limits, for the first ideas, which exceed those of the service.
  const patient = DynamoDBDocumentClient.from(new DynamoDBClient())
  const used = meter(database, upvoteDatabase, patient)
  const longest = await measureLongest(bench, used)
  const stages: Stage[] = []
  for (const size of sizes.toSorted((one, other) => one - other)) {
    const mixed = mixedCollection(sizes)
    const lopsided = lopsidedCollection(sizes)
    console.log(`Measuring ${size.toLocaleString('en')} jokes.`)
    if (size <= MAX_LOPSIDED) await bench.fill(size, lopsided.joke)
    const lopsidedRequests = size <= MAX_LOPSIDED ? await measureKinds(bench, used, kindsOf(lopsided, size)) : undefined
    await bench.fill(size, mixed.joke)
    stages.push({
      size,
      requests: await measureKinds(bench, used, kindsOf(mixed, size)),
      lopsided: lopsidedRequests,
      naive: await measureNaive(bench, mixed, patient, used),
      overheads: await measureOverheads(bench, mixed),
      longestSearch: size > OLDEST.yak ? await measureLongestSearch(bench) : undefined,
    })
    // After each stage, because the next may take an hour, or run out of memory.
    for (const [file, content] of Object.entries(writeReport(stages, longest)))
      writeFileSync(join(folder, file), content)
  }
  await bench.stop()
  console.log(`The report is in ${folder}.`)
}

/** Jokes of all categories in turn. */
function mixedCollection(sizes: number[]): Collection {
  return {
    joke: (number) => numberedJoke(number, wordsOf(number, sizes)),
    exactWord: (count, size) => exactWord(count, size, sizes),
  }
}

/** All jokes in one category, except the oldest three of each other. */
function lopsidedCollection(sizes: number[]): Collection {
  const { joke, exactWord } = mixedCollection(sizes)
  const [most = 'Classic', ...others] = CATEGORIES
  return {
    exactWord,
    joke: (number) => ({ ...joke(number), category: number < 3 * others.length ? joke(number).category : most }),
  }
}

function wordsOf(number: number, sizes: number[]): string[] {
  const words: string[] = []
  for (const [word, count] of Object.entries(OLDEST)) if (number < count) words.push(word)
  for (const size of sizes)
    for (const count of EXACT)
      if (number < size && (number * PRIME) % size < count) words.push(exactWord(count, size, sizes))
  if (isOneIn(10, number)) words.push('amber')
  if (isOneIn(50, number)) words.push('opal')
  if (isOneIn(50, number, 2)) words.push('ruby')
  return words
}

/** `number * PRIME % size` visits each remainder once, well mixed: the prime is near a million / 1.618. */
const PRIME = 618_619

/** A short word, to keep jokes at their usual size. No other word starts with it. */
function exactWord(count: number, size: number, sizes: number[]): string {
  return `k${EXACT.indexOf(count)}s${sizes.indexOf(size)}`
}

function kindsOf(collection: Collection, size: number): Kind[] {
  const upvoted = () => collection.joke(next() % size).id
  const created = () => collection.joke(FIRST_NEW + next())
  return [
    listing('list, the newest', ''),
    listing('list by thumbsUp', 'sortBy=thumbsUp'),
    listing('list by thumbsDown', 'sortBy=thumbsDown'),
    listing('list, one category', 'category=School'),
    listing('list, 250 jokes', 'numberofJokes=250'),
    listing('random', 'sortBy=random'),
    listing('by id', `id=${collection.joke(1).id}`),
    search('nothing found', 'nothing', 0),
    search('3 found', 'three', 3),
    search('30 found', 'thirty', 30),
    search('300 found', 'hundreds', 300),
    ...EXACT.filter((count) => count < size).map((count) =>
      search(`${count.toLocaleString('en')} found`, collection.exactWord(count, size), count),
    ),
    search('1 in 100 match', 'middling', size / 100),
    search('1 in 10 match', 'amber', size / 10),
    search('4 in 5 match', 'chicken', (size * 4) / 5),
    ...Object.entries(OLDEST)
      .filter(([, count]) => count < size)
      .map(([word, count]) => listing(`search, the oldest ${count.toLocaleString('en')}`, `searchString=${word}`)),
    listing('search, two words, 1 in 50 each', 'searchString=opal ruby'),
    search('two letters', 'ch', size),
    search('two letters, none', 'zz', 0),
    listing('search by thumbsUp, 300 found', 'sortBy=thumbsUp&searchString=hundreds'),
    listing('search by thumbsUp, 1 in 100 match', 'sortBy=thumbsUp&searchString=middling'),
    listing('search by thumbsUp, 4 in 5 match', 'sortBy=thumbsUp&searchString=chicken'),
    listing('search at random, 1 in 100 match', 'sortBy=random&searchString=middling'),
    { name: 'upvote', request: () => upvoteOf(upvoted()) },
    { name: 'create', request: () => creationOf(created()) },
    { name: 'create, sent again', request: () => creationOf(collection.joke(1), 409) },
  ]
}

function listing(name: string, query: string): Kind {
  return { name, request: () => listingOf(query) }
}

/** A search for one word, by date. */
function search(name: string, word: string, holders: number): Kind {
  return { ...listing(`search, ${name}`, `searchString=${word}`), holders }
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
  for (const { name, holders, request } of kinds) {
    bar.increment({ name })
    used()
    const times: number[] = []
    const counts: number[] = []
    for (let count = 0; count < REQUESTS; count++)
      times.push(await time(async () => counts.push(await send(url, request()))))
    const { calls, read, written } = used()
    const rates: number[] = []
    for (const connections of CONNECTIONS) {
      let left = REQUESTS
      const client = async () => {
        while (left-- > 0) await send(url, request())
      }
      const milliseconds = await time(() => Promise.all(Array.from({ length: connections }, client)))
      rates.push((REQUESTS / milliseconds) * 1_000)
    }
    measured.set(name, {
      calls: calls / REQUESTS,
      read: read / REQUESTS,
      written: written / REQUESTS,
      jokes: request().method === 'GET' ? Math.min(...counts) : undefined,
      expected: holders === undefined ? undefined : Math.min(Math.floor(holders), PAGE),
      median: median(times),
      p99: percentile(times, 99),
      rates,
    })
  }
  bar.stop()
  return measured
}

/** The usage of the longest jokes of each kind, in a collection of only this kind. */
async function measureLongest(bench: Bench, used: () => Usage): Promise<Map<string, LongestMeasured>> {
  const { url } = bench
  const measured = new Map<string, LongestMeasured>()
  const usage = async (request: Request) => {
    used()
    await send(url, request)
    return used()
  }
  for (const kind of LONGEST_KINDS) {
    await bench.fill(MOST_LISTED - 1, (number) => longestJoke(kind, number, 'common'))
    const first = longestJoke(kind, MOST_LISTED, 'common')
    const added = await usage(creationOf(first))
    measured.set(kind, {
      added,
      again: await usage(creationOf(first, 409)),
      upvoted: await usage(upvoteOf(first.id)),
      listed: await usage(listingOf('')),
      mostListed: await usage(listingOf(`numberofJokes=${MOST_LISTED}`)),
      searched: await usage(listingOf(`numberofJokes=${MOST_LISTED}&searchString=common`)),
    })
  }
  return measured
}

/** The maximum of `numberofJokes`. */
const MOST_LISTED = 250

/** Sends a request and returns the number of jokes in its response. */
async function send(url: string, { path, expected, ...init }: Request): Promise<number> {
  const response = await fetch(url + path, init)
  const body = await response.text()
  // On a busy machine, many searches at once may exceed the service's time limits.
  if (response.status === 503) return send(url, { path, expected, ...init })
  if (response.status !== expected) throw new Error(`${path} answered ${response.status}: ${body}`)
  return [JSON.parse(body)].flat().length
}

/** Units of the first ideas and of the service. */
async function measureNaive(
  { url }: Bench,
  collection: Collection,
  database: DynamoDBDocumentClient,
  used: () => Usage,
) {
  const { JOKES_TABLE: TableName } = await internals()
  const units = async (work: () => Promise<unknown>) => {
    used()
    await work()
    const { read, written } = used()
    return { read, written }
  }
  const { id } = collection.joke(1)
  const scan = async () => {
    const filter = { FilterExpression: 'category = :school', ExpressionAttributeValues: { ':school': 'School' } }
    for await (const _ of paginateScan({ client: database }, { TableName, ...filter }));
  }
  const getAndPut = async () => {
    const { Item } = await database.send(new GetCommand({ TableName, Key: { id }, ConsistentRead: true }))
    await database.send(new PutCommand({ TableName, Item: { ...Item, thumbsUp: (Item?.thumbsUp ?? 0) + 1 } }))
  }
  return new Map([
    [
      'Scan with a filter, for one category',
      { naive: await units(scan), ours: await units(() => send(url, listingOf('category=School'))) },
    ],
    [
      'get, then put, for an upvote',
      { naive: await units(getAndPut), ours: await units(() => send(url, upvoteOf(id))) },
    ],
  ])
}

/** Median time of each handler divided by that of its bare calls to DynamoDB, measured alternately. */
async function measureOverheads({ handlers }: Bench, collection: Collection): Promise<Map<string, number>> {
  const { database, upvoteDatabase, JOKES_TABLE: TableName, WORDS_TABLE, toStored } = await internals()
  const { id } = collection.joke(1)
  const newJoke = () => collection.joke(FIRST_NEW + next())
  const upvote = new UpdateCommand({
    TableName,
    Key: { id },
    UpdateExpression: 'ADD thumbsUp :one',
    ConditionExpression: 'attribute_exists(shelf)',
    ExpressionAttributeValues: { ':one': 1 },
    ReturnValues: 'ALL_NEW',
  })
  const create = async () => {
    const { item, rows } = toStored(newJoke())
    await database.send(new GetCommand({ TableName, Key: { id: item.id } }))
    const puts = rows.map((Item) => ({ PutRequest: { Item } }))
    await database.send(new BatchWriteCommand({ RequestItems: { [WORDS_TABLE]: puts } }))
    await database.send(new PutCommand({ TableName, Item: item, ConditionExpression: 'attribute_not_exists(id)' }))
  }
  const list = (shelf: string) =>
    database.send(
      new QueryCommand({
        TableName,
        IndexName: 'byDateAdded',
        KeyConditionExpression: 'shelf = :shelf',
        ExpressionAttributeValues: { ':shelf': shelf },
        ScanIndexForward: false,
        Limit: 10,
      }),
    )
  const ratio = async (handle: () => Promise<unknown>, call: () => Promise<unknown>) => {
    const times: [number[], number[]] = [[], []]
    for (let count = 0; count < REQUESTS; count++) {
      times[0].push(await time(handle))
      times[1].push(await time(call))
    }
    return median(times[0]) / median(times[1])
  }
  return new Map([
    [
      'upvote: UpdateItem',
      await ratio(
        () => invoke(handlers, 'ThumbsUp', { pathParameters: { id } }),
        () => upvoteDatabase.send(upvote),
      ),
    ],
    [
      'create: GetItem, BatchWriteItem, PutItem',
      await ratio(() => invoke(handlers, 'Create', creationOf(newJoke())), create),
    ],
    [
      'list: five times Query',
      await ratio(
        () => invoke(handlers, 'List', {}),
        () => Promise.all(CATEGORIES.map(list)),
      ),
    ],
  ])
}

/** The search that reads the most rows, without HTTP. */
async function measureLongestSearch({ handlers }: Bench): Promise<LongestSearch> {
  const times: number[] = []
  const cpuTimes: number[] = []
  const event = { queryStringParameters: { searchString: 'yak' } }
  for (let count = 0; count < REQUESTS; count++)
    cpuTimes.push(await cpuTime(async () => times.push(await time(() => invoke(handlers, 'List', event)))))
  return { median: median(times), cpu: median(cpuTimes) }
}
