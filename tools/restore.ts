/** `npm run restore`: copies jokes from a restored table into the service's own. */

import { restore } from '../shared/store/operators/wholeTables.ts'
import { chooseStore, STORE_OPTIONS, STORE_USAGE } from './chooseStore.ts'
import { CannotContinue, runCommand, WrongUsage } from './commandLine.ts'
import { workThrough } from './workThrough.ts'

const USAGE = `Usage: npm run restore -- --from TABLE [--missing | --newer] [--after=ID] [options]

Copies the jokes of a table that was restored from a backup into the service's table, and indexes their words.
Jokes that were removed or erased after the backup stay so. Jokes that were added after it are kept.
Safe to run at any time, while the service is running, and repeatedly.

--from TABLE   the restored table
--missing      only jokes that are gone; others stay as they are now, including votes
--newer        also jokes that were lost after the backup, and then added again: replaces the new ones
--after=ID     continues where an earlier run was stopped
${STORE_USAGE}`

await runCommand(
  USAGE,
  {
    from: { type: 'string' },
    missing: { type: 'boolean', default: false },
    newer: { type: 'boolean', default: false },
    after: { type: 'string' },
    ...STORE_OPTIONS,
  },
  async ({ values, positionals }) => {
    const { from, missing, newer, after } = values
    if (from === undefined || positionals.length > 0) throw new WrongUsage('Name the table with --from.')
    if (missing && newer) throw new WrongUsage('Choose --missing or --newer.')
    const [store, owner] = await chooseStore(values)
    if (from === store.jokesTable)
      throw new CannotContinue(`${from} is the table of ${owner} itself. Name the restored one.`)
    console.error(`Restoring from ${from} to ${owner}.`)
    try {
      await workThrough(restore(store, from, { existing: !missing, newer }, after), 'joke', 'restored', after)
    } catch (error) {
      // DynamoDB does not say which table.
      if (error instanceof Error && error.name === 'ResourceNotFoundException')
        throw new CannotContinue(`A table does not exist: ${from}, or one of ${owner}.`)
      throw error
    }
  },
)
