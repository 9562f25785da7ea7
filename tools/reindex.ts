/** `npm run reindex`: brings the word lists up to date with the words that today's code finds in each joke. */
import { reindex, sweep } from '../shared/store/operators/tableScans.ts'
import { chooseStore, STORE_OPTIONS, STORE_USAGE } from './chooseStore.ts'
import { FLAG, runCommand, TEXT, WrongUsage } from './commandLine.ts'
import { workThrough } from './workThrough.ts'

const USAGE = `Usage: npm run reindex -- [--all] [--after=ID] [options]

Compares the stored words of every listed joke with those that today's code finds in its text, and updates the
word lists where they differ. Safe to run at any time, while the service is running, and repeatedly.

--all          writes all words of all listed jokes, even if they look up to date, and deletes what the word lists
               have of other jokes: after a crash of the service, a flood of spam, or a restore
--after=ID     continues where an earlier run was stopped
${STORE_USAGE}`

await runCommand(USAGE, { all: FLAG, after: TEXT, ...STORE_OPTIONS }, async ({ values, positionals }) => {
  if (positionals.length > 0) throw new WrongUsage('Only options are accepted.')
  const store = await chooseStore(values)
  await workThrough(reindex(store, values.all, values.after), 'joke', 'updated', values.after)
  if (values.all) await workThrough(sweep(store), 'row', 'deleted')
})
