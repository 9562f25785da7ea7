/** `bin/jokes restore`: copies jokes that are missing from a restored table. */
import type { Item } from '../shared/store/item.ts'
import { putIfAbsent } from '../shared/store/jokes.ts'
import { readTable } from './changes.ts'
import { chooseStore, defineForStore, explainMissing } from './chooseStore.ts'
import { CannotContinue } from './commandLine.ts'
import { CHANGES_A_SECOND, changeEach } from './each.ts'
import { plural } from './plural.ts'

export const restore = defineForStore(
  'restore',
  `Copies the jokes that are missing in the service's table from a table that was restored from a backup. All others stay
as they are. You can run it while the service is running, and repeat it until it says "0 restored".`,
  ['restore --from restored-jokes --stack JokeService-dev', 'restore --from restored-jokes'],
)
  .requiredOption('--from <table>', 'the restored table')
  .action(async ({ from, ...chosen }) => {
    const store = await chooseStore(chosen)
    if (from === store.jokesTable)
      throw new CannotContinue(`${from} is the table of the service itself. Name the restored one.`)
    const items = await readTable(store, from).catch((error) => {
      throw explainMissing(error, from)
    })
    let restored = 0
    const restoreOne = async (item: Item) => {
      const isChanged = (await putIfAbsent(store, item)) === undefined
      restored += Number(isChanged)
      return { isChanged }
    }
    try {
      await changeEach(items, CHANGES_A_SECOND, restoreOne)
    } finally {
      console.log(`${plural(items.length, 'joke')} read, ${restored} restored.`)
    }
  })
