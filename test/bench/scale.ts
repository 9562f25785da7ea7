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
import { lambdaContext } from '../../infra/local/server.ts'
import { CATEGORIES } from '../../shared/joke.ts'
import { internals, load } from '../support/access.ts'
import { meter, type Usage } from '../support/meter.ts'
import { numberedJoke } from '../support/numberedJoke.ts'
import { type Bench, median, percentile, startBench, time } from './bench.ts'
import { CONNECTIONS, type Measured, type Stage, writeReport } from './report.ts'

/** A kind of request. */
interface Kind {
  name: string
  request(): { method: 'GET' | 'POST'; path: string; body?: string }
}

/** How many requests are timed one after the other, and then sent again by each number of clients. */
const REQUESTS = 100

const KINDS: Kind[] = [
  listing('list, the newest', ''),
  listing('list by thumbsUp', 'sortBy=thumbsUp'),
  listing('list, one category', 'category=School'),
  listing('random', 'sortBy=random'),
  listing('by id', `id=${numberedJoke(1).id}`),
  listing('search, nothing found', 'searchString=nothing'),
  listing('search, 3 found', 'searchString=three'),
  listing('search, 30 found', 'searchString=thirty'),
  listing('search, 300 found', 'searchString=hundreds'),
  listing('search, 4 in 5 match', 'searchString=chicken'),
  listing('search, 1 in 100 match', 'searchString=middling'),
  listing('search, two letters', 'searchString=ch'),
  listing('search, two letters, none', 'searchString=zz'),
  { name: 'upvote', request: () => ({ method: 'POST', path: `/thumbsUp/${numberedJoke(next() % loaded).id}` }) },
  { name: 'create', request: () => ({ method: 'POST', path: '/joke', body: JSON.stringify(newJoke()) }) },
]

/** Grows a collection to each of the sizes, measures there, and writes the report to a folder. */
export async function measureScale(sizes: number[], folder: string): Promise<void> {
  const bench = await startBench()
  const { database, upvoteDatabase } = await internals()
  // For what people write first, which takes longer than the service lets a call take.
  const patient = DynamoDBDocumentClient.from(new DynamoDBClient())
  const used = meter(database, upvoteDatabase, patient)
  const stages: Stage[] = []
  for (const size of sizes.toSorted((one, other) => one - other)) {
    await grow(stages.at(-1)?.size ?? 0, size)
    stages.push({
      size,
      requests: await measureKinds(bench, used),
      naive: await measureNaive(bench, patient, used),
      overheads: await measureOverheads(bench),
    })
    // After each stage: the next one may take an hour, or more than the machine has.
    for (const [file, content] of Object.entries(writeReport(stages))) writeFileSync(join(folder, file), content)
  }
  await bench.stop()
  console.log(`The report is in ${folder}.`)
}

function listing(name: string, query: string): Kind {
  return { name, request: () => ({ method: 'GET', path: `/joke?${query}` }) }
}

let counter = 0
function next(): number {
  return counter++
}

/** Jokes that are new, and like the ones that are loaded: they must not change what a search meets. */
function newJoke() {
  const { joke, punchline, category } = numberedJoke(FIRST_NEW + next())
  return { joke, punchline, category }
}

const FIRST_NEW = 1_000_000_000

let loaded = 0

/** So many jokes are made at a time. */
const CHUNK = 10_000

async function grow(from: number, to: number): Promise<void> {
  const bar = new SingleBar({ format: 'Loading {bar} {value} of {total} jokes, {eta_formatted} left' })
  bar.start(to, from)
  for (let start = from; start < to; start += CHUNK) {
    const jokes = Array.from({ length: Math.min(CHUNK, to - start) }, (_, index) => numberedJoke(start + index))
    await load(jokes, (count) => bar.update(start + count))
  }
  bar.stop()
  loaded = to
}

async function measureKinds({ url }: Bench, used: () => Usage): Promise<Map<string, Measured>> {
  const measured = new Map<string, Measured>()
  const bar = new SingleBar({ format: 'Measuring {bar} {name}' })
  bar.start(KINDS.length, 0)
  for (const { name, request } of KINDS) {
    bar.increment({ name })
    used()
    const times: number[] = []
    for (let count = 0; count < REQUESTS; count++) times.push(await time(() => send(url, request())))
    const { calls, units } = used()
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
      units: units / REQUESTS,
      median: median(times),
      p99: percentile(times, 99),
      rates,
    })
  }
  bar.stop()
  return measured
}

