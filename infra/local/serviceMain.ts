/** `npm start`: the service on this machine, with a database that stays. */
import { createTables, LOCAL_ENVIRONMENT, startDynalite } from './localDatabase.ts'
import { fail, readEnvironment, urlOf } from './startup.ts'
import { type Handlers, loadHandlers, startServer } from './server.ts'

try {
  await start()
} catch (error) {
  fail(error)
}

async function start(): Promise<void> {
  const { folder, ...address } = readEnvironment('3000')
  // The port comes first, so that a second start by mistake does not get near the database of the first.
  const handlers = Promise.withResolvers<Handlers>()
  const server = await startServer(handlers.promise, address.port, console.log, address.host)

  const { AWS_ENDPOINT_URL_DYNAMODB } = process.env
  const database = AWS_ENDPOINT_URL_DYNAMODB === undefined ? await startDynalite(folder, fail) : undefined
  const endpoint = AWS_ENDPOINT_URL_DYNAMODB ?? database?.endpoint
  Object.assign(process.env, { ...LOCAL_ENVIRONMENT, ...process.env, AWS_ENDPOINT_URL_DYNAMODB: endpoint })
  await createTables()
  handlers.resolve(await loadHandlers())
  let stopping = false
  const stop = async () => {
    // npm forwards Ctrl-C, so it may arrive twice.
    if (stopping) return
    stopping = true
    await server.stop()
    await database?.stop()
    process.exit()
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
  const url = urlOf(server, 'localhost')
  console.log(`Joke Service listens on ${url} and keeps its jokes in ${database ? folder : endpoint}.`)
}
