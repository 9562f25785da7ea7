/** The shared parts of the benchmarks: a service to measure, statistics and reports. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { configOf, createTables, startDynalite } from '../infra/local/localDatabase.ts'
import { type Handlers, handlersOf, startServer } from '../infra/local/server.ts'
import type { Joke } from '../shared/joke.ts'
import type { IndexEntry } from '../shared/store/indexEntries.ts'
import { LIMITS, type Limits } from '../shared/store/limits.ts'
import { openStore, type Store } from '../shared/store/store.ts'
import { emptyTables, load } from '../test/support/access.ts'
import { isDynoxideInstalled, startDynoxide } from '../test/support/dynoxide.ts'
import { writeExport } from './export.ts'

export interface Bench {
  url: string
  handlers: Handlers
  store: Store
  /** Replaces all jokes by the first `size` of `jokeOf`, with the wanted index entries, by default all. */
  fill(size: number, jokeOf: (number: number) => Joke, isWanted?: (entry: IndexEntry) => boolean): Promise<void>
  stop(): Promise<void>
}

const TABLES = { jokesTable: 'Jokes', wordsTable: 'JokeWords' }

/** Long time limits, so that a busy machine does not end a request before its units are counted. */
const PATIENT: Limits = { ...LIMITS, attemptMs: 600_000, operationMs: 600_000, readExistingMs: 600_000 }

/** Starts the service with an empty database in memory: dynoxide, if it is installed. */
export async function startBench(): Promise<Bench> {
  let database: { endpoint: string; port?: number; stop: () => Promise<void> } = isDynoxideInstalled
    ? await startDynoxide()
    : await startDynalite(undefined, console.error)
  const config = configOf(database.endpoint)
  await createTables(TABLES, config)
  const store = openStore(TABLES, config, PATIENT)
  const handlers = handlersOf(store)
  const server = await startServer(Promise.resolve(handlers), 0, () => {})
  return {
    url: `http://127.0.0.1:${server.port}`,
    handlers,
    store,
    fill: async (size, jokeOf, isWanted) => {
      if (database.port === undefined) {
        await emptyTables(store)
        const jokes = Array.from({ length: size }, (_, number) => jokeOf(number))
        return load(store, jokes, isWanted)
      }
      const folder = mkdtempSync(join(tmpdir(), 'export-'))
      await writeExport(store, folder, size, jokeOf, isWanted)
      await database.stop()
      database = await startDynoxide(database.port, folder)
      rmSync(folder, { recursive: true })
    },
    stop: async () => {
      await server.stop()
      await database.stop()
    },
  }
}

/** Machine and versions, as a sentence without its full stop. */
export function circumstances(): string {
  const engine = isDynoxideInstalled ? '@dynoxide/linux-x64' : 'dynalite'
  const memory = Math.round(totalmem() / 2 ** 30)
  return [
    `Measured on ${cpus().length} cores of ${cpus()[0]?.model.trim()} with ${memory} GiB of memory, shared with other work`,
    `Node.js ${process.versions.node}, ${engine} ${versionOf(engine)}, AWS SDK ${versionOf('@aws-sdk/client-dynamodb')}`,
  ].join('; ')
}

const FILE = 'docs/measurements.md'

/** Prints a section of {@link FILE}, or replaces it there. */
export function report(title: string, body: string, isWritten: boolean): void {
  const section = `## ${title}\n\n${body.trim()}\n`
  if (!isWritten) {
    console.log(section)
    return
  }
  const sections = readFileSync(FILE, 'utf8').split(/^(?=## )/m)
  const index = sections.findIndex((text) => text.startsWith(`## ${title}\n`))
  sections.splice(index < 0 ? sections.length : index, 1, section)
  writeFileSync(FILE, `${sections.map((text) => text.trim()).join('\n\n')}\n`)
  console.log(`${FILE} has the results.`)
}

/** The middle value, or the lower of the two middle values. */
export function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length / 2) - 1] ?? Number.NaN
}

/** CPU milliseconds of this process until the work is done. They include dynalite, but not dynoxide. */
export async function cpuTime(work: () => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1_000
}

/** A Markdown table. All columns but the first are aligned to the right. */
export function table(head: string[], rows: (string | number)[][]): string {
  const line = (cells: (string | number)[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, column) => (column === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n')
}

function versionOf(name: string): string {
  const file = new URL(`../node_modules/${name}/package.json`, import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8')).version
}
