/** Loads the list of jokes, and holds its state. */
import { batch, effect, signal } from '@preact/signals'
import { historyEntry, type LoadedList, updateHistoryEntry, view } from './navigation.ts'
import { getPage, listingUrl, type Problem, pause, problemOf, withMissing } from './serviceClient.ts'
import { toast } from './toast.ts'
import { DEFAULT_VIEW, isWholeList, urlOf, type View } from './urlState.ts'

const NO_JOKES: LoadedList = { view: DEFAULT_VIEW, jokes: [], next: undefined, total: 0 }

/** The jokes on the page. They belong to the previous view until those of the current view are loaded. */
export const list = signal(NO_JOKES)
export const isLoading = signal(true)
export const failure = signal<Problem | undefined>(undefined)
/** The cards whose punchline is told. */
export const told = signal<string[]>([])

/** Loads the jokes of the current view, and of every view that the user goes to. */
export function loadViews(): void {
  const [visit] = performance.getEntriesByType('navigation')
  let isReload = visit instanceof PerformanceNavigationTiming && visit.type === 'reload'
  view.subscribe((current) => {
    const entry = historyEntry()
    const known = entry.list ?? openedJoke(current)
    toast.value = ''
    tell(...(entry.told ?? []))
    if (known) settle(known)
    else failure.value = undefined
    // After a reload, the known jokes stay in their place until the new ones replace them.
    const count = known?.jokes.length
    if (!known || isReload) loadMore({ ...NO_JOKES, view: current, next: listingUrl(current) }, count)
    isReload = false
  })
  // The history keeps the list, so that "back" restores it.
  effect(() => {
    const entry = { list: list.value, told: told.value }
    if (!isLoading.value && !failure.value) updateHistoryEntry(entry)
  })
  addEventListener('online', () => failure.value && loadMore())
}

/** Whether the list still shows the jokes of the previous view. */
export function isStale(): boolean {
  return urlOf(list.value.view) !== urlOf(view.value)
}

/** Removes a joke that is gone from the page. */
export function removeJoke(id: string): void {
  const { jokes, total, ofDay } = list.value
  list.value = {
    ...list.value,
    jokes: jokes.filter((joke) => joke.id !== id),
    total: total && total - 1,
    ofDay: ofDay?.joke.id === id ? undefined : ofDay,
  }
}

export function tell(...names: string[]): void {
  told.value = [...new Set([...told.value, ...names])]
}

/** Loads the jokes that follow those of a list, until it has at least `count` jokes, or retries the failed request. */
export async function loadMore(known = list.value, count = 0): Promise<void> {
  const current = view.value
  isLoading.value = true
  let loaded = known
  let failed: Problem | undefined
  try {
    do loaded = await withNextPage(loaded, count)
    while (loaded.next && loaded.jokes.length < count)
  } catch (error) {
    failed = problemOf(error)
  }
  // The user may have gone to another view during the request.
  if (view.value === current) settle(loaded, failed)
}

/** Returns a joke by itself if the user has opened it from the list on the page. */
function openedJoke(current: View): LoadedList | undefined {
  const { jokes, ofDay, total } = list.value
  const joke = [...jokes, ofDay?.joke].find((each) => each?.id === current.id)
  return joke && { ...NO_JOKES, view: current, jokes: [joke], total }
}

async function withNextPage(known: LoadedList, count: number): Promise<LoadedList> {
  const ofDay = known.jokes[0] ? known.ofDay : jokeOfDayFor(known.view)
  const { jokes, ...page } = await getPage(withMissing(`${known.next}`, count - known.jokes.length))
  // A joke whose votes changed may come again on a later page.
  const distinct = new Map([...known.jokes, ...jokes].map((joke) => [joke.id, joke]))
  // The list does not wait long for what only decorates it.
  return { ...known, ...page, jokes: [...distinct.values()], ofDay: await Promise.race([ofDay, pause(1)]) }
}

/** Returns the joke of the day for the list of all jokes, in UTC. Other views have none, and so has a failed request. */
async function jokeOfDayFor(current: View): Promise<LoadedList['ofDay']> {
  if (!isWholeList(current)) return undefined
  const date = new Date().toISOString().slice(0, 10)
  // A seed gives everyone the same random order.
  const page = await getPage(`/joke?sortBy=random&seed=${date}&numberofJokes=1`).catch(() => undefined)
  const joke = page?.jokes[0]
  return joke && { date, joke }
}

function settle(loaded: LoadedList, failed?: Problem): void {
  batch(() => {
    list.value = loaded
    failure.value = failed
    isLoading.value = false
  })
}
