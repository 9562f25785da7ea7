/** `bin/jokes restore`: copies jokes that are missing from the service's table. */
import { putIfAbsent } from '../shared/store/jokes.ts'
import { readTable } from './changes.ts'
import { CannotContinue, define, plural, RERUN } from './commandLine.ts'
import { forEach } from './each.ts'
import { chooseStore } from './store.ts'

export const restore = define(
  'restore',
  'Copies jokes that are missing from the service, out of a table restored from a backup. All others stay as they are.',
  'restore --from restored-jokes --stack JokeService',
)
  .requiredOption('--from <table>', 'the restored table, which needs no index')
  .addHelpText('after', `\nThe service may keep running. Repeat the command until it says "0 restored".${RERUN}`)
  .action(async ({ from, stack }) => {
    const store = await chooseStore(stack)
    if (from === store.jokesTable)
      throw new CannotContinue(`${from} is the table of the service itself. Name the restored one.`)
    const items = await readTable(store, from)
    let restored = 0
    await forEach(items, async (item) => {
      if ((await putIfAbsent(store, item)) === undefined) restored += 1
    })
    console.log(`${plural(items.length, 'joke')} read, ${restored} restored.`)
  })
