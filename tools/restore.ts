/** `npm run restore`: copies jokes from a restored table into the service's own. */
import { chooseTables, TABLES_OPTIONS, TABLES_USAGE } from './chooseTables.ts'
import { CannotContinue, runCommand, WrongUsage } from './commandLine.ts'
import { workThrough } from './workThrough.ts'

const USAGE = `Usage: npm run restore -- --from TABLE [--missing] [--after=ID] [options]

Copies the jokes of a table that was restored from a backup into the service's table, and indexes their words.
Jokes that were removed or erased after the backup stay so. Jokes that were added after it are kept.
Do not remove or erase jokes while it runs: it may bring them back.

--from TABLE   the restored table
--missing      only jokes that are gone; others stay as they are now, including votes
--after=ID     continues where an earlier run was stopped
${TABLES_USAGE}`

await runCommand(
  USAGE,
  {
    from: { type: 'string' },
    missing: { type: 'boolean', default: false },
    after: { type: 'string' },
    ...TABLES_OPTIONS,
  },
  async ({ values, positionals }) => {
    const { from, missing, after } = values
    if (from === undefined || positionals.length > 0) throw new WrongUsage('Name the table with --from.')
    const service = await chooseTables(values)
    if (from === process.env.JOKES_TABLE)
      throw new CannotContinue(`${from} is the table of ${service} itself. Name the restored one.`)
    console.error(`Restoring from ${from} to ${service}.`)
    const { restore } = await import('../shared/store/upkeep.ts')
    try {
      await workThrough(restore(from, missing, after), 'restored')
    } catch (error) {
      // DynamoDB does not say which table.
      if (error instanceof Error && error.name === 'ResourceNotFoundException')
        throw new CannotContinue(`A table does not exist: ${from}, or one of ${service}.`)
      throw error
    }
  },
)
