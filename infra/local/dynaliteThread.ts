/** Runs dynalite, an embedded DynamoDB, in a thread of its own, so that its work does not hold up the service. */
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
  // Dynalite opens its folder only when first asked something, and dies without a reason where it cannot.
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

/** Dynalite ends reading by a method that its iterators do not have, and so keeps each of them open for ever. */
function letIteratorsReturn(level: Level<string, unknown>): void {
  for (const iterator of [level.keys(), level.values()]) {
    Object.getPrototypeOf(iterator).return = function close(this: typeof iterator) {
      return this.close()
    }
  }
}
