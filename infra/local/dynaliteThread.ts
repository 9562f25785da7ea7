/** Runs dynalite, an embedded DynamoDB, in a worker thread, where its work does not block the service. */
import { once } from 'node:events'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import dynalite from 'dynalite'
import { Level } from 'level'
import { rebuildIndexes } from './repair.ts'
import { inUseFile } from './startup.ts'

const folder: string | undefined = workerData.folder
/** Exists while the database is open, and therefore also after a crash. */
const inUse = folder && inUseFile(folder)

if (folder && inUse) {
  // Opens the folder first, to report why it cannot be opened: dynalite opens it at the first request, and then
  // crashes without saying why.
  const level = new Level<string, unknown>(folder)
  await level.open()
  if (existsSync(inUse)) await rebuildIndexes(level)
  writeFileSync(inUse, '')
  letIteratorsReturn(level)
  await level.close()
}
const server = dynalite({ path: folder, createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 })
parentPort?.on('message', () =>
  server.close(() => {
    if (inUse) rmSync(inUse)
    parentPort?.close()
  }),
)
server.listen(workerData.port, workerData.host)
await once(server, 'listening')
parentPort?.postMessage(server.address())

/** Adds `return` to LevelDB's iterators: dynalite calls it to close them, and would leave each one open without it. */
function letIteratorsReturn(level: Level<string, unknown>): void {
  for (const iterator of [level.keys(), level.values()]) {
    Object.getPrototypeOf(iterator).return = function close(this: typeof iterator) {
      return this.close()
    }
  }
}
