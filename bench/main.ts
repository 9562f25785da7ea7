/** `npm run bench` measures the service with collections of several sizes, and writes bench/results.md. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { configOf, createTable, startDynalite } from '../infra/local/localDatabase.ts'
import { handlersOf, startServer } from '../infra/local/server.ts'
import { CACHE } from '../shared/store/limits.ts'
import { openStore } from '../shared/store/store.ts'
import { putJokes } from '../test/support/access.ts'
import { jokeOf } from '../test/support/numberedJoke.ts'
import { encodedSite } from '../web/site.ts'

const SIZES = [1_000, 10_000, 50_000]
const TABLE = 'Jokes'
const ROUNDS = 200
const ROUNDS_AFTER_WRITE = 50
const RESULTS = 'bench/results.md'

/** The words of the jokes. As in real texts, the word of rank 10 is ten times as rare as the first one. */
const WORDS = 30_000
const WORDS_OF_SETUP = 14
const WORDS_OF_PUNCHLINE = 7

/** The kinds of listings. */
const LISTINGS: Record<string, Record<string, string>> = {
  'all, by date': {},
  'all, by votes': { sortBy: 'thumbsUp' },
  'of a category': { category: 'School' },
  'one at random': { sortBy: 'random', numberofJokes: '1' },
  'search for a rare word': { searchString: wordOf(20_000) },
  'search for the most common word, by votes': { searchString: wordOf(0), sortBy: 'thumbsUp' },
}

const { endpoint = '' } = process.env
if (endpoint) await loadOnce(endpoint)
else await main()

async function main(): Promise<void> {
  const columns: Record<string, string>[] = []
  for (const size of SIZES) columns.push(await measure(size))
  const names = Object.keys(columns[0] ?? {})
  const row = (cells: string[]) => `| ${cells.join(' | ')} |`
  const head = row(['', ...SIZES.map((size) => `${size.toLocaleString('en')} jokes`)])
  const rows = names.map((name) => row([name, ...columns.map((column) => column[name] ?? '')]))
  const machine = `${cpus().length} cores of ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB`
  const text = `# Results of \`npm run bench\`

Measured on ${machine}, shared with other work, with Node.js ${process.versions.node} and an embedded database in memory. A cold
load, measured once, reads all jokes in a new process. Each other time is the median of ${ROUNDS} requests over HTTP, one after the
other, or after a write, of ${ROUNDS_AFTER_WRITE} listings. The words of the jokes have a Zipf distribution.

${[head, row(['---', ...SIZES.map(() => '---:')]), ...rows].join('\n')}
`
  writeFileSync(RESULTS, text)
  console.log(text)
  process.exit()
}

/** Measures a collection of so many jokes. Returns texts by the names of their rows. */
async function measure(size: number): Promise<Record<string, string>> {
  const database = await startDynalite()
  const config = configOf(database.endpoint)
  await createTable(TABLE, config)
  const store = openStore({ jokesTable: TABLE }, config)
  const jokes = Array.from({ length: size }, (_, number) => jokeOf(textOf(number), number))
  await putJokes(store, jokes)
  const results = await measureLoad(database.endpoint)
  const server = await startServer(handlersOf(store, encodedSite), 0, () => {})
  const request = async (path: string, init?: RequestInit) =>
    (await fetch(`http://127.0.0.1:${server.port}${path}`, init)).arrayBuffer()
  const list = (query: Record<string, string>) => request(`/joke?${new URLSearchParams(query)}`)
  await list({})
  // Refreshes read the changes of the last ten seconds again.
  await setTimeout(CACHE.rereadMs + 500)

  const { id = '' } = jokes[0] ?? {}
  const upvote = () => request(`/thumbsUp/${id}`, { method: 'POST' })
  for (const [name, query] of Object.entries(LISTINGS)) {
    const idle = await median(ROUNDS, () => list(query))
    results[`${name}, ms: idle, after a write`] =
      `${idle}, ${await median(ROUNDS_AFTER_WRITE, () => list(query), upvote)}`
  }
  await server.stop()
  database.stop()
  return results
}

/** Returns the median of the milliseconds that the work takes, without what comes before it. */
async function median(
  rounds: number,
  work: () => Promise<unknown>,
  before: () => Promise<unknown> = async () => undefined,
): Promise<string> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    await before()
    const start = performance.now()
    await work()
    times.push(performance.now() - start)
  }
  return (times.toSorted((a, b) => a - b)[rounds / 2] ?? 0).toFixed(1)
}

/** Returns a text of words whose frequencies are those of their ranks. */
function textOf(number: number): { joke: string; punchline: string } {
  let state = number
  const word = () => {
    // A linear congruential generator. The inverse of the distribution is an exponential function.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return wordOf(Math.floor(WORDS ** (state / 2 ** 32)) - 1)
  }
  const words = (count: number) => Array.from({ length: count }, word).join(' ')
  return { joke: `${words(WORDS_OF_SETUP)} ${number}?`, punchline: `${words(WORDS_OF_PUNCHLINE)}.` }
}

/** Returns the word of a rank: letters that no word of another rank begins with. */
function wordOf(rank: number): string {
  return `${Array.from(rank.toString(26), (digit) => String.fromCharCode(97 + Number.parseInt(digit, 26))).join('')}qu`
}

/** Loads all jokes in a new process. Returns texts by the names of their rows. */
async function measureLoad(databaseEndpoint: string): Promise<Record<string, string>> {
  const child = fork(import.meta.filename, { env: { ...process.env, endpoint: databaseEndpoint } })
  const [measured] = await once(child, 'message')
  return measured
}

/** Loads all jokes, and sends what it took to the parent process. */
async function loadOnce(databaseEndpoint: string): Promise<void> {
  const store = openStore({ jokesTable: TABLE }, configOf(databaseEndpoint))
  const [start, cpu] = [performance.now(), process.cpuUsage()]
  await store.cache.current()
  const { user, system } = process.cpuUsage(cpu)
  process.send?.({
    'cold load, ms': (performance.now() - start).toFixed(0),
    'CPU of a cold load, ms': ((user + system) / 1_000).toFixed(0),
    'memory after a cold load, MB': (process.memoryUsage().rss / 2 ** 20).toFixed(0),
  })
  process.exit()
}
