/** Loads the list of jokes, and holds its state. */
import { batch, effect, signal, untracked } from '@preact/signals'
import { rememberAdded, withAdded } from './added.ts'
import { historyEntry, type LoadedList, navigate, updateHistoryEntry, view } from './navigation.ts'
import { type Failure, getPage, type Joke, type ListPage, listingUrl, toFailure } from './serviceClient.ts'
import { toast } from './toast.ts'
import { DEFAULT_VIEW, urlOf } from './urlState.ts'

const NO_JOKES: ListPage = { jokes: [], next: undefined, total: undefined }

/** The jokes on the page. They belong to the previous view until those of the current view are loaded. */
export const list = signal<LoadedList>({ view: DEFAULT_VIEW, ...NO_JOKES })
/** Text for the user that says what is loading. It is empty while nothing is. */
export const activity = signal('Fetching jokes…')
export const failure = signal<Failure | undefined>(undefined)
/** The punchlines and long texts that the user has opened, by the `id` of their element. */
export const opened = signal<string[]>([])

let request = new AbortController()

/** Loads the jokes of the current view, and of every view that the user goes to. */
export function loadViews(): void {
  effect(() => {
    const current = view.value
    untracked(() => {
      const entry = historyEntry()
      failure.value = undefined
      toast.value = ''
      if (entry.list === undefined) return void load({ ...NO_JOKES, view: current, next: listingUrl(current) })
      request.abort()
      opened.value = [...new Set([...opened.value, ...(entry.opened ?? [])])]
      showLoaded(entry.list)
    })
  })
  // The history keeps the list, so that "back" restores it.
  effect(() => {
    const entry = { list: list.value, opened: opened.value }
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
  navigate({ id: joke.id }, { ...NO_JOKES, jokes: [joke], total: list.value.total })
}

/** Shows a joke that the user has added, with its punchline told. */
export function showAdded(joke: Joke): void {
  opened.value = [...opened.value, `tell-${joke.id}`]
  rememberAdded(joke)
  navigate({ ...DEFAULT_VIEW, id: joke.id }, { ...NO_JOKES, jokes: [joke] })
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
  try {
    const { jokes, ...page } = await getPage(`${known.next}`, signal)
    // A joke whose votes changed may come again on a later page.
    const isNew = ({ id }: Joke) => known.jokes.every((joke) => joke.id !== id)
    showLoaded({ ...known, ...page, jokes: [...known.jokes, ...jokes.filter(isNew)] })
  } catch (error) {
    if (signal.aborted) return
    batch(() => {
      list.value = known
      failure.value = toFailure(error)
      activity.value = ''
    })
  }
}

function showLoaded(loaded: LoadedList): void {
  batch(() => {
    list.value = withAdded(loaded)
    failure.value = undefined
    activity.value = ''
  })
}
