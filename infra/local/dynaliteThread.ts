/** Runs dynalite, an embedded DynamoDB, in a worker thread, so that its work does not block the service. */
import { once } from 'node:events'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import dynalite from 'dynalite'
import { getIndexActions, type Table } from 'dynalite/db/index.js'
import { Level } from 'level'
import { inUseFile, urlOf } from './startup.ts'

const folder: string | undefined = workerData.folder
const host: string = workerData.host
/** A file that exists while the database is open, and after a crash. */
const inUse = folder && inUseFile(folder)

if (folder && inUse) {
  // This database stays open, so that only one of two processes that start at once gets the folder.
  await new Level(join(folder, 'LOCK.db')).open()
  // dynalite opens the folder at the first request, and crashes without a reason if it cannot. Opening the folder here
  // reports the reason.
  const level = new Level<string, unknown>(folder)
  await level.open()
  if (existsSync(inUse)) await rebuildIndexes(level)
  addReturnToIterators(level)
  await level.close()
}
const database = dynalite({ path: folder, createTableMs: 0 })
const server = createServer((request, response) => {
  if (isFromProgram(request)) database.emit('request', request, response)
  else response.writeHead(403).end('Web pages may not use this database.')
})
parentPort?.once('message', () => {
  server.close()
  database.close(() => {
    if (inUse) rmSync(inUse)
    process.exit()
  })
})
server.listen(workerData.port, host)
await once(server, 'listening')
const address = server.address()
if (address === null || typeof address === 'string') throw new Error('The database has no port.')
const endpoint = urlOf({ host, port: address.port })
// The operators' commands find the database by this file.
if (inUse) writeFileSync(inUse, endpoint)
parentPort?.postMessage({ endpoint })

/** Whether no web page sends the request. Browsers send `Origin`. After DNS rebinding, `Host` is the page's name. */
function isFromProgram({ headers }: IncomingMessage): boolean {
  const hostname = URL.parse(`http://${headers.host}`)?.hostname
  if (hostname === undefined) return false
  const isName = isIP(hostname.replace(/^\[|\]$/g, '')) === 0
  return headers.origin === undefined && (!isName || ['localhost', 'host.docker.internal', host].includes(hostname))
}

/** Adds `return` to LevelDB's iterators. dynalite calls it to close them, and would leave them open without it. */
function addReturnToIterators(level: Level<string, unknown>): void {
  for (const iterator of [level.keys(), level.values()]) {
    Object.getPrototypeOf(iterator).return = function close(this: typeof iterator) {
      return this.close()
    }
  }
}

/**
 * Rebuilds all indexes from the items. dynalite writes an item and its index rows one after the other, so a crash can
 * leave them inconsistent. In DynamoDB they become consistent by themselves, and the service relies on that.
 */
async function rebuildIndexes(level: Level<string, unknown>): Promise<void> {
  await level.clear(under('index-'))
  for await (const table of level.values<string, Table>({ ...under('table~'), valueEncoding: 'json' })) {
    const indexes = table.GlobalSecondaryIndexes ?? []
    if (indexes.length === 0) continue
    for await (const item of level.values({ ...under(`item-${table.TableName}~`), valueEncoding: 'json' })) {
      const { puts } = getIndexActions(indexes, null, item, table)
      const entries = puts.map(({ index, key, item }) => ({
        type: 'put' as const,
        key: `index-global~${table.TableName}~${index}~${key}`,
        value: item,
      }))
      await level.batch(entries, { valueEncoding: 'json' })
    }
  }
}

/** Returns the range of all keys with a prefix. */
function under(prefix: string) {
  return { gte: prefix, lt: `${prefix}\u{10ffff}` }
}
