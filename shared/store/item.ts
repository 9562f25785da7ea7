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
 * its attribute `of`. A damaged item was edited into something that no version of the service writes.
 */
export type State = Feed | 'erased' | 'alias' | 'damaged'

/** The attributes that an erased item keeps. */
const KEPT = new Set(['id', 'feed', 'changedAt', 'rev'])

/** Returns the state of an item. Its feed alone says it, so that no item can contradict itself. */
export function stateOf(item: Item): State {
  const { feed, of, rev, edits = 0 } = item
  if (typeof rev !== 'number' || typeof edits !== 'number') return 'damaged'
  if (feed === 'listed' || feed === 'waiting') return feed
  if (feed === 'removed') return Object.keys(item).every((name) => KEPT.has(name)) ? 'erased' : 'removed'
  return feed === undefined && typeof of === 'string' ? 'alias' : 'damaged'
}

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

/** Returns the joke of an item that is listed and valid. Logs a damaged item, so that no request fails because of it. */
export function listedJokeOf(item: Item): StoredJoke | undefined {
  const state = stateOf(item)
  if (state === 'damaged') logSkipped(String(item.id), [`feed: ${item.feed}, rev: ${item.rev}, edits: ${item.edits}`])
  return state === 'listed' ? validJoke(item) : undefined
}

function validJoke(item: Item): StoredJoke | undefined {
  const { success, output, issues } = v.safeParse(StoredJoke, item)
  if (success) return output
  const faults = issues.map((issue) => `${v.getDotPath(issue)}: ${issue.message}`)
  logSkipped(String(item.id), faults)
  return undefined
}
