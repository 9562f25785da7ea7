/** How commands change the rows of a joke that they hold. */
import * as v from 'valibot'
import { StoredJoke, wordsOfJoke } from '../../joke.ts'
import { type Item, properItems, storedWordsOf, wordsIn } from '../item.ts'
import type { Store } from '../store.ts'
import { deleteRows, placeOf, rowsAt, type WordRow, writeRows } from '../wordRows.ts'

/**
 * Replaces the rows of a joke by those of today's words. In between, `change` changes the item. So a joke that is listed
 * before and after always has its rows. A damaged joke gets none.
 *
 * @param item as it is now
 * @param next as it will be
 * @param change is called with the stored words of the joke as it will be
 */
export async function changeRows(
  store: Store,
  item: Item,
  next: Item,
  signal: AbortSignal,
  change: (words: string) => Promise<void>,
): Promise<void> {
  const [joke] = properItems(StoredJoke, [next])
  const words = joke ? wordsOfJoke(joke) : []
  const rows = joke ? rowsAt(placeOf(joke), words) : []
  await writeRows(store, rows, signal)
  await change(storedWordsOf(words))
  await deleteRows(store, rowsOf(item), signal, rows)
}

/** The rows of a joke at its own place, by its stored words. An erased joke has none. */
export function rowsOf(item: Item): WordRow[] {
  return v.is(Standing, item) ? rowsAt(placeOf(item), wordsIn(item.words)) : []
}

/** What tells where a joke stands. */
const Standing = v.object({ ...v.pick(StoredJoke, ['id', 'dateAdded', 'category']).entries, words: v.string() })
