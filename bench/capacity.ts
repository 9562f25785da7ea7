/** How many requests a second DynamoDB's partitions allow, and which requests slow down others. */
import { type FunctionName, mapFunctions } from '../infra/routes.ts'
import { rateOf } from '../infra/service/jokeApi.ts'
import { readSettings } from '../infra/settings.ts'
import { CATEGORIES, type Joke } from '../shared/joke.ts'
import { withApp } from '../test/support/app.ts'
import { invoke } from '../test/support/invoke.ts'
import { longestJoke } from '../test/support/longestJokes.ts'
import { numberedJoke } from '../test/support/numberedJoke.ts'
import { type Bench, circumstances, report, startBench, table } from './bench.ts'
import { ALLOWED, Partitions, type Share } from './partitions.ts'

/** Requests of one kind. */
interface Kind {
  name: string
  route: FunctionName
  event(number: number): object
}

/** A kind of request, and how many arrive a second. */
interface Flow {
  kind: Kind
  rate: number
}

/** The share of requests that were answered, by the name of their kind. */
type Answered = Map<string, number>

/** Virtual seconds of each run. The first half second does not count: partitions still have unused capacity. */
const SECONDS = 2
const UNCOUNTED_SECONDS = 0.5

/** How many requests the average units are measured with. */
const SAMPLE = 20

const USUAL = 15_000
/** The longest jokes are older than all others. */
const LONGEST = 250

/** The routes' default throttles, requests a second. */
const SETTINGS = withApp({}, (app) => readSettings(app.node))
const THROTTLES = mapFunctions((name) => rateOf(name, SETTINGS))

const MOST = { numberofJokes: '250' }
const KINDS = {
  newest: listing('list, the newest', {}),
  popular: listing('list by thumbsUp', { sortBy: 'thumbsUp' }),
  category: listing('list, one category', { category: 'School' }),
  random: listing('random', { sortBy: 'random' }),
  rare: listing('search, 3 found', { searchString: 'three' }),
  common: listing('search, 4 in 5 match', { searchString: 'chicken' }),
  upvotes: upvote('upvote', (number) => jokeOf((number * 7) % USUAL)),
  categoryUpvotes: upvote('upvote, one category', (number) => jokeOf(ofSchool(number) % USUAL)),
  creates: create('create', (number) => numberedJoke(number, ['about'])),
} satisfies Record<string, Kind>

/** Usual traffic beside the offenders, some of it on the same partitions. */
const OTHERS: Flow[] = [
  { kind: KINDS.newest, rate: 30 },
  { kind: KINDS.popular, rate: 10 },
  { kind: KINDS.category, rate: 10 },
  { kind: KINDS.rare, rate: 10 },
  { kind: KINDS.common, rate: 10 },
  { kind: KINDS.upvotes, rate: 20 },
  { kind: { ...KINDS.categoryUpvotes, name: 'upvote, that category' }, rate: 10 },
  { kind: KINDS.creates, rate: 3 },
]

/** What somebody would send to keep others from being answered. */
const OFFENDERS: Kind[] = [
  listing('random, 250', { sortBy: 'random', ...MOST }),
  listing('search, one letter, 250', { searchString: 'c', ...MOST }),
  listing('search, two common words, never both', { searchString: 'chicken duck', ...MOST }),
  listing('search by thumbsUp, 300 without votes', { searchString: 'elk', sortBy: 'thumbsUp', ...MOST }),
  listing('search at random, two common words, never both', {
    searchString: 'chicken duck',
    sortBy: 'random',
  }),
  listing('list, 250 of the longest', { sortOrder: 'asc', ...MOST }),
  ofLongest('by date', { sortBy: 'dateAdded', sortOrder: 'asc' }),
  ofLongest('by thumbsUp', { sortBy: 'thumbsUp', sortOrder: 'asc' }),
  ofLongest('by thumbsDown', { sortBy: 'thumbsDown', sortOrder: 'asc' }),
  ofLongest('at random', { sortBy: 'random' }),
  upvote('upvote, one joke', () => jokeOf(2)),
  upvote('upvote of the longest, one category', (number) => jokeOf(USUAL + (ofSchool(number) % LONGEST))),
  create('create, most words', (number) => longestJoke('most words, of ASCII', number)),
  create('create, most words with the same two letters', (number) =>
    longestJoke('most words with the same two letters', number),
  ),
]

