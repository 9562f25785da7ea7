/**
 * What operators do with single jokes: they remove them, bring them back, or erase them.
 *
 * A joke is listed, removed or erased. A listed joke always has its rows in the word lists, a removed one has them at most
 * until the command that removes it ends, and an erased one has none. Each command can be interrupted anywhere, and
 * repeated. Commands that change rows take turns, because each holds the joke: see `hold.ts`.
 */
import { StoredJoke } from '../joke.ts'
import { hold, readItem, type State, stateOf } from './hold.ts'
import { isListed, properItems, storedWordsOf, wordsOfJoke } from './item.ts'
import type { Store } from './store.ts'
import { deleteRows, writeRows } from './wordLists.ts'

/** A joke as operators see it, whether listed, removed or erased. */
export interface JokeRecord {
  id: string
  /** Absent: its text was erased, or its item is damaged. */
  joke?: StoredJoke
  state: State
  /** The id of the request that added it, as in API Gateway's access log. Absent: erased, or not stored. */
  requestId?: string
}

/** Reads a joke, whatever its state; undefined: no joke ever had that id. */
export async function findRecord(store: Store, id: string): Promise<JokeRecord | undefined> {
  const item = await readItem(store, id)
  if (item === undefined) return undefined
  const state = stateOf(item)
  if (state === 'erased') return { id, state }
  const [joke] = properItems(StoredJoke, [item])
  const { createdBy } = item
  return {
    id,
    ...(joke && { joke }),
    state,
    ...(typeof createdBy === 'string' && { requestId: createdBy.replace(/#.*/, '') }),
  }
}

/**
 * Removes a joke from all listings and searches. Its votes and text are kept, and its id stays taken.
 *
 * @throws {UnknownJoke} if no joke has that id, or it was erased
 * @throws {Unavailable}
 */
export function removeJoke(store: Store, id: string): Promise<void> {
  return hold(store, id, ['listed', 'removed'], async ({ item, signal, update, release }) => {
    const values = { ':shelf': item.shelf, ':now': new Date().toISOString() }
    if (isListed(item)) await update('SET removedFrom = :shelf, removedAt = :now REMOVE shelf', values)
    await deleteRows(store, item, signal)
    await release()
  })
}

/**
 * Brings a removed joke back, with its votes.
 *
 * @throws {UnknownJoke} if no joke has that id, or it was erased
 * @throws {Unavailable}
 */
export function undoRemoval(store: Store, id: string): Promise<void> {
  return hold(store, id, ['listed', 'removed'], async ({ item, signal, update, release }) => {
    if (isListed(item)) return release()
    const [joke] = properItems(StoredJoke, [item])
    const words = joke ? wordsOfJoke(joke) : []
    if (joke) await writeRows(store, joke, words, signal)
    await update('SET shelf = :shelf, words = :words REMOVE removedFrom, removedAt, held', {
      ':shelf': item.removedFrom,
      ':words': storedWordsOf(words),
    })
  })
}

/**
 * Erases a removed joke: its text, its words and who added it. Its id stays, so that it cannot be added again. Erasing it
 * again changes nothing.
 *
 * @throws {UnknownJoke} if no joke has that id, or it was not removed
 * @throws {Unavailable}
 */
export function eraseJoke(store: Store, id: string): Promise<void> {
  return hold(store, id, ['removed', 'erased'], async ({ item, signal, replace, release }) => {
    if (stateOf(item) === 'erased') return release()
    // Rows first: without the text they cannot be found.
    await deleteRows(store, item, signal)
    await replace({ id, removedAt: item.removedAt, erasedAt: new Date().toISOString() })
    await release()
  })
}
