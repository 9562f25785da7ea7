/** The jokes on the page, and how they get there. */
import { batch, effect, signal, untracked } from '@preact/signals'
import type { Joke } from '../shared/joke.ts'
import { change, entry, keep, type List, settle, view } from './navigation.ts'
import { tell } from './notice.ts'
import { type Failure, getPage, persist, toFailure } from './serviceClient.ts'
import { addressOf, drawOf, listingOf, START } from './view.ts'

/** What is shown; while others are on their way, still those of the view before. */
export const list = signal<List>({ view: START, jokes: [], next: undefined })
/** What is under way, in words for the reader; empty: nothing. */
export const activity = signal('Fetching jokes…')
export const isDrawing = signal(false)
export const failure = signal<Failure | undefined>(undefined)
/** Seconds until what failed is tried again. */
export const pause = signal(0)
/** What the reader has opened: punchlines and long texts, by the `id` of their element. */
export const opened = signal<string[]>([])

/** What is hard to find may take several requests; after so many, the reader decides whether to go on. */
const MAX_PAGES = 5

let request = new AbortController()

/** Shows the jokes of the view, and of each one that follows. */
export function followView(): void {
  effect(() => {
    const shown = view.value
    untracked(() => {
      const { list: left, opened: openedBefore = [] } = entry()
      failure.value = undefined
      if (left === undefined) return void load({ view: shown, jokes: [], next: listingOf(shown) })
      request.abort()
      opened.value = [...new Set([...opened.value, ...openedBefore])]
      finish(left)
    })
  })
  // So that "back" finds the list as it was left.
  effect(() => {
    const left = { list: list.value, opened: opened.value }
    if (activity.value === '' && failure.value === undefined) keep(left)
  })
  // What failed for want of a connection comes by itself when there is one again.
  addEventListener('online', () => failure.value && more())
}

/** Whether the jokes shown are still those of the view before. */
export function isStale(): boolean {
  return addressOf(list.value.view) !== addressOf(view.value)
}

/** Loads the next page, or does again what has failed. */
export function more(): Promise<void> {
  return load(list.value)
}

/** Shows a joke that is at hand. */
export function showJoke(joke: Joke): void {
  change({ id: joke.id }, [joke])
}

/** Shows another joke, drawn at random from those of the view. */
export async function surprise(): Promise<void> {
  if (isDrawing.value) return
  settle()
  const from = view.value
  isDrawing.value = true
  try {
    const { jokes } = await getPage(drawOf(from))
    const joke = jokes.find(({ id }) => id !== from.id)
    // Unless the reader has gone elsewhere meanwhile.
    if (view.value === from) joke ? showJoke(joke) : tell('There is no other joke to draw.')
  } catch (error) {
    tell(toFailure(error).message)
  }
  isDrawing.value = false
}

/** Shows what has changed about a joke, if it is on the page. */
export function refresh(joke: Joke): void {
  const { jokes, ...others } = list.value
  list.value = { ...others, jokes: jokes.map((shown) => (shown.id === joke.id ? joke : shown)) }
}

/** Opens a punchline or a long text, or closes it. */
export function toggle(part: string): void {
  const parts = opened.value
  opened.value = parts.includes(part) ? parts.filter((other) => other !== part) : [...parts, part]
}

/** Loads what comes after the jokes that a list already has. */
async function load(known: List): Promise<void> {
  request.abort()
  request = new AbortController()
  const { signal } = request
  const fail = (error: unknown, secondsLeft: number, underWay: string) =>
    batch(() => {
      list.value = known
      failure.value = toFailure(error)
      pause.value = secondsLeft
      activity.value = underWay
    })
  activity.value = failure.value ? TRYING_AGAIN : known.jokes.length > 0 ? 'Fetching more…' : 'Fetching jokes…'
  pause.value = 0
  try {
    finish(
      await persist(
        () => readOn(known, signal),
        (error, secondsLeft) => fail(error, secondsLeft, secondsLeft > 0 ? '' : TRYING_AGAIN),
        signal,
      ),
    )
  } catch (error) {
    if (!signal.aborted) fail(error, 0, '')
  }
}

const TRYING_AGAIN = 'Trying again…'

/** Reads pages until one has jokes that are not known yet. */
async function readOn({ view, jokes, next }: List, signal: AbortSignal): Promise<List> {
  const known = new Set(jokes.map(({ id }) => id))
  for (let pages = 0; next !== undefined && pages < MAX_PAGES; pages++) {
    if (pages > 0) activity.value = 'Still looking…'
    const page = await getPage(next, signal)
    next = page.next
    // A joke that has moved on in the order meanwhile is not shown twice.
    const fresh = page.jokes.filter(({ id }) => !known.has(id))
    if (fresh.length > 0) return { view, jokes: [...jokes, ...fresh], next }
  }
  return { view, jokes, next }
}

function finish(loaded: List): void {
  batch(() => {
    list.value = loaded
    failure.value = undefined
    activity.value = ''
  })
}
