/** `npm run database`: the local database alone, with the service's tables, for functions in containers of `sam local`. */
import { CannotStart, createTables, LOCAL_ENVIRONMENT, startDynalite } from './database.ts'

const { PORT = '8000', HOST = '127.0.0.1', DATA_DIR = '.data' } = process.env

try {
  const database = await startDynalite(DATA_DIR, fail, { port: portOf(PORT), host: HOST })
  Object.assign(process.env, { ...LOCAL_ENVIRONMENT, AWS_ENDPOINT_URL_DYNAMODB: database.endpoint })
  await createTables()
  console.log(
    `The database listens on port ${new URL(database.endpoint).port}, with the tables ` +
      `${LOCAL_ENVIRONMENT.JOKES_TABLE} and ${LOCAL_ENVIRONMENT.WORDS_TABLE}, and keeps them in ${DATA_DIR}.`,
  )
  const stop = async () => {
    await database.stop()
    process.exit()
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
} catch (error) {
  fail(error)
}

function portOf(text: string): number {
  if (!/^\d+$/.test(text) || Number(text) > 65_535) throw new CannotStart(`PORT must be a port number, not ${text}.`)
  return Number(text)
}

function fail(error: unknown): never {
  console.error(error instanceof CannotStart ? error.message : error)
  process.exit(1)
}
