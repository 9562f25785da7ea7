/**
 * Changes a joke, and reconciles its index entries with its item.
 *
 * Commands use optimistic concurrency, not locks. Each changes an item by one conditional write, then reconciles its
 * entries. Reconciling reads the item again. So a command that acted on an outdated item repairs its own effects.
 */
import { isDeepStrictEqual } from 'node:util'
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { StoredJoke } from '../../joke.ts'
import { readItem } from '../connection/readItem.ts'
import { deleteEntries, difference, entriesFor, entryKeyOf, type IndexEntry, writeEntries } from '../indexEntries.ts'
import { type Item, wordAttributes, wordsIn } from '../item.ts'
import type { Store } from '../store.ts'
import { updateExpression } from './updateExpression.ts'

/**
 * Changes a joke. New entries are written before the item, so that a listed joke always has its entries. If the joke
 * changes at the same time, the change starts again.
 *
 * @param next returns the new item, or `undefined` to change nothing
 * @returns whether the item was changed
 */
export async function change(
  store: Store,
  id: string,
  next: (item: Item | undefined) => Item | undefined | Promise<Item | undefined>,
): Promise<boolean> {
  for (;;) {
    const before = await readItem(store, id)
    const after = await next(before)
    if (after === undefined) return false
    const entries = expectedEntries(after)
    await writeEntries(store, entries)
    const isWritten = await writeItem(store, id, before, after)
    await reconcile(store, id, [...possibleEntries(before), ...entries])
    if (isWritten) return true
  }
}

/**
 * Writes the entries that a joke should have, and deletes others. Repeats this until the item no longer changes.
 *
 * @param others further entries that the joke may have
 * @returns the latest item
 */
export async function reconcile(store: Store, id: string, others: IndexEntry[] = []): Promise<Item | undefined> {
  const known = [...others]
  let item = await readItem(store, id)
  for (;;) {
    const entries = expectedEntries(item)
    known.push(...possibleEntries(item))
    await writeEntries(store, entries)
    await deleteEntries(store, difference(known, entries))
    item = await readItem(store, id)
    if (isDeepStrictEqual(expectedEntries(item), entries)) return item
  }
}

/**
 * Updates an item if the attributes {@link IF_UNCHANGED} are unchanged. It writes only attributes that differ, so no
 * upvote is lost.
 *
 * @param before the item as it was read
 * @returns whether the condition was met
 */
export async function writeItem(
  { database, jokesTable }: Store,
  id: string,
  before: Item | undefined,
  after: Item,
): Promise<boolean> {
  const read = before ?? { id }
  const differs = (name: string) => name === 'state' || !isDeepStrictEqual(read[name], after[name])
  const changed = Object.keys({ ...read, ...after }).filter(differs)
  const changes = Object.fromEntries(changed.map((name) => [name, after[name]]))
  const expected = before ? Object.fromEntries(IF_UNCHANGED.map((name) => [name, before[name]])) : { id: undefined }
  const update = new UpdateCommand({
    TableName: jokesTable,
    Key: { id },
    ...updateExpression(changes, expected),
  })
  try {
    await database.send(update)
    return true
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false
    throw error
  }
}

/** With the texts and the category, so that no command writes words or a shelf of a joke that was just corrected. */
const IF_UNCHANGED = ['state', 'dateAdded', 'joke', 'punchline', 'category']

/** Returns an item with the words that the current code finds in its text. Returns a damaged one unchanged. */
export function withCurrentWords(item: Item): Item {
  const { words: _, longWords: __, ...others } = item
  return v.is(StoredJoke, item) ? { ...others, ...wordAttributes(item) } : item
}

/** Returns the entries that a joke should have: those of its stored words, if it is listed and valid. */
export function expectedEntries(item: Item | undefined): IndexEntry[] {
  return item?.state === 'listed' ? storedEntries(item) : []
}

/** Returns the entries that a joke may have. A killed command may have left those of the current words. */
function possibleEntries(item: Item | undefined): IndexEntry[] {
  return item ? [item, withCurrentWords(item)].flatMap(storedEntries) : []
}

function storedEntries(item: Item): IndexEntry[] {
  return v.is(StoredJoke, item) ? entriesFor(entryKeyOf(item), wordsIn(item)) : []
}
