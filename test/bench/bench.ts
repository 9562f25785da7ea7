/** What the benchmarks share: a service to measure, and how to tell the circumstances. */
import { readFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { DeleteTableCommand, DynamoDBClient, waitUntilTableNotExists } from '@aws-sdk/client-dynamodb'
import { createTables, LOCAL_ENVIRONMENT, startDynalite } from '../../infra/local/database.ts'
import { type Handlers, loadHandlers, startServer } from '../../infra/local/server.ts'
import { isDynoxideInstalled, startDynoxide } from '../support/dynoxide.ts'

export interface Bench {
  url: string
  handlers: Handlers
  /** Deletes all jokes. */
  empty(): Promise<void>
  stop(): Promise<void>
}

/** Starts the service over an empty database in memory: on dynoxide where it is installed, else on dynalite. */
export async function startBench(): Promise<Bench> {
  const database = isDynoxideInstalled ? await startDynoxide() : await startDynalite(undefined, console.error)
  Object.assign(process.env, LOCAL_ENVIRONMENT, { AWS_ENDPOINT_URL_DYNAMODB: database.endpoint })
  await createTables()
  const handlers = await loadHandlers()
  const server = await startServer(Promise.resolve(handlers), 0, () => {})
  return {
    url: `http://127.0.0.1:${server.port}`,
    handlers,
    empty: async () => {
      const client = new DynamoDBClient()
      for (const TableName of [LOCAL_ENVIRONMENT.JOKES_TABLE, LOCAL_ENVIRONMENT.WORDS_TABLE]) {
        await client.send(new DeleteTableCommand({ TableName }))
        await waitUntilTableNotExists({ client, maxWaitTime: 60 }, { TableName })
      }
      client.destroy()
      await createTables()
    },
    stop: async () => {
      await server.stop()
      await database.stop()
    },
  }
}

/** Machine and versions, in a sentence. */
export function circumstances(engine = isDynoxideInstalled ? '@dynoxide/linux-x64' : 'dynalite'): string {
  const memory = Math.round(totalmem() / 2 ** 30)
  return [
    `Measured on ${cpus().length} cores of ${cpus()[0]?.model.trim()} with ${memory} GiB of memory, shared with other work`,
    `Node.js ${process.versions.node}, ${engine} ${versionOf(engine)}, AWS SDK ${versionOf('@aws-sdk/client-dynamodb')}`,
  ].join('; ')
}

/** The value in the middle. */
export function median(values: number[]): number {
  return percentile(values, 50)
}

/** The value that so many per cent of all are not above. */
export function percentile(values: number[], percent: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.ceil((percent / 100) * sorted.length) - 1] ?? Number.NaN
}

/** Milliseconds that some work takes. */
export async function time(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
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
