/** Copies jokes that are missing from a table that was restored from a backup. */
import { paginateScan } from '@aws-sdk/lib-dynamodb'
import { type Item, STATES } from '../item.ts'
import type { Store } from '../store.ts'
import { newItem, putIfAbsent } from '../writes.ts'
import { reserveText } from './correction.ts'
import { jokeOf } from './states.ts'

/** Reads all items of a table. */
export async function readTable({ database }: Store, TableName: string): Promise<Item[]> {
  const pages = paginateScan({ client: database }, { TableName, ConsistentRead: true })
  return (await Array.fromAsync(pages, ({ Items = [] }) => Items)).flat()
}

/**
 * Restores an item if the table has none with its id. Its `rev` and `changedAt` are those of now, because a container
 * may still hold a later version than that of the backup. An item without a known state is left out.
 *
 * @returns whether it was restored
 * @throws {CannotCorrect} if another joke has got the text of a corrected joke since
 */
export async function restoreItem(store: Store, item: Item): Promise<boolean> {
  const state = STATES.find((known) => known === item.state)
  if (state === undefined) return false
  const joke = jokeOf(item)
  if (joke) await reserveText(store, joke)
  return putIfAbsent(store, newItem(store, item, state))
}
