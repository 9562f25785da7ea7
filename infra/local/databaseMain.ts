/** `npm run database`: the local database with the service's table, for functions in containers of `sam local`. */
import { configOf, createTable, startDynalite, tableOfEnvironment } from './localDatabase.ts'
import { dataFolder, fail, readAddress, stopOnSignal } from './startup.ts'

try {
  const folder = dataFolder()
  const table = tableOfEnvironment()
  const database = await startDynalite(folder, fail, readAddress('8000'))
  await createTable(table, configOf(database.endpoint))
  stopOnSignal(database.stop)
  console.log(`The database listens on ${database.endpoint}, with the table ${table}, and keeps it in ${folder}.`)
} catch (error) {
  fail(error)
}
