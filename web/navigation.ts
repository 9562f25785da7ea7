/**
 * Moves from one view to another. Each entry of the browser's history holds the view's URL, and the state in which the
 * view was left, so that "back" restores it.
 */
import { signal } from '@preact/signals'
import type { Joke, ListPage } from './serviceClient.ts'
import { DEFAULT_VIEW, urlOf, type View, viewOf } from './urlState.ts'

/** A view, with the jokes loaded so far, and the joke of the day above them. */
export interface LoadedList extends ListPage {
  view: View
  ofDay?: { date: string; joke: Joke } | undefined
}

/** The state that the browser's history holds for a view. */
interface HistoryEntry {
  list?: LoadedList | undefined
  /** The value of `told` in listState.ts. */
  told?: string[]
  /** `id` of the element that had the focus when the user left. */
  focus?: string
  /** The number of steps back in the history from a single joke to its list. */
  stepsFromList?: number | undefined
  /** The field whose change led here. Further changes of it replace this entry. */
  field?: keyof View
}

/** Changes that follow each other faster than this, by typing or arrow keys, count as one. */
const DEBOUNCE_MS = 200

export const view = signal(DEFAULT_VIEW)

/** Shows the view of the URL, now and whenever the user goes back or forward. */
export function followHistory(): void {
  const showUrl = () => {
    pending = NOTHING
    view.value = viewOf(new URLSearchParams(location.search))
  }
  addEventListener('popstate', showUrl)
  showUrl()
}

export function historyEntry(): HistoryEntry {
  return history.state ?? {}
}

export function updateHistoryEntry(changes: HistoryEntry): void {
  history.replaceState({ ...historyEntry(), ...changes }, '')
}

/**
 * Shows a changed view from its top, as a new history entry.
 *
 * @param page all jokes of the view, if they are known
 */
export function navigate(changes: Partial<View>, page?: ListPage): void {
  flushNavigation()
  const changed = { ...view.peek(), ...changes }
  show('pushState', changed, { list: page && { ...page, view: changed }, stepsFromList: stepsTo(changed) })
}

const NOTHING = () => {}
/** The navigation that is delayed. */
let pending = NOTHING
let timer: ReturnType<typeof setTimeout>

/** Like {@link navigate}, debounced. Changes of one field in a row share a history entry. */
export function navigateSoon<Field extends keyof View>(field: Field, value: View[Field]): void {
  pending = () => {
    const changed = { ...view.peek(), id: undefined, [field]: value }
    if (urlOf(changed) === urlOf(view.peek())) return
    show(historyEntry().field === field ? 'replaceState' : 'pushState', changed, { field })
  }
  clearTimeout(timer)
  timer = setTimeout(flushNavigation, DEBOUNCE_MS)
}

/** Shows the view that {@link navigateSoon} has delayed. */
export function flushNavigation(): void {
  const due = pending
  pending = NOTHING
  due()
}

/** Goes from a joke to its list. Goes back in the history if the list is there. */
export function backToList(): void {
  const { stepsFromList } = historyEntry()
  if (stepsFromList === undefined) navigate({ id: undefined })
  else history.go(-stepsFromList)
}

function show(method: 'pushState' | 'replaceState', changed: View, entry: HistoryEntry): void {
  if (method === 'pushState') updateHistoryEntry({ focus: document.activeElement?.id ?? '' })
  history[method](entry, '', urlOf(changed))
  view.value = changed
  scrollTo(0, 0)
}

/** Returns the number of steps from the list to a view, or `undefined` for a list, or a joke without a known list. */
function stepsTo({ id }: View): number | undefined {
  if (id === undefined) return undefined
  if (view.peek().id === undefined) return 1
  const { stepsFromList } = historyEntry()
  return stepsFromList && stepsFromList + 1
}
