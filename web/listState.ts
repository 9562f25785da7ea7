/** Loads the list of jokes, and holds its state. */
import { batch, effect, signal, untracked } from '@preact/signals'
import { historyEntry, type LoadedList, navigate, updateHistoryEntry, view } from './navigation.ts'
import { type Failure, getPage, type Joke, listingUrl, toFailure, withRetries } from './serviceClient.ts'
import { toast } from './toast.ts'
import { DEFAULT_VIEW, urlOf } from './urlState.ts'

/** The jokes on the page. They belong to the previous view until those of the current view are loaded. */
export const list = signal<LoadedList>({ view: DEFAULT_VIEW, jokes: [], next: undefined })
/** Text for the user that says what is loading. It is empty while nothing is. */
export const activity = signal('Fetching jokes…')
export const failure = signal<Failure | undefined>(undefined)
/** Seconds until the next retry, or 0 if none is planned. */
export const retrySeconds = signal(0)
/** The punchlines and long texts that the user has opened, by the `id` of their element. */
export const opened = signal<string[]>([])

/** The number of pages without a new joke after which the user decides whether to continue. */
export const MAX_PAGES = 5

/** The number of jokes that the user has added. A list with another number is outdated, and is loaded again. */
let additions = 0

let request = new AbortController()

/** Loads the jokes of the current view, and of every view that the user goes to. */
export function loadViews(): void {
  additions = historyEntry().additions ?? 0
  effect(() => {
    const current = view.value
    untracked(() => {
      const entry = historyEntry()
      failure.value = undefined
      toast.value = ''
      const isOutdated = entry.additions !== additions && current.id === undefined
      if (entry.list === undefined || isOutdated)
        return void load({ view: current, jokes: [], next: listingUrl(current) })
      request.abort()
      opened.value = [...new Set([...opened.value, ...(entry.opened ?? [])])]
      showLoaded(entry.list)
    })
  })
  // The history keeps the list, so that "back" restores it.
  effect(() => {
    const entry = { list: list.value, opened: opened.value, additions }
    if (activity.value === '' && failure.value === undefined) updateHistoryEntry(entry)
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
  return list.value.jokes.length === 0 && failure.value === undefined && activity.value === ''
}

/** Loads the next page, or retries the failed request. */
export function loadMore(): Promise<void> {
  return load(list.value)
}

/** Shows a single joke that is already loaded. */
export function showJoke(joke: Joke): void {
  navigate({ id: joke.id }, [joke])
}

/** Shows a joke that the user has added, with its punchline told. */
export function showAdded(joke: Joke): void {
  opened.value = [...opened.value, `tell-${joke.id}`]
  // Raised only now, or the list would be stored as one that has the joke.
  additions += 1
  showJoke(joke)
}

/** Updates a joke, if it is on the page. */
export function replaceJoke(joke: Joke): void {
  const { jokes, ...others } = list.value
  list.value = { ...others, jokes: jokes.map((shown) => (shown.id === joke.id ? joke : shown)) }
}

/** Opens or closes a punchline or a long text. */
export function toggle(id: string): void {
  const others = opened.value.filter((other) => other !== id)
  opened.value = others.length < opened.value.length ? others : [...others, id]
}

/** Loads the jokes that follow those of a list. */
async function load(known: LoadedList): Promise<void> {
  request.abort()
  request = new AbortController()
  const { signal } = request
  activity.value = failure.value ? 'Trying again…' : 'Fetching jokes…'
  retrySeconds.value = 0
  const showFailure = (error: unknown, secondsLeft: number, currentActivity: string) =>
    batch(() => {
      list.value = known
      failure.value = toFailure(error)
      retrySeconds.value = secondsLeft
      activity.value = currentActivity
    })
  try {
    const loaded = await withRetries(
      () => loadNewJokes(known, signal),
      (error, secondsLeft) => showFailure(error, secondsLeft, secondsLeft > 0 ? '' : 'Trying again…'),
      signal,
    )
    showLoaded(loaded)
  } catch (error) {
    if (!signal.aborted) showFailure(error, 0, '')
  }
}

/** Gets pages until one has new jokes. */
async function loadNewJokes({ view, jokes, next }: LoadedList, signal: AbortSignal): Promise<LoadedList> {
  const known = new Set(jokes.map(({ id }) => id))
  for (let pages = 0; next !== undefined && pages < MAX_PAGES; pages++) {
    const page = await getPage(next, signal)
    next = page.next
    // A joke whose votes changed may come again on a later page.
    const added = page.jokes.filter(({ id }) => !known.has(id))
    if (added.length > 0) return { view, jokes: [...jokes, ...added], next }
  }
  return { view, jokes, next }
}

function showLoaded(loaded: LoadedList): void {
  batch(() => {
    list.value = loaded
    failure.value = undefined
    activity.value = ''
  })
}
