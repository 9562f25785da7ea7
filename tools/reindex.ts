/** `npm run reindex`: brings the word rows up to date with the words that today's code finds in each joke. */
import { chooseTables, TABLES_OPTIONS, TABLES_USAGE } from './chooseTables.ts'
import { runCommand, WrongUsage } from './commandLine.ts'
import { workThrough } from './workThrough.ts'

const USAGE = `Usage: npm run reindex -- [--all] [--after=ID] [options]

Compares the stored words of every joke with those that today's code finds in its text, and updates the word
rows where they differ. Safe to run at any time, while the service is running, and repeatedly.

--all          writes all words of all jokes, even if they look up to date: after a restore
--after=ID     continues where an earlier run was stopped
${TABLES_USAGE}`

await runCommand(
  USAGE,
  { all: { type: 'boolean', default: false }, after: { type: 'string' }, ...TABLES_OPTIONS },
  async ({ values, positionals }) => {
    if (positionals.length > 0) throw new WrongUsage('Only options are accepted.')
    console.error(`Working on ${await chooseTables(values)}.`)
    const { reindex } = await import('../shared/store/upkeep.ts')
    await workThrough(reindex(values.all, values.after), 'updated')
  },
)
