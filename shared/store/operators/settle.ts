/**
 * How the rows of a joke in the word lists follow its item.
 *
 * Commands take no turns. Each changes the state of a joke by one conditional call, which decides, and then settles its rows.
 * Whoever acted on an item that has changed meanwhile sees so, because it looks again, and repairs what it did.
 */
import { isDeepStrictEqual } from 'node:util'
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { GetCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { StoredJoke, wordsOfJoke } from '../../joke.ts'
import { type Item, listedJoke, properItems, wordsIn } from '../item.ts'
import type { Store } from '../store.ts'
import { deleteRows, placeOf, rowsAt, type WordRow, writeRows } from '../wordRows.ts'

/**
 * Writes the rows that a joke should have, deletes others, and looks again, until nothing has changed meanwhile. Without an
 * item, a joke should have none.
 *
 * @param others rows that the joke may have besides those of its item
 * @returns the item as it is now
 */
export async function settle(store: Store, id: string, others: WordRow[] = []): Promise<Item | undefined> {
  const signal = AbortSignal.timeout(store.limits.operationMs)
  const known = [...others]
  let item = await readItem(store, id)
  for (;;) {
    const rows = rightRows(item)
    known.push(...rowsOf(item))
    await writeRows(store, rows, signal)
    await deleteRows(store, known, signal, rows)
    item = await readItem(store, id)
    if (isDeepStrictEqual(rightRows(item), rows)) return item
  }
}

/** The rows that a joke at this place may have: by its stored words, and by those that today's code finds in its text. */
export function rowsOf(item: Item | undefined): WordRow[] {
  if (!v.is(Standing, item)) return []
  const today = v.is(StoredJoke, item) ? wordsOfJoke(item) : []
  return [wordsIn(item.words), today].flatMap((words) => rowsAt(placeOf(item), words))
}

/** The words that today's code finds in a joke, and its rows. A damaged joke has none. */
export function todaysRows(item: Item): { words: string[]; rows: WordRow[] } {
  const [joke] = properItems(StoredJoke, [item])
  const words = joke ? wordsOfJoke(joke) : []
  return { words, rows: joke ? rowsAt(placeOf(joke), words) : [] }
}

/** Reads an item as it is now; undefined: there is none. */
export async function readItem({ database, jokesTable }: Store, id: string): Promise<Item | undefined> {
  const get = new GetCommand({ TableName: jokesTable, Key: { id }, ConsistentRead: true })
  return (await database.send(get)).Item
}

/** Whether the condition of a call held. */
export async function ifConditionHolds(call: Promise<unknown>): Promise<boolean> {
  try {
    await call
    return true
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false
    throw error
  }
}

/** The rows that count: those of the stored words, if the joke is listed and not damaged. */
function rightRows(item: Item | undefined): WordRow[] {
  const joke = item && listedJoke(item)
  return joke ? rowsAt(placeOf(joke), wordsIn(item?.words)) : []
}

/** What tells where a joke stands. */
const Standing = v.object({ ...v.pick(StoredJoke, ['id', 'dateAdded', 'category']).entries, words: v.string() })
