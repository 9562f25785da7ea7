/** Runs dynalite, an embedded DynamoDB, in a thread of its own, so that its work does not hold up the service. */
import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import dynalite from 'dynalite'

const server = dynalite({ path: workerData.path, createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 })
parentPort?.on('message', () => server.close(() => parentPort?.close()))
server.listen(workerData.port ?? 0, '127.0.0.1')
await once(server, 'listening')
parentPort?.postMessage(server.address())
