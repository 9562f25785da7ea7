/**
 * How a joke changes, and how its rows in the word lists follow.
 *
 * Commands take no turns. Each changes an item by one conditional call, which decides, and then settles its rows. Whoever acted
 * on an item that has changed meanwhile sees so, because it looks again, and repairs what it did.
 */
import { isDeepStrictEqual } from 'node:util'
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { StoredJoke } from '../../joke.ts'
import { deleteEntries, difference, entriesAt, entryKeyOf, type IndexEntry, writeEntries } from '../indexEntries.ts'
import { type Item, wordAttributes, wordsIn } from '../item.ts'
import type { Store } from '../store.ts'
import { updateExpression } from './updateExpression.ts'

/**
 * Changes a joke. Its new rows are written before its item, so that it is never listed without them.
 *
 * @param next returns the item that an item should become, or undefined if it should stay as it is
 * @returns whether it was changed
 */
export async function change(
  store: Store,
  id: string,
  next: (item: Item | undefined) => Item | undefined,
): Promise<boolean> {
  for (;;) {
    const before = await readItem(store, id)
    const after = next(before)
    if (after === undefined) return false
    const entries = expectedEntries(after)
    await writeEntries(store, entries)
    const isWritten = await writeItem(store, id, before, after)
    await reconcile(store, id, [...possibleEntries(before), ...entries])
    if (isWritten) return true
  }
}

/**
 * Writes the rows that a joke should have, deletes others, and looks again, until nothing has changed meanwhile.
 *
 * @param others rows that the joke may have besides those of its item
 * @returns the item as it is now
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

/** Reads an item as it is now; undefined: there is none. */
export async function readItem({ database, jokesTable }: Store, id: string): Promise<Item | undefined> {
  const get = new GetCommand({ TableName: jokesTable, Key: { id }, ConsistentRead: true })
  return (await database.send(get)).Item
}

/**
 * Updates an item if its `state` and `dateAdded` are unchanged. Only attributes that differ are written, so no upvote is lost.
 *
 * @param before the item as it was read, or `undefined` if there was none
 * @returns whether it was written
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
  const isRead = ([name, value]: [string, unknown]) => IF_UNCHANGED.includes(name) && typeof value === 'string'
  const expected = Object.fromEntries(Object.entries(before ?? {}).filter(isRead))
  const update = new UpdateCommand({
    TableName: jokesTable,
    Key: { id },
    ...updateExpression(changes, expected),
    ...(!before && { ConditionExpression: 'attribute_not_exists(id)' }),
  })
  try {
    await database.send(update)
    return true
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false
    throw error
  }
}

const IF_UNCHANGED = ['state', 'dateAdded']

/** An item with the words that today's code finds in its text. A damaged one stays as it is. */
export function withCurrentWords(item: Item): Item {
  return v.is(StoredJoke, item) ? { ...item, shortWords: undefined, ...wordAttributes(item) } : item
}

/** The rows that count: those of the stored words, if the joke is listed and not damaged. */
export function expectedEntries(item: Item | undefined): IndexEntry[] {
  return item?.state === 'listed' ? storedEntries(item) : []
}

/** The rows that a joke may have at its place: also of today's words, as a command that was killed may have left those. */
function possibleEntries(item: Item | undefined): IndexEntry[] {
  return item ? [item, withCurrentWords(item)].flatMap(storedEntries) : []
}

function storedEntries(item: Item): IndexEntry[] {
  const words = wordsIn(item.words)
  return v.is(StoredJoke, item) ? entriesAt(entryKeyOf(item), words) : []
}
