/** The table, its index, and the item of a joke in them. */
import * as v from 'valibot'
import { Joke } from '../joke.ts'

/** The table and its index, for the stack and the local database. All keys are texts. */
export const JOKES = {
  partitionKey: 'id',
  /** Has all items in the order of their last changes, with all attributes. */
  index: { name: 'byChange', partitionKey: 'feed', sortKey: 'changedAt' },
}

/** The attribute `feed` of each item. All items are in one partition of the index, so that one query reads all changes. */
export const FEED = 'jokes'

/**
 * A waiting joke is listed once it is approved. A removed one keeps its text, so that its removal can be undone. An
 * erased one keeps only its id, so that nobody can add it again.
 */
export type State = 'listed' | 'waiting' | 'removed' | 'erased'

/** An item of the table, or row of its index. Operators may have edited it by hand, so nothing in it is certain. */
export interface Item {
  [attribute: string]: unknown
  jokeState?: State
  /** Revision, raised by each write: keeps readers from going back to an older version, whatever the clocks say. */
  rev?: number
  /** Time of the last write, ISO 8601: brings the change to readers, as the sort key of the index. */
  changedAt?: string
  /** Raised by each change of an operator: keeps two operators from overwriting each other. Upvotes leave it as it is. */
  edits?: number
  /** The state before the last change of the state. `undo` returns a removed joke to it. */
  stateBefore?: State
}

/** Returns the joke of an item in any state. An invalid one is logged and skipped, so that no listing fails because of it. */
export function jokeOf(item: Item): Joke | undefined {
  const { success, output, issues } = v.safeParse(Joke, item)
  if (success) return output
  console.error({ skippedItem: item.id, faults: v.flatten(issues).nested })
  return undefined
}
