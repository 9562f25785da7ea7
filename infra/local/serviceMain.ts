/** `npm start`: the service on this machine, with a database on disk. */
import { createTables, LOCAL_ENVIRONMENT, startDynalite } from './localDatabase.ts'
import { type Handlers, loadHandlers, startServer } from './server.ts'
import { fail, readEnvironment, stopOnSignal, urlOf } from './startup.ts'

try {
  const { folder, ...address } = readEnvironment('3000')
  // The server takes its port first, so a second `npm start` fails before it touches the database of the first.
  const handlers = Promise.withResolvers<Handlers>()
  const server = await startServer(handlers.promise, address.port, console.log, address.host)

  const { AWS_ENDPOINT_URL_DYNAMODB } = process.env
  const database = AWS_ENDPOINT_URL_DYNAMODB === undefined ? await startDynalite(folder, fail) : undefined
  const endpoint = AWS_ENDPOINT_URL_DYNAMODB ?? database?.endpoint
  Object.assign(process.env, { ...LOCAL_ENVIRONMENT, ...process.env, AWS_ENDPOINT_URL_DYNAMODB: endpoint })
  await createTables()
  handlers.resolve(await loadHandlers())
  stopOnSignal(async () => {
    await server.stop()
    await database?.stop()
  })
  const url = urlOf(server, 'localhost')
  console.log(`Joke Service listens on ${url} and keeps its jokes in ${database ? folder : endpoint}.`)
} catch (error) {
  fail(error)
}
