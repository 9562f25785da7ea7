/** `npm run restore`: copies jokes from a restored table into the service's own. */
import { CannotContinue, runCommand } from './commandLine.ts'
import { chooseTables, TABLES_OPTIONS, TABLES_USAGE } from './tables.ts'
import { workThrough } from './upkeep.ts'

const USAGE = `Usage: npm run restore -- --from TABLE [--missing] [--after=ID] [options]

Copies the jokes of a table that was restored from a backup into the service's table, and indexes their words.
Jokes that were removed or erased since stay so. Jokes that were added since stay, too.

--from TABLE   the restored table
--missing      only jokes that are gone; others keep what they are now, votes included
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
    if (from === undefined || positionals.length > 0)
      throw new CannotContinue('Name the table with --from. See --help.')
    console.error(`Restoring from ${from} to ${await chooseTables(values)}.`)
    const { restore } = await import('../shared/store/upkeep.ts')
    await workThrough(restore(from, missing, after), 'restored')
  },
)
