/** Upvotes: each joke gets at most one from this browser, which remembers them. */
import { signal } from '@preact/signals'
import type { Joke } from '../shared/joke.ts'
import { refresh } from './collection.ts'
import { tell } from './notice.ts'
import { type Failure, getPage, thumbUp, toFailure } from './serviceClient.ts'

const STORED_AS = 'upvoted'

/** The jokes upvoted from here, each with the count that it had right after, as far as it is known. */
const upvoted = signal<Record<string, number>>({})

/** Shows the upvotes that this browser remembers, also those from its other windows. */
export function recallUpvotes(): void {
  const recall = () => {
    upvoted.value = stored()
  }
  addEventListener('storage', recall)
  recall()
}

export function isUpvoted({ id }: Joke): boolean {
  return id in upvoted.value
}

/** How many upvotes a joke has. A listing may be older than the upvote from here. */
export function countOf({ id, thumbsUp }: Joke): number {
  return Math.max(thumbsUp, upvoted.value[id] ?? 0)
}

/** Counts an upvote at once, and corrects it when the service knows better. */
export async function upvote(joke: Joke): Promise<void> {
  const { id } = joke
  if (isUpvoted(joke)) return tell('You have upvoted this one already.')
  const before = joke.thumbsUp
  remember(id, before + 1)
  try {
    remember(id, (await thumbUp(id)).thumbsUp)
  } catch (error) {
    await setRight(id, before, toFailure(error))
  }
}

/** Finds out whether an upvote was counted whose answer was an error or got lost. */
async function setRight(id: string, before: number, failure: Failure): Promise<void> {
  const now = await getPage(`/joke?${new URLSearchParams({ id })}`).catch(() => undefined)
  const joke = now?.jokes[0]
  if (joke) refresh(joke)
  if (joke && joke.thumbsUp > before) return remember(id, joke.thumbsUp)
  remember(id, undefined)
  if (joke) tell('Your upvote was not counted. Please try again.')
  else if (now) tell('This joke is gone, so it takes no more upvotes.')
  else if (failure.reason === 'offline') tell('You are offline, so your upvote was not counted.')
  else tell('The service does not answer. Your upvote may not have been counted.')
}

function remember(id: string, count: number | undefined): void {
  const counts = new Map(Object.entries(stored()))
  if (count === undefined) counts.delete(id)
  else counts.set(id, count)
  upvoted.value = Object.fromEntries(counts)
  try {
    localStorage.setItem(STORED_AS, JSON.stringify(upvoted.value))
  } catch {
    // Some browsers are told to store nothing: then the page remembers until it is left.
  }
}

function stored(): Record<string, number> {
  try {
    return JSON.parse(localStorage.getItem(STORED_AS) ?? '{}')
  } catch {
    return upvoted.value
  }
}
