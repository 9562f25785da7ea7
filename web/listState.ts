/** Loads the list of jokes, and holds its state. */
import { batch, effect, signal, untracked } from '@preact/signals'
import { historyEntry, type LoadedList, navigate, updateHistoryEntry, view } from './navigation.ts'
import {
  awaited,
  type Failure,
  getPage,
  type Joke,
  jokeOfDayUrl,
  type ListPage,
  listingUrl,
  pause,
  toFailure,
} from './serviceClient.ts'
import { toast } from './toast.ts'
import { DEFAULT_VIEW, isWholeList, urlOf, type View } from './urlState.ts'

const NO_JOKES: ListPage = { jokes: [], next: undefined, total: undefined }

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
      const known = entry.list?.jokes.length
      if (entry.list) {
        request.abort()
        tell(...(entry.told ?? []))
        showLoaded(entry.list)
      }
      // After a reload, the known jokes stay in their place until the new ones replace them.
      if (!entry.list || isReload) load({ ...NO_JOKES, view: current, next: listingUrl(current, known) })
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

/** Whether the view has loaded without any joke. */
export function hasNoJokes(): boolean {
  return list.value.jokes.length === 0 && failure.value === undefined && !isLoading.value
}

/** Loads the next page, or retries the failed request. */
export function loadMore(): Promise<void> {
  return load(list.value)
}

/** Shows a single joke that is already loaded. */
export function showJoke(joke: Joke): void {
  navigate({ id: joke.id }, { ...NO_JOKES, jokes: [joke], total: list.value.total })
}

/** Shows a joke that the user has added, with its punchline told. */
export function showAdded(joke: Joke): void {
  tell(joke.id)
  navigate({ ...DEFAULT_VIEW, id: joke.id }, { ...NO_JOKES, jokes: [joke] })
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

/** Tells the punchlines of cards. */
export function tell(...names: string[]): void {
  told.value = [...new Set([...told.value, ...names])]
}

/** Loads the jokes that follow those of a list. */
async function load(known: LoadedList): Promise<void> {
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
    showLoaded({ ...known, ...page, jokes: [...known.jokes, ...jokes.filter(isNew)], ofDay: shown })
  } catch (error) {
    if (signal.aborted) return
    batch(() => {
      list.value = known
      failure.value = toFailure(error)
      isLoading.value = false
    })
  }
}

let latest: { date: string; page: Promise<ListPage> } | undefined

/** Returns the joke of the day for the list of all jokes, in UTC. Other views have none, and so has a failed request. */
async function jokeOfDayFor(current: View): Promise<LoadedList['ofDay']> {
  if (!isWholeList(current)) return undefined
  const date = new Date().toISOString().slice(0, 10)
  if (latest?.date !== date) latest = { date, page: getPage(jokeOfDayUrl(date)) }
  const page = await latest.page.catch(() => undefined)
  if (!page) latest = undefined
  const joke = page?.jokes[0]
  return joke && { date, joke }
}

function showLoaded(loaded: LoadedList): void {
  batch(() => {
    list.value = loaded
    failure.value = undefined
    isLoading.value = false
  })
}
