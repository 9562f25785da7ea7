/** Measures `npm start` under a mix of requests. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { numberedJoke } from '../test/support/numberedJoke.ts'
import { circumstances, median, report, table } from './bench.ts'

const CONNECTIONS = 32
const JOKES = 1_000
/** Interval of memory samples. */
const SAMPLE_MS = 1_000

const LISTINGS = [
  '',
  '?category=School',
  '?sortBy=thumbsUp',
  '?sortBy=random',
  '?searchString=chicken',
  '?searchString=thirty',
  '?searchString=nothing',
  '?numberofJokes=5',
]

/** Sends 80 % listings, 15 % upvotes and 5 % creates for some seconds. */
export async function measureLoad(seconds: number, isWritten: boolean): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'jokes-'))
  const service = spawn(process.execPath, ['infra/local/serviceMain.ts'], {
    env: { PATH: process.env.PATH, PORT: '0', DATA_DIR: join(data, 'data') },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(service.stdout, 'data')
  service.stdout.resume()
  const url = /http:\S+/.exec(String(line))?.[0] ?? ''

  for (let number = 0; number < JOKES; number++) await fetch(`${url}/joke`, { method: 'POST', body: bodyOf(number) })
  const memory: number[] = []
  const sampler = setInterval(() => memory.push(residentMegabytes(service.pid)), SAMPLE_MS)
  const result = await autocannon({ url, connections: CONNECTIONS, duration: seconds, requests: REQUESTS })
  clearInterval(sampler)
  service.kill('SIGINT')
  await once(service, 'exit')
  rmSync(data, { recursive: true })

  report('Under load', textOf(seconds, result, memory), isWritten)
  if (result.errors + result.non2xx > 0) process.exitCode = 1
}

/** What each connection sends in turn: 16 listings, 3 upvotes, 1 new joke. */
const REQUESTS: autocannon.Request[] = [
  ...[...LISTINGS, ...LISTINGS].map((query): autocannon.Request => ({ method: 'GET', path: `/joke${query}` })),
  ...Array<autocannon.Request>(3).fill({
    method: 'POST',
    setupRequest: (request) => ({ ...request, path: `/thumbsUp/${numberedJoke(next() % JOKES).id}` }),
  }),
  { method: 'POST', path: '/joke', setupRequest: (request) => ({ ...request, body: bodyOf(JOKES + next()) }) },
]

let counter = 0
function next(): number {
  return counter++
}

function bodyOf(number: number): string {
  const { joke, punchline, category } = numberedJoke(number)
  return JSON.stringify({ joke, punchline, category })
}

/** Resident memory of a process; Linux only. */
function residentMegabytes(pid: number | undefined): number {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1])
  return (pages * 4_096) / 2 ** 20
}

function textOf(seconds: number, { requests, latency, errors, non2xx }: autocannon.Result, memory: number[]): string {
  const minute = 60_000 / SAMPLE_MS
  const minutes = Array.from({ length: Math.ceil(memory.length / minute) }, (_, index) =>
    memory.slice(index * minute, (index + 1) * minute),
  )
  return `Made by \`npm run bench -- load ${seconds} --write\`: 80 % listings and searches, 15 % upvotes and 5 % creates, by ${CONNECTIONS} connections for ${seconds} s, against \`npm start\` with dynalite on disk. ${circumstances('dynalite')}.

${table(
  ['', ''],
  [
    ['requests', requests.total.toLocaleString('en')],
    ['responses other than 2xx, and connection errors', non2xx + errors],
    ['requests a second, mean', requests.average.toFixed(0)],
    ['response time, median', `${latency.p50} ms`],
    ['response time, 99th percentile', `${latency.p99} ms`],
  ],
)}

Median memory of the process in each minute. It includes the database, which grows by one joke for every 20 requests.

${table(
  ['minute', 'MB'],
  minutes.map((samples, index) => [index + 1, median(samples).toFixed(0)]),
)}
`
}
