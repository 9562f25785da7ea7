/** `npm start`: the service on this machine, with a database on disk. */
import { openStore } from '../../shared/store/store.ts'
import { encodedSite } from '../../web/site.ts'
import { configOf, createTable, startDynalite, tableOfEnvironment } from './localDatabase.ts'
import { handlersOf, startServer } from './server.ts'
import { dataFolder, environment, fail, readAddress, readApproval, urlOf } from './startup.ts'

try {
  const folder = dataFolder()
  const address = readAddress()
  const { AWS_ENDPOINT_URL_DYNAMODB } = environment()
  const approval = readApproval()
  const site = encodedSite()
  const database = AWS_ENDPOINT_URL_DYNAMODB === undefined ? await startDynalite(folder) : undefined
  const endpoint = database?.endpoint ?? `${AWS_ENDPOINT_URL_DYNAMODB}`
  const jokesTable = tableOfEnvironment()
  const config = configOf(endpoint)
  await createTable(jokesTable, config)
  const handlers = handlersOf(openStore({ jokesTable, approval }, config), () => site)
  const server = await startServer(handlers, address.port, console.log, address.host)
  // npm forwards Ctrl-C, so this may run twice.
  const end = async () => {
    await server.stop()
    database?.stop()
    console.log('Stopped.')
    process.exit()
  }
  process.on('SIGINT', end).on('SIGTERM', end)
  const place = database ? folder : `the database ${endpoint}`
  console.log(`Joke Service listens on ${urlOf(server, 'localhost')} and keeps its jokes in ${place}.`)
} catch (error) {
  fail(error)
}
