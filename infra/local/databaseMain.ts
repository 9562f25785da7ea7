/** `npm run database`: only the local database, with the service's tables, for functions in containers of `sam local`. */
import { createTables, LOCAL_ENVIRONMENT, startDynalite } from './localDatabase.ts'
import { fail, readEnvironment, stopOnSignal } from './startup.ts'

try {
  const { folder, ...address } = readEnvironment('8000')
  const database = await startDynalite(folder, fail, address)
  Object.assign(process.env, { ...LOCAL_ENVIRONMENT, AWS_ENDPOINT_URL_DYNAMODB: database.endpoint })
  await createTables()
  stopOnSignal(database.stop)
  console.log(
    `The database listens on ${database.endpoint}, with the tables ` +
      `${LOCAL_ENVIRONMENT.JOKES_TABLE} and ${LOCAL_ENVIRONMENT.WORDS_TABLE}, and keeps them in ${folder}.`,
  )
} catch (error) {
  fail(error)
}
