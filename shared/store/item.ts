/** The item of a joke in the table, and its states. */
import * as v from 'valibot'
import { StoredJoke } from '../joke.ts'
import { logSkipped } from '../log.ts'
import type { Feed } from './tables.ts'

/** An unchecked item of the table, or row of its index. */
export type Item = Record<string, unknown>

/**
 * A waiting joke is listed once it is approved. A removed one keeps its text, so that its removal can be undone. An
 * erased one keeps only its id. An alias is no joke: it has the id of a corrected text, and names the corrected joke in
 * its attribute `of`.
 */
export const STATES = ['listed', 'waiting', 'removed', 'erased', 'alias'] as const
export type State = (typeof STATES)[number]

/** The feed of jokes in a state. An alias is in no feed. */
export const FEED_OF = {
  listed: 'listed',
  waiting: 'waiting',
  removed: 'gone',
  erased: 'gone',
  alias: undefined,
} as const satisfies Record<State, Feed | undefined>

/** Returns the state of an item. An item without a known state counts as erased, because it cannot be shown. */
export function stateOf({ state }: Item): State {
  return STATES.find((known) => known === state) ?? 'erased'
}

/** Names the attribute `state`, a reserved word in expressions. */
export const STATE_NAME = { '#state': 'state' }

/** A joke whose fields have the right types, but perhaps invalid values, such as half an upvote. */
export const TypedJoke = v.object({
  id: v.string(),
  joke: v.string(),
  // The local database omits an empty text.
  punchline: v.fallback(v.string(), ''),
  category: v.string(),
  thumbsUp: v.number(),
  thumbsDown: v.number(),
  dateAdded: v.string(),
})
export type TypedJoke = v.InferOutput<typeof TypedJoke>

/** Returns the joke of an item that is listed and valid. An item whose feed contradicts its state is not listed. */
export function listedJokeOf(item: Item): StoredJoke | undefined {
  return item.feed === FEED_OF.listed && stateOf(item) === 'listed' ? validJoke(item) : undefined
}

/** Returns the joke of an item. Logs an item that is damaged, perhaps by hand, so that no request fails because of it. */
function validJoke(item: Item): StoredJoke | undefined {
  const { success, output, issues } = v.safeParse(StoredJoke, item)
  if (success) return output
  const faults = issues.map((issue) => `${v.getDotPath(issue)}: ${issue.message}`)
  logSkipped(String(item.id), faults)
  return undefined
}
