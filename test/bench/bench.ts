/** Shared by the benchmarks: a service to measure, statistics, and Markdown tables. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { DeleteTableCommand, DynamoDBClient, waitUntilTableNotExists } from '@aws-sdk/client-dynamodb'
import { createTables, LOCAL_ENVIRONMENT, startDynalite } from '../../infra/local/localDatabase.ts'
import { type Handlers, loadHandlers, startServer } from '../../infra/local/server.ts'
import type { Joke } from '../../shared/joke.ts'
import { load } from '../support/access.ts'
import { isDynoxideInstalled, startDynoxide } from '../support/dynoxide.ts'
import { writeExport } from './export.ts'

export interface Bench {
  url: string
  handlers: Handlers
  /** Replaces all jokes by the first `size` of `jokeOf`. */
  fill(size: number, jokeOf: (number: number) => Joke): Promise<void>
  stop(): Promise<void>
}

/** Starts the service with an empty database in memory: dynoxide if it is installed, else dynalite. */
export async function startBench(): Promise<Bench> {
  const engine = isDynoxideInstalled ? await fillableDynoxide() : await fillableDynalite()
  Object.assign(process.env, LOCAL_ENVIRONMENT, { AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint })
  await createTables()
  const handlers = await loadHandlers()
  const server = await startServer(Promise.resolve(handlers), 0, () => {})
  return {
    url: `http://127.0.0.1:${server.port}`,
    handlers,
    fill: engine.fill,
    stop: async () => {
      await server.stop()
      await engine.stop()
    },
  }
}

type Engine = Pick<Bench, 'fill' | 'stop'> & { endpoint: string }

async function fillableDynoxide(): Promise<Engine> {
  let dynoxide = await startDynoxide()
  const { endpoint, port } = dynoxide
  return {
    endpoint,
    fill: async (size, jokeOf) => {
      const folder = mkdtempSync(join(tmpdir(), 'export-'))
      await writeExport(folder, size, jokeOf)
      await dynoxide.stop()
      dynoxide = await startDynoxide(port, folder)
      rmSync(folder, { recursive: true })
    },
    stop: () => dynoxide.stop(),
  }
}

async function fillableDynalite(): Promise<Engine> {
  const { endpoint, stop } = await startDynalite(undefined, console.error)
  return {
    endpoint,
    fill: async (size, jokeOf) => {
      const client = new DynamoDBClient()
      for (const TableName of [LOCAL_ENVIRONMENT.JOKES_TABLE, LOCAL_ENVIRONMENT.WORDS_TABLE]) {
        await client.send(new DeleteTableCommand({ TableName }))
        await waitUntilTableNotExists({ client, maxWaitTime: 60 }, { TableName })
      }
      client.destroy()
      await createTables()
      await load(Array.from({ length: size }, (_, number) => jokeOf(number)))
    },
    stop,
  }
}

/** Machine and versions, as a sentence without the full stop. */
export function circumstances(engine = isDynoxideInstalled ? '@dynoxide/linux-x64' : 'dynalite'): string {
  const memory = Math.round(totalmem() / 2 ** 30)
  return [
    `Measured on ${cpus().length} cores of ${cpus()[0]?.model.trim()} with ${memory} GiB of memory, shared with other work`,
    `Node.js ${process.versions.node}, ${engine} ${versionOf(engine)}, AWS SDK ${versionOf('@aws-sdk/client-dynamodb')}`,
  ].join('; ')
}

export function median(values: number[]): number {
  return percentile(values, 50)
}

/** The smallest value that `percent` % of the values do not exceed. */
export function percentile(values: number[], percent: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.ceil((percent / 100) * sorted.length) - 1] ?? Number.NaN
}

/** Milliseconds until some work is done. */
export async function time(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** CPU time of this process until some work is done, in milliseconds. */
export async function cpuTime(work: () => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1_000
}

/** A table in Markdown. */
export function table(head: string[], rows: (string | number)[][]): string {
  const line = (cells: (string | number)[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, column) => (column === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n')
}

function versionOf(name: string): string {
  const file = new URL(`../../node_modules/${name}/package.json`, import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8')).version
}
