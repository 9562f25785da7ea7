/** Changes the states of jokes for operators, and finds jokes in any state. */
import * as v from 'valibot'
import { StoredJoke } from '../../joke.ts'
import { type Item, type State, stateOf } from '../item.ts'
import { readFeed } from '../reads.ts'
import type { Store } from '../store.ts'
import type { Feed } from '../tables.ts'
import { replace } from '../writes.ts'
import { type Change, type ChangeResult, change } from './change.ts'

export type Action = 'approve' | 'remove' | 'undo' | 'erase'

/** The states that each action changes, the states in which it is done already, and its change. */
const ACTIONS: Record<Action, { from: State[]; done: State[]; changeOf: (item: Item) => Change | undefined }> = {
  approve: { from: ['waiting'], done: ['listed'], changeOf: () => to('listed') },
  remove: {
    from: ['listed', 'waiting'],
    done: ['removed'],
    changeOf: ({ feed }) => to('removed', { removedFrom: feed }),
  },
  undo: {
    from: ['removed'],
    done: ['listed', 'waiting'],
    changeOf: ({ removedFrom }) =>
      removedFrom === 'listed' || removedFrom === 'waiting'
        ? { ...to(removedFrom), remove: ['removedFrom'] }
        : undefined,
  },
  // The id alone stays, so that nobody can add the joke again.
  erase: { from: ['removed'], done: ['erased'], changeOf: ({ id }) => to('removed', { id }) },
}

function to(feed: Feed, attributes: Item = {}): Change {
  return { set: { ...attributes, feed } }
}

/**
 * Acts on a joke if its state allows it. Erasing replaces the item, because an update removes no attributes that it does
 * not know. Nobody upvotes a removed joke, so this conflicts with no client.
 */
export async function act(store: Store, id: string, action: Action): Promise<ChangeResult> {
  const { from, done, changeOf } = ACTIONS[action]
  const decide = (item: Item) => {
    const state = stateOf(item)
    if (done.includes(state)) return 'done already'
    return (from.includes(state) ? changeOf(item) : undefined) ?? 'left'
  }
  return action === 'erase'
    ? change(store, id, decide, (_, item, { set }, options) => replace(store, item, set, options))
    : change(store, id, decide)
}

/**
 * Reads the items of a feed, each once, in the order of their last changes. Those of the last moments may be missing.
 *
 * @param onPage is called with the number of items that are read
 */
export async function findByFeed(store: Store, feed: Feed, onPage?: (count: number) => void): Promise<Item[]> {
  const items = new Map<unknown, Item>()
  let afterKey: Item | undefined
  do {
    const page = await readFeed(store, feed, new Date(0).toISOString(), afterKey)
    // A joke that is upvoted while its feed is read comes again at its end.
    for (const item of page.items) items.set(item.id, item)
    afterKey = page.lastKey
    onPage?.(items.size)
  } while (afterKey)
  return [...items.values()]
}

/** Returns the joke of an item in any state, or `undefined` if it is damaged, erased or an alias. */
export function jokeOf(item: Item): StoredJoke | undefined {
  const { success, output } = v.safeParse(StoredJoke, item)
  return success ? output : undefined
}