async function send(url: string, { path, ...init }: ReturnType<Kind['request']>): Promise<void> {
  const response = await fetch(url + path, init)
  const body = await response.text()
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${body}`)
}

/** The service's ways against those that people write first, in units. */
async function measureNaive({ url }: Bench, database: DynamoDBDocumentClient, used: () => Usage) {
  const { JOKES_TABLE: TableName } = await internals()

  const usage = async (work: () => Promise<unknown>) => {
    used()
    await work()
    return used()
  }
  const { id } = numberedJoke(1)
  return new Map([
    [
      'Scan with a filter, for one category',
      {
        naive: await usage(async () => {
          const scan = paginateScan(
            { client: database },
            {
              TableName,
              FilterExpression: 'category = :category',
              ExpressionAttributeValues: { ':category': 'School' },
            },
          )
          for await (const _ of scan);
        }),
        ours: await usage(() => fetch(`${url}/joke?category=School`)),
      },
    ],
    [
      'get, then put, for an upvote',
      {
        naive: await usage(async () => {
          const { Item } = await database.send(new GetCommand({ TableName, Key: { id }, ConsistentRead: true }))
          await database.send(new PutCommand({ TableName, Item: { ...Item, thumbsUp: (Item?.thumbsUp ?? 0) + 1 } }))
        }),
        ours: await usage(() => fetch(`${url}/thumbsUp/${id}`, { method: 'POST' })),
      },
    ],
  ])
}

/** The handlers, invoked without HTTP, against the bare calls that they make, in turns. */
async function measureOverheads({ handlers }: Bench): Promise<Map<string, number>> {
  const { database, upvoteDatabase, JOKES_TABLE: TableName, WORDS_TABLE, toStored } = await internals()

  const ratio = async (handled: () => Promise<unknown>, bare: () => Promise<unknown>) => {
    const times: [number[], number[]] = [[], []]
    for (let count = 0; count < REQUESTS; count++) {
      times[0].push(await time(handled))
      times[1].push(await time(bare))
    }
    return median(times[0]) / median(times[1])
  }
  const { id } = numberedJoke(1)
  const shelves = CATEGORIES
  return new Map([
    [
      'upvote: UpdateItem',
      await ratio(
        () => handlers.ThumbsUp(Object({ pathParameters: { id } }), lambdaContext('ThumbsUp')),
        () =>
          upvoteDatabase.send(
            new UpdateCommand({
              TableName,
              Key: { id },
              UpdateExpression: 'ADD thumbsUp :one',
              ConditionExpression: 'attribute_exists(shelf)',
              ExpressionAttributeValues: { ':one': 1 },
              ReturnValues: 'ALL_NEW',
            }),
          ),
      ),
    ],
    [
      'create: BatchWriteItem, PutItem',
      await ratio(
        () => handlers.Create(Object({ body: JSON.stringify(newJoke()) }), lambdaContext('Create')),
        async () => {
          const { item, rows } = toStored(numberedJoke(FIRST_NEW + next()))
          const puts = rows.map((Item) => ({ PutRequest: { Item } }))
          await database.send(new BatchWriteCommand({ RequestItems: { [WORDS_TABLE]: puts } }))
          await database.send(
            new PutCommand({ TableName, Item: item, ConditionExpression: 'attribute_not_exists(id)' }),
          )
        },
      ),
    ],
    [
      'list: five times Query',
      await ratio(
        () => handlers.List(Object({}), lambdaContext('List')),
        () =>
          Promise.all(
            shelves.map((shelf) =>
              database.send(
                new QueryCommand({
                  TableName,
                  IndexName: 'byDateAdded',
                  KeyConditionExpression: 'shelf = :shelf',
                  ExpressionAttributeValues: { ':shelf': shelf },
                  ScanIndexForward: false,
                  Limit: 10,
                }),
              ),
            ),
          ),
      ),
    ],
  ])
}
