/** Copies jokes that are missing from a table that was restored from a backup. */
import { type Item, stateOf } from '../item.ts'
import type { Store } from '../store.ts'
import { putIfAbsent } from '../writes.ts'
import { CannotChange } from './change.ts'
import { reserveText } from './correction.ts'
import { jokeOf } from './states.ts'

/**
 * Restores an item if the table has none with its id. Its `rev` and `changedAt` are those of now, because a container
 * may still hold a later version than that of the backup.
 *
 * @returns whether it was restored
 * @throws {CannotChange} if it is left out, because it is damaged, or because another joke has its corrected text now
 */
export async function restoreItem(store: Store, item: Item): Promise<boolean> {
  if (stateOf(item) === 'damaged') throw new CannotChange('It is damaged.')
  const joke = jokeOf(item)
  if (joke) await reserveText(store, joke)
  return (await putIfAbsent(store, item)) === undefined
}
