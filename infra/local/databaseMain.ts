/** `npm run database`: the local database alone, with the service's tables, for functions in containers of `sam local`. */
import { createTables, LOCAL_ENVIRONMENT, startDynalite } from './localDatabase.ts'
import { fail, readEnvironment } from './startup.ts'

try {
  const { folder, ...address } = readEnvironment('8000')
  const database = await startDynalite(folder, fail, address)
  Object.assign(process.env, { ...LOCAL_ENVIRONMENT, AWS_ENDPOINT_URL_DYNAMODB: database.endpoint })
  await createTables()
  console.log(
    `The database listens on ${database.endpoint}, with the tables ` +
      `${LOCAL_ENVIRONMENT.JOKES_TABLE} and ${LOCAL_ENVIRONMENT.WORDS_TABLE}, and keeps them in ${folder}.`,
  )
  const stop = async () => {
    await database.stop()
    process.exit()
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
} catch (error) {
  fail(error)
}
