/** The jokes on the page, and how they get there. */
import { effect, signal } from '@preact/signals'
import type { Joke } from '../shared/joke.ts'
import { addJoke, Failure, getPage, thumbUp } from './api.ts'
import { change, listingOf, view } from './view.ts'

export const jokes = signal<Joke[]>([])
/** Where there are more. */
export const next = signal<string | undefined>(undefined)
export const isLoading = signal(true)
export const failure = signal<Failure | undefined>(undefined)
/** A passing word to the reader. */
export const notice = signal('')

const NOTICE_MS = 6_000

let request = new AbortController()

effect(() => {
  load(listingOf(view.value), [])
})
// What failed for want of a connection comes by itself when there is one again.
addEventListener('online', () => failure.value && retry())

/** Loads the next page. */
export function more(): Promise<void> {
  return load(next.peek() ?? '', jokes.peek())
}

/** Does again what has failed last. */
export function retry(): void {
  if (next.peek() === undefined) load(listingOf(view.peek()), [])
  else more()
}

async function load(address: string, before: Joke[]): Promise<void> {
  request.abort()
  request = new AbortController()
  const { signal } = request
  isLoading.value = true
  failure.value = undefined
  if (before.length === 0) next.value = undefined
  try {
    const page = await getPage(address, signal)
    // A joke that has moved on in the order meanwhile is not shown twice.
    const known = new Set(before.map(({ id }) => id))
    jokes.value = [...before, ...page.jokes.filter(({ id }) => !known.has(id))]
    next.value = page.next
  } catch (error) {
    if (signal.aborted) return
    failure.value = toFailure(error)
    jokes.value = before
  }
  isLoading.value = false
}

/** Shows a joke drawn at random from those of the category, or of all. */
export async function surprise(): Promise<void> {
  const { category = '' } = view.peek()
  const query = new URLSearchParams({ sortBy: 'random', numberofJokes: '2', category })
  try {
    const { jokes } = await getPage(`/joke?${query}`)
    const joke = jokes.find(({ id }) => id !== view.peek().id)
    if (joke === undefined) tell('There is no other joke to draw.')
    else change({ id: joke.id })
  } catch (error) {
    tell(toFailure(error).message)
  }
}

/** Adds a joke, and shows it. */
export async function add(joke: Partial<Joke>): Promise<void> {
  const { id } = await addJoke(joke)
  change({ id })
  tell('Your joke is in. Thank you!')
}

/** Counts an upvote at once, and corrects it when the service knows better. */
export async function upvote(id: string): Promise<void> {
  count(id, 1)
  try {
    const { thumbsUp } = await thumbUp(id)
    const shown = jokes.peek().find((joke) => joke.id === id)
    // Of several answers under way, the highest is the latest.
    if (shown !== undefined && thumbsUp > shown.thumbsUp) count(id, thumbsUp - shown.thumbsUp)
  } catch (error) {
    count(id, -1)
    tell(`No upvote this time. ${toFailure(error).message}`)
  }
}

/** Says something that goes away by itself. */
export function tell(message: string): void {
  notice.value = message
  setTimeout(() => {
    if (notice.peek() === message) notice.value = ''
  }, NOTICE_MS)
}

export function toFailure(error: unknown): Failure {
  return error instanceof Failure ? error : new Failure('Something went wrong on this page.')
}

function count(id: string, votes: number): void {
  jokes.value = jokes.peek().map((joke) => (joke.id === id ? { ...joke, thumbsUp: joke.thumbsUp + votes } : joke))
}
