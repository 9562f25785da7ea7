/** Upvotes. The browser remembers them, so it gives each joke at most one. */
import { signal } from '@preact/signals'
import type { Joke } from '../shared/joke.ts'
import { replaceJoke } from './listState.ts'
import { type Failure, getPage, listingUrl, thumbUp, toFailure } from './serviceClient.ts'
import { showToast } from './toast.ts'
import { DEFAULT_VIEW } from './urlState.ts'

const STORAGE_KEY = 'upvoted'

/** The jokes upvoted in this browser, by id, with their count of upvotes right afterwards; undefined: taken back. */
const upvoted = signal<Record<string, number | undefined>>({})

/** Loads the stored upvotes, now and whenever another window of the browser stores them. */
export function loadUpvotes(): void {
  const load = () => {
    upvoted.value = stored()
  }
  addEventListener('storage', load)
  load()
}

export function isUpvoted({ id }: Joke): boolean {
  return upvoted.value[id] !== undefined
}

/** The count of upvotes to show. A listing may be older than this browser's upvote. */
export function countOf({ id, thumbsUp }: Joke): number {
  return Math.max(thumbsUp, upvoted.value[id] ?? 0)
}

/** Upvotes a joke. Shows the upvote at once, and corrects the count when the service has answered. */
export async function upvote(joke: Joke): Promise<void> {
  const { id } = joke
  if (isUpvoted(joke)) return showToast('You have already upvoted this joke.')
  const before = joke.thumbsUp
  remember(id, before + 1)
  try {
    remember(id, (await thumbUp(id)).thumbsUp)
  } catch (error) {
    await checkUpvote(id, before, toFailure(error))
  }
}

/** Finds out whether an upvote was counted although its request failed. */
async function checkUpvote(id: string, before: number, failure: Failure): Promise<void> {
  const page = await getPage(listingUrl({ ...DEFAULT_VIEW, id })).catch(() => undefined)
  const joke = page?.jokes[0]
  if (joke) replaceJoke(joke)
  // A 4xx was certainly not counted.
  const mayHaveCounted = (failure.problem.status ?? 500) >= 500
  if (joke && mayHaveCounted && joke.thumbsUp > before) return remember(id, joke.thumbsUp)
  remember(id, undefined)
  if (joke) showToast('Your upvote was not counted. Please try again.')
  else if (page) showToast('This joke has been removed.')
  else if (failure.reason === 'offline') showToast('You are offline, so your upvote was not counted.')
  else showToast('The service does not answer. Your upvote may not have been counted.')
}

function remember(id: string, count: number | undefined): void {
  upvoted.value = { ...stored(), [id]: count }
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(upvoted.value))
  } catch {
    // Storage may be disabled. The upvotes are then remembered until the page is closed.
  }
}

function stored(): typeof upvoted.value {
  try {
    return JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}')
  } catch {
    return upvoted.value
  }
}
