/** Runs dynalite, an embedded DynamoDB, in a thread of its own, so that its work does not hold up the service. */
import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import dynalite from 'dynalite'
import { Level } from 'level'

if (workerData.folder !== undefined) {
  // Dynalite opens its folder only when first asked something, and dies without a reason where it cannot.
  const level = new Level(workerData.folder)
  await level.open()
  await level.close()
}
const server = dynalite({ path: workerData.folder, createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 })
parentPort?.on('message', () => server.close(() => parentPort?.close()))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
parentPort?.postMessage(server.address())
