/** `npm start`: the service on this machine, with a database that stays. */
import { CannotStart, createTables, LOCAL_ENVIRONMENT, startDynalite } from './database.ts'
import { type Handlers, loadHandlers, startServer } from './server.ts'

const { PORT = '3000', DATA_DIR = '.data', AWS_ENDPOINT_URL_DYNAMODB } = process.env

try {
  await start()
} catch (error) {
  fail(error)
}

async function start(): Promise<void> {
  if (!/^\d+$/.test(PORT) || Number(PORT) > 65_535) throw new CannotStart(`PORT must be a port number, not ${PORT}.`)
  // The port comes first, so that a second start by mistake does not get near the database of the first.
  const handlers = Promise.withResolvers<Handlers>()
  const server = await startServer(handlers.promise, Number(PORT), console.log)

  const database = AWS_ENDPOINT_URL_DYNAMODB ? undefined : await startDynalite(DATA_DIR, fail)
  const endpoint = AWS_ENDPOINT_URL_DYNAMODB || database?.endpoint
  Object.assign(process.env, { ...LOCAL_ENVIRONMENT, ...process.env, AWS_ENDPOINT_URL_DYNAMODB: endpoint })
  await createTables()
  handlers.resolve(await loadHandlers())
  let stopping = false
  const stop = async () => {
    // Ctrl-C reaches the process twice where npm hands it on.
    if (stopping) return
    stopping = true
    await server.stop()
    await database?.stop()
    process.exit()
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
  console.log(
    `Joke Service listens on http://localhost:${server.port} and keeps its jokes in ${database ? DATA_DIR : endpoint}.`,
  )
}

function fail(error: unknown): never {
  console.error(error instanceof CannotStart ? error.message : error)
  process.exit(1)
}
