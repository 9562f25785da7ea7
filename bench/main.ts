/** `npm run bench` measures the service with collections of several sizes, and writes bench/results.md. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { configOf, createTable, startDynalite } from '../infra/local/localDatabase.ts'
import { handlersOf, startServer } from '../infra/local/server.ts'
import { openStore } from '../shared/store/store.ts'
import { itemsOf, load } from '../test/support/access.ts'
import { meter, unitsFor } from '../test/support/meter.ts'
import { numberedJoke, numberedJokes } from '../test/support/numberedJoke.ts'

const SIZES = [1_000, 10_000, 50_000]
const TABLE = 'Jokes'
const ROUNDS = 200
const RESULTS = 'bench/results.md'

/** The kinds of listings. The words are in a certain share of the jokes, see `numberedJoke`. */
const LISTINGS: Record<string, Record<string, string>> = {
  'all, by date': {},
  'all, by votes': { sortBy: 'thumbsUp' },
  'of a category': { category: 'School' },
  'one at random': { sortBy: 'random', numberofJokes: '1' },
  'search that finds 3': { searchString: 'three' },
  'search that finds 300': { searchString: 'hundreds' },
  'search that finds 80 %, by votes': { searchString: 'chicken', sortBy: 'thumbsUp' },
  'search that finds none': { searchString: 'nothing' },
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

Measured on ${machine}, shared with other work, with Node.js ${process.versions.node} and an embedded database in memory. Each
time is the median of ${ROUNDS} requests, one after the other, over HTTP on the same machine. Capacity units are computed from
the size of an item: a write of a joke counts in the table and in its index.

${[head, row(['---', ...SIZES.map(() => '---:')]), ...rows].join('\n')}
`
  writeFileSync(RESULTS, text)
  console.log(text)
  process.exit()
}

/** Measures a collection of so many jokes. Returns texts by the names of their rows. */
async function measure(size: number): Promise<Record<string, string>> {
  const database = await startDynalite(undefined, console.error)
  const config = configOf(database.endpoint)
  await createTable(TABLE, config)
  const store = openStore({ jokesTable: TABLE }, config)
  await load(store, numberedJokes(size))
  const cold = await measureLoad(database.endpoint)
  const server = await startServer(Promise.resolve(handlersOf(store)), 0, () => {})
  const used = meter(store.database)
  const request = async (path: string, init?: RequestInit) =>
    (await fetch(`http://127.0.0.1:${server.port}${path}`, init)).arrayBuffer()
  const list = (query: Record<string, string>) => request(`/joke?${new URLSearchParams(query)}`)
  await list({})
  // Refreshes read the changes of the last two seconds again.
  await setTimeout(2_500)

  const results: Record<string, string> = {
    'load of a cold function, ms': cold.milliseconds.toFixed(0),
    'memory of a cold function, MB': cold.megabytes.toFixed(0),
  }
  for (const [name, query] of Object.entries(LISTINGS))
    results[`${name}, ms`] = await median(async () => void (await list(query)))
  let number = size
  results['create, ms'] = await median(() => {
    const { joke, punchline, category } = numberedJoke(number++)
    return request('/joke', { method: 'POST', body: JSON.stringify({ joke, punchline, category }) })
  })
  const { id } = numberedJoke(0)
  results['thumbsUp, ms'] = await median(() => request(`/thumbsUp/${id}`, { method: 'POST' }))
  // After a pause, a listing reads only what has changed.
  await setTimeout(2_500)
  await list({})
  await setTimeout(2_500)
  used()
  await list({})
  results['calls of a listing'] = String(used().calls)
  await request(`/thumbsUp/${id}`, { method: 'POST' })
  results['calls of thumbsUp'] = String(used().calls)
  const item = (await itemsOf(store)).find((each) => each.id === id) ?? {}
  results['write units of create'] = String(unitsFor(item).created)
  results['write units of thumbsUp'] = String(unitsFor(item).upvoted)
  await server.stop()
  await database.stop()
  return results
}

/** Returns the median of the milliseconds that the work takes, as a text. */
async function median(work: () => Promise<unknown>): Promise<string> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now()
    await work()
    times.push(performance.now() - start)
  }
  return (times.toSorted((a, b) => a - b)[ROUNDS / 2] ?? 0).toFixed(1)
}

interface Load {
  milliseconds: number
  megabytes: number
}

/** Loads all jokes in a new process. */
async function measureLoad(databaseEndpoint: string): Promise<Load> {
  const child = fork(import.meta.filename, { env: { ...process.env, endpoint: databaseEndpoint } })
  const [measured] = await once(child, 'message')
  return measured
}

/** Loads all jokes, and sends what it took to the parent process. */
async function loadOnce(databaseEndpoint: string): Promise<void> {
  const store = openStore({ jokesTable: TABLE }, configOf(databaseEndpoint))
  const start = performance.now()
  await store.cache.current()
  const measured: Load = { milliseconds: performance.now() - start, megabytes: process.memoryUsage().rss / 2 ** 20 }
  process.send?.(measured)
  process.exit()
}
