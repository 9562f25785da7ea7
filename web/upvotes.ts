/** Upvotes. The browser remembers them, so it gives each joke at most one. */
import { signal } from '@preact/signals'
import { UPVOTE_NOT_COUNTED } from '../shared/errors.ts'
import { replaceJoke } from './listState.ts'
import { type Failure, getFresh, type Joke, toFailure, upvoteJoke } from './serviceClient.ts'
import { showToast } from './toast.ts'

const STORAGE_KEY = 'upvoted'

/** The jokes upvoted in this browser, by id, with their count of upvotes right afterwards; 0: taken back. */
const upvoted = signal<Record<string, unknown>>({})

/** Loads the stored upvotes, now and whenever another window of the browser stores them. */
export function loadUpvotes(): void {
  addEventListener('storage', load)
  load()
}

/** The count of a joke's upvotes right after this browser's; 0: the browser has not upvoted it. */
export function countAtUpvote(id: string): number {
  // What is stored may be damaged.
  return Number(upvoted.value[id]) || 0
}

/** Upvotes a joke. Shows the upvote at once, and corrects the count when the service has answered. */
export async function upvote({ id, thumbsUp: before }: Joke): Promise<void> {
  // Another window may have upvoted it just now.
  load()
  if (countAtUpvote(id)) return showToast("You've already upvoted this joke.")
  if (!navigator.onLine) return showToast("You're offline. Your upvote wasn't counted.")
  remember(id, before + 1)
  try {
    remember(id, (await upvoteJoke(id)).thumbsUp)
  } catch (error) {
    await checkUpvote(id, before, toFailure(error))
  }
}

/** Finds out whether an upvote was counted although its request failed. */
async function checkUpvote(id: string, before: number, failure: Failure): Promise<void> {
  const page = await getFresh(id).catch(() => undefined)
  const joke = page?.jokes[0]
  if (joke) replaceJoke(joke)
  remember(id, 0)
  if (page && !joke) return showToast('This joke was removed.')
  const { status = 500, detail } = failure.problem
  // A higher count may be due to others: what the page knew may be older, and nothing tells their upvotes apart.
  const mayHaveCounted = status >= 500 && detail !== UPVOTE_NOT_COUNTED && joke?.thumbsUp !== before
  showToast(
    mayHaveCounted
      ? `${failure.message} Your upvote may have been counted.`
      : "Your upvote wasn't counted. Please try again.",
  )
}

function load(): void {
  upvoted.value = stored()
}

function remember(id: string, count: number): void {
  upvoted.value = { ...stored(), [id]: count }
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(upvoted.value))
  } catch {
    // Storage may be disabled. The upvotes are then remembered until the page is closed.
  }
}

function stored(): typeof upvoted.value {
  try {
    return { ...JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}') }
  } catch {
    return upvoted.value
  }
}
