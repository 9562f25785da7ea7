/** `npm run restore`: copies jokes from a restored table into the service's own. */
import { plural } from '../shared/plural.ts'
import { countItems, restore } from '../shared/store/operators/tableScans.ts'
import { chooseStore, PRODUCTION_STACK, STORE_OPTIONS, STORE_USAGE } from './chooseStore.ts'
import { CannotContinue, FLAG, runCommand, TEXT, WrongUsage } from './commandLine.ts'
import { confirmNumber } from './input.ts'
import { workThrough } from './workThrough.ts'

const USAGE = `Usage: npm run restore -- --from TABLE [--missing | --newer] [--after=ID] [options]

Copies the jokes of a table that was restored from a backup into the service's table, and indexes their words.
Jokes that were removed or erased after the backup stay so. Jokes that were added after it are kept.
Safe to run at any time, while the service is running, and repeatedly.

--from TABLE   the restored table
--missing      only jokes that are gone; others stay as they are now, including votes
--newer        also jokes that were lost after the backup, and then added again: replaces the new ones
--after=ID     continues where an earlier run was stopped
--count N      into production: does not ask for the number of jokes in the table, if there are N
${STORE_USAGE}`

await runCommand(
  USAGE,
  { from: TEXT, missing: FLAG, newer: FLAG, after: TEXT, count: TEXT, ...STORE_OPTIONS },
  async ({ values, positionals }) => {
    const { from, missing, newer, after } = values
    if (from === undefined || positionals.length > 0) throw new WrongUsage('Name the table with --from.')
    if (missing && newer) throw new WrongUsage('Choose --missing or --newer.')
    const store = await chooseStore(values)
    if (from === store.jokesTable)
      throw new CannotContinue(`${from} is the table of the service itself. Name the restored one.`)
    if (values.stack === PRODUCTION_STACK) {
      const count = await countItems(store, from)
      await confirmNumber(`Restore ${plural(count, 'joke')} from ${from}?`, count, values.count)
    }
    console.error(`Restoring from ${from}.`)
    await workThrough(restore(store, from, { existing: !missing, newer }, after), 'joke', 'restored', after)
  },
)
