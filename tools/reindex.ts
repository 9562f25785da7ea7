/** `bin/jokes reindex`: updates the index entries of jokes to the words that today's code finds. */
import { reindex as reindexJokes, sweep } from '../shared/store/operators/tableScans.ts'
import { chooseStore, defineForStore } from './chooseStore.ts'
import { AFTER, workThrough } from './workThrough.ts'

export const reindex = defineForStore(
  'reindex',
  `Compares the stored words of every listed joke with those that today's code finds in its text. Updates the index
entries where they differ. You can run it at any time, while the service is running, and repeatedly.`,
  ['reindex --local', 'reindex --all --stack JokeService'],
)
  .option(
    '--all',
    'writes all index entries of all listed jokes, even if they look up to date, and deletes all others; for use after a crash, a flood of spam, or a restore',
  )
  .addOption(AFTER)
  .action(async ({ all = false, after, ...chosen }) => {
    const store = await chooseStore(chosen)
    await workThrough(reindexJokes(store, all, after), 'joke', 'updated', after)
    if (all) await workThrough(sweep(store), 'index entry', 'deleted')
  })
