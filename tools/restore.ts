/** `bin/jokes restore`: copies jokes from a restored table into the service's own. */
import { plural } from '../shared/plural.ts'
import { countJokes, restore as restoreJokes } from '../shared/store/operators/tableScans.ts'
import { chooseStore, defineForStore, PRODUCTION_STACK } from './chooseStore.ts'
import { CannotContinue, WrongUsage } from './commandLine.ts'
import { confirmNumber } from './input.ts'
import { AFTER, workThrough } from './workThrough.ts'

export const restore = defineForStore(
  'restore',
  `Copies the jokes of a table that was restored from a backup into the service's table, and indexes their words. Jokes
that were removed or erased after the backup stay so. Jokes that were added after it are kept. You can run it at any time,
while the service is running, and repeatedly.`,
  ['restore --from restored-jokes --missing --stack JokeService-dev', 'restore --from restored-jokes --local'],
)
  .requiredOption('--from <table>', 'the restored table')
  .option('--missing', 'only jokes that are gone; others stay as they are now, including votes')
  .option('--newer', 'also jokes that were lost after the backup, and then added again: replaces the new ones')
  .addOption(AFTER)
  .option('--count <n>', 'into production: does not ask for the number of jokes in the table, if there are n')
  .action(async ({ from, missing = false, newer = false, after, count, ...chosen }) => {
    if (missing && newer) throw new WrongUsage('Choose --missing or --newer.')
    const store = await chooseStore(chosen)
    if (from === store.jokesTable)
      throw new CannotContinue(`${from} is the table of the service itself. Name the restored one.`)
    if (chosen.stack === PRODUCTION_STACK) {
      const number = await countJokes(store, from)
      await confirmNumber(`Restore ${plural(number, 'joke')} from ${from}?`, number, count)
    }
    console.error(`Restoring from ${from}.`)
    await workThrough(restoreJokes(store, from, { existing: !missing, newer }, after), 'joke', 'restored', after)
  })
