/** Loads the list of jokes, and holds its state. */
import { batch, effect, signal, untracked } from '@preact/signals'
import { historyEntry, type LoadedList, navigate, updateHistoryEntry, view } from './navigation.ts'
import {
  awaited,
  type Failure,
  getPage,
  type Joke,
  type ListPage,
  listingUrl,
  pause,
  toFailure,
} from './serviceClient.ts'
import { toast } from './toast.ts'
import { DEFAULT_VIEW, isWholeList, urlOf, type View } from './urlState.ts'

const NO_JOKES: ListPage = { jokes: [], next: undefined, total: 0 }

/** The jokes on the page. They belong to the previous view until those of the current view are loaded. */
export const list = signal<LoadedList>({ view: DEFAULT_VIEW, ...NO_JOKES })
export const isLoading = signal(true)
export const failure = signal<Failure | undefined>(undefined)
/** The cards whose punchline is told. */
export const told = signal<string[]>([])

let request = new AbortController()

/** Loads the jokes of the current view, and of every view that the user goes to. */
export function loadViews(): void {
  const [visit] = performance.getEntriesByType('navigation')
  let isReload = visit instanceof PerformanceNavigationTiming && visit.type === 'reload'
  effect(() => {
    const current = view.value
    untracked(() => {
      const entry = historyEntry()
      failure.value = undefined
      toast.value = ''
      if (entry.list) {
        request.abort()
        tell(...(entry.told ?? []))
        settle(entry.list)
      }
      // After a reload, the known jokes stay in their place until the new ones replace them.
      if (!entry.list || isReload)
        loadMore({ ...NO_JOKES, view: current, next: listingUrl(current, entry.list?.jokes.length) })
      isReload = false
    })
  })
  // The history keeps the list, so that "back" restores it.
  effect(() => {
    const entry = { list: list.value, told: told.value }
    if (!isLoading.value && failure.value === undefined) updateHistoryEntry(entry)
  })
  addEventListener('online', () => {
    toast.value = ''
    if (failure.value) loadMore()
  })
}

/** Whether the list still shows the jokes of the previous view. */
export function isStale(): boolean {
  return urlOf(list.value.view) !== urlOf(view.value)
}

/** Shows a single joke that is already loaded, of as many as match. */
export function showJoke(joke: Joke, total: number, changes: Partial<View> = {}): void {
  navigate({ ...changes, id: joke.id }, { ...NO_JOKES, jokes: [joke], total })
}

/** Removes a joke that is gone from the page. */
export function removeJoke(id: string): void {
  const { jokes, total, ofDay, ...others } = list.value
  list.value = {
    ...others,
    jokes: jokes.filter((joke) => joke.id !== id),
    total: total && total - 1,
    ofDay: ofDay?.joke.id === id ? undefined : ofDay,
  }
}

export function tell(...names: string[]): void {
  told.value = [...new Set([...told.value, ...names])]
}

/** Loads the jokes that follow those of a list, or retries the failed request. */
export async function loadMore(known = list.value): Promise<void> {
  request.abort()
  request = new AbortController()
  const { signal } = request
  isLoading.value = true
  const ofDay = known.jokes.length > 0 ? known.ofDay : jokeOfDayFor(known.view)
  try {
    const { jokes, ...page } = await awaited(getPage(`${known.next}`, signal))
    // The list does not wait long for what only decorates it.
    const shown = await Promise.race([ofDay, pause()])
    signal.throwIfAborted()
    // A joke whose votes changed may come again on a later page.
    const isNew = ({ id }: Joke) => known.jokes.every((joke) => joke.id !== id)
    settle({ ...known, ...page, jokes: [...known.jokes, ...jokes.filter(isNew)], ofDay: shown })
  } catch (error) {
    if (!signal.aborted) settle(known, toFailure(error))
  }
}

let latest: { date: string; page: Promise<ListPage> } | undefined

/** Returns the joke of the day for the list of all jokes, in UTC. Other views have none, and so has a failed request. */
async function jokeOfDayFor(current: View): Promise<LoadedList['ofDay']> {
  if (!isWholeList(current)) return undefined
  const date = new Date().toISOString().slice(0, 10)
  // A seed gives everyone the same random order.
  if (latest?.date !== date) latest = { date, page: getPage(`/joke?sortBy=random&seed=${date}&numberofJokes=1`) }
  const page = await latest.page.catch(() => undefined)
  if (!page) latest = undefined
  const joke = page?.jokes[0]
  return joke && { date, joke }
}

function settle(loaded: LoadedList, failed?: Failure): void {
  batch(() => {
    list.value = loaded
    failure.value = failed
    isLoading.value = false
  })
}
