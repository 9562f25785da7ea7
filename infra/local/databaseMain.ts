/** `npm run database`: the local database with the service's tables, for functions in containers of `sam local`. */
import { configOf, createTables, startDynalite, tablesOfEnvironment } from './localDatabase.ts'
import { dataFolder, fail, readAddress, stopOnSignal } from './startup.ts'

try {
  const folder = dataFolder()
  const tables = tablesOfEnvironment()
  const database = await startDynalite(folder, fail, readAddress('8000'))
  await createTables(tables, configOf(database.endpoint))
  stopOnSignal(database.stop)
  console.log(
    `The database listens on ${database.endpoint}, with the tables ${tables.jokesTable} and ${tables.wordsTable}, and keeps them in ${folder}.`,
  )
} catch (error) {
  fail(error)
}
