/** `npm run reindex`: makes the words by which jokes are found those of today's code. */
import { CannotContinue, runCommand } from './commandLine.ts'
import { chooseTables, TABLES_OPTIONS, TABLES_USAGE } from './tables.ts'
import { workThrough } from './upkeep.ts'

const USAGE = `Usage: npm run reindex -- [--all] [--after=ID] [options]

Compares the stored words of every joke with those that today's code finds in its text, and mends the search
index where they differ. May run at any time, beside the service, and as often as you like.

--all          writes all words of all jokes, whatever is stored: after a restore
--after=ID     continues where an earlier run was stopped
${TABLES_USAGE}`

await runCommand(
  USAGE,
  { all: { type: 'boolean', default: false }, after: { type: 'string' }, ...TABLES_OPTIONS },
  async ({ values, positionals }) => {
    if (positionals.length > 0) throw new CannotContinue('Only options are accepted. See --help.')
    console.error(`Working on ${await chooseTables(values)}.`)
    const { reindex } = await import('../shared/store/upkeep.ts')
    await workThrough(reindex(values.all, values.after), 'mended')
  },
)