/** Simulates usual and unusual traffic. */
export async function measureCapacity(isWritten: boolean): Promise<void> {
  const mixed = await simulate((number) => jokeOf(number))
  const lopsided = await simulate((number) => ({ ...jokeOf(number), category: 'School' }))
  report('How many requests a second', textOf(mixed, lopsided), isWritten)
}

type Row = (string | number)[]

/** What was answered with one collection: of usual traffic at all throttles, and beside each offender. */
interface Simulated {
  alone: Row[]
  usual: Answered
  beside: Row[]
}

async function simulate(joke: (number: number) => Joke): Promise<Simulated> {
  const bench = await startBench()
  await bench.fill(USUAL + LONGEST, joke)
  const categories = new Map<string, string>()
  for (let number = 0; number < USUAL + LONGEST; number++) {
    const { id, category } = joke(number)
    categories.set(id, category)
  }
  const partitions = new Partitions(bench.store, (id) => categories.get(id))
  // The service logs every request that is throttled.
  const { error } = console
  console.error = () => {}
  const alone: Row[] = []
  for (const kind of [...Object.values(KINDS), ...OFFENDERS]) {
    const { partition, units, kind: of } = await busiestShare(bench, partitions, kind)
    alone.push([kind.name, partition, round(units), whole(ALLOWED[of] / units)])
  }
  const usual = await run(bench, partitions, [
    { kind: KINDS.newest, rate: THROTTLES.List },
    { kind: KINDS.upvotes, rate: THROTTLES.ThumbsUp },
    { kind: KINDS.creates, rate: THROTTLES.Create },
  ])
  const beside: Row[] = []
  for (const kind of OFFENDERS) {
    const rate = THROTTLES[kind.route]
    const answered = await run(bench, partitions, [...OTHERS, { kind, rate }])
    beside.push([kind.name, rate, percent(answered.get(kind.name)), leastOf(answered)])
    console.log(beside.at(-1)?.join(' | '))
  }
  console.error = error
  await bench.stop()
  return { alone, usual, beside }
}

function jokeOf(number: number): Joke {
  // 300 jokes that no request of this benchmark upvotes.
  const isUnpopular = number % 7 === 0 && number >= 7_000 && number < 9_100
  if (number < USUAL) return numberedJoke(number, isUnpopular ? ['elk'] : [])
  const dateAdded = new Date(Date.parse('2025-01-01T00:00:00Z') + number * 60_000).toISOString()
  return { ...longestJoke('Han, 3 bytes each', number), thumbsUp: 0, dateAdded }
}

function listing(name: string, queryStringParameters: Record<string, string>): Kind {
  return { name, route: 'List', event: () => ({ queryStringParameters }) }
}

function ofLongest(order: string, query: Record<string, string>): Kind {
  return listing(`list, 250 of the longest in one category, ${order}`, { category: 'School', ...query, ...MOST })
}

function upvote(name: string, joke: (number: number) => Joke): Kind {
  return { name, route: 'ThumbsUp', event: (number) => ({ pathParameters: { id: joke(number).id } }) }
}

function create(name: string, joke: (number: number) => Joke): Kind {
  return {
    name,
    route: 'Create',
    event: () => {
      const { joke: leadIn, punchline, category } = joke(FIRST_NEW + created++)
      return { body: JSON.stringify({ joke: leadIn, punchline, category }) }
    },
  }
}

/** The number of the nth joke of the category School. */
function ofSchool(number: number): number {
  return number * CATEGORIES.length + CATEGORIES.indexOf('School')
}

/** The number of the first new joke. */
const FIRST_NEW = 1_000_000_000
let created = 0

/** The partition that requests of one kind exhaust first, and the units that one of them takes from it on average. */
async function busiestShare({ handlers }: Bench, partitions: Partitions, { route, event }: Kind): Promise<Share> {
  const sums = new Map<string, Share>()
  for (let number = 0; number < SAMPLE; number++) {
    // A minute apart, so that nothing is throttled.
    const { shares } = await partitions.run(number * 60_000, () => invoke(handlers, route, event(number)))
    for (const share of shares) {
      const key = `${share.partition} ${share.kind}`
      sums.set(key, { ...share, units: (sums.get(key)?.units ?? 0) + share.units / SAMPLE })
    }
  }
  partitions.reset()
  const [busiest] = [...sums.values()].toSorted(
    (one, other) => other.units / ALLOWED[other.kind] - one.units / ALLOWED[one.kind],
  )
  if (busiest === undefined) throw new Error('No units were used.')
  return busiest
}

