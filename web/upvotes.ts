/** The upvotes of this browser. It remembers them, so it gives each joke at most one. */
import { signal } from '@preact/signals'
import { removeJoke } from './listState.ts'
import { type Joke, type Problem, problemOf, upvoteJoke } from './serviceClient.ts'
import { readStored, store } from './storage.ts'
import { showToast } from './toast.ts'

/** Counts of upvotes by the id of a joke, as they were after this browser's upvote. An upvote that failed leaves 0. */
const upvoted = signal<Record<string, unknown>>({ ...readStored('localStorage', 'upvoted') })

/** Returns the count of a joke's upvotes after this browser's, or 0 if this browser has not upvoted the joke. */
export function countAtUpvote(id: string): number {
  // Stored values may be damaged.
  return Number(upvoted.value[id]) || 0
}

/** Upvotes a joke. Shows the upvote at once, and corrects the count when the service has answered. */
export async function upvote({ id, thumbsUp }: Joke): Promise<void> {
  load()
  if (countAtUpvote(id)) return showToast('You’ve already upvoted this joke.')
  remember(id, thumbsUp + 1)
  try {
    remember(id, (await upvoteJoke(id)).thumbsUp)
  } catch (error) {
    remember(id, 0)
    const problem = problemOf(error)
    if (problem.code === 'unknown-joke') removeJoke(id)
    showToast(sentenceFor(problem))
  }
}

function sentenceFor({ code }: Problem): string {
  if (code === 'unknown-joke') return 'This joke is no longer here.'
  if (code === 'offline') return 'You’re offline, so your upvote wasn’t counted.'
  if (code === 'busy' || code === 'not-counted') return 'Your upvote wasn’t counted. Try again in a moment.'
  return 'We can’t tell whether your upvote was counted.'
}

/** Another window of the browser may have stored upvotes. */
function load(): void {
  upvoted.value = { ...upvoted.value, ...readStored('localStorage', 'upvoted') }
}

function remember(id: string, count: number): void {
  load()
  upvoted.value = { ...upvoted.value, [id]: count }
  store('localStorage', 'upvoted', upvoted.value)
}