/** Sends the requests of all flows, evenly spread over virtual time. */
async function run({ handlers }: Bench, partitions: Partitions, flows: Flow[]): Promise<Answered> {
  const arrivals: { kind: Kind; number: number; time: number }[] = []
  for (const { kind, rate } of flows)
    for (let number = 0; number < Math.floor(SECONDS * rate); number++)
      arrivals.push({ kind, number, time: (number / rate) * 1_000 })
  arrivals.sort((one, other) => one.time - other.time)
  const counts = new Map(flows.map(({ kind }) => [kind.name, { sent: 0, answered: 0 }]))
  partitions.reset()
  // In sequence, so that each run has the same result.
  for (const { kind, number, time } of arrivals) {
    const { result, isThrottled } = await partitions.run(time, () => invoke(handlers, kind.route, kind.event(number)))
    const count = counts.get(kind.name)
    if (count === undefined || time < UNCOUNTED_SECONDS * 1_000) continue
    count.sent += 1
    if (result.statusCode < 500) count.answered += 1
    else if (!isThrottled) throw new Error(`"${kind.name}" failed.`)
  }
  return new Map(Array.from(counts, ([name, { sent, answered }]) => [name, answered / sent]))
}

/** The kind of usual requests with the fewest answers. */
function leastOf(answered: Answered): string {
  const others = OTHERS.map(({ kind }): [string, number] => [kind.name, answered.get(kind.name) ?? Number.NaN])
  const [[name, least] = ['', Number.NaN]] = others.toSorted(([, one], [, other]) => one - other)
  return least === 1 ? 'all' : `${percent(least)} of "${name}"`
}

function percent(part = Number.NaN): string {
  return `${Math.floor(part * 100)} %`
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}

function whole(value: number): string {
  return Math.floor(value).toLocaleString('en')
}

function textOf(mixed: Simulated, lopsided: Simulated): string {
  const { Create, List, ThumbsUp } = THROTTLES
  const usual = (answered: Answered) => Array.from(answered, ([name, part]) => [name, percent(part)])
  const others = OTHERS.map(({ kind, rate }) => `${rate} × ${kind.name}`).join(', ')
  return `Made by \`npm run bench -- capacity --write\`. ${circumstances()}.

A partition of DynamoDB allows ${whole(ALLOWED.read)} read and ${whole(ALLOWED.written)} write units a second. This simulation gives each partition key value its own partition: each category in two indexes, each state, each list in \`JokeWords\`, each joke. DynamoDB itself puts several values on one partition while there is little data, and splits a partition that stays hot, even within one value. So the figures show a sudden rush, before DynamoDB splits anything. A new on-demand table allows 4,000 write and 12,000 read units a second in all, and doubles this with use.

Between the service and a local DynamoDB, \`bench/partitions.ts\` subtracts the units of each call from its partitions, as the engine counts them. When a partition has none left, it throws \`ProvisionedThroughputExceededException\`, or leaves rows of a batch unprocessed. The service retries as in production. Time is virtual, so the speed of the machine does not matter: each request has a fixed arrival time, a retry comes later by the service's average wait, and partitions refill by these times. Each run lasts ${SECONDS} virtual seconds; the first ${UNCOUNTED_SECONDS} do not count. The collection has ${whole(USUAL)} usual jokes and ${LONGEST} of the longest, with 2,000 Han characters.

### One kind of request alone

The partition that a kind of request exhausts first, the units that one request takes from it on average, and how many requests a second it allows.

${table(['request', 'exhausted first', 'its units', 'a second'], mixed.alone)}

### All routes at their throttles

${List} listings of the newest 25 jokes, ${ThumbsUp} upvotes and ${Create} new jokes a second, all of usual length, in all categories, and with all jokes in one category:

${table(['request', 'answered'], usual(mixed.usual))}

${table(['request, one category', 'answered'], usual(lopsided.usual))}

### Requests that take capacity from others

What somebody would send to keep others from being answered, at the throttle of its route, in addition to usual traffic: ${others} a second. The columns show how many of these requests were answered, and which of the usual ones had the fewest answered.

${table(['request', 'a second', 'answered', 'others'], mixed.beside)}

The same with all jokes in one category:

${table(['request', 'a second', 'answered', 'others'], lopsided.beside)}
`
}
