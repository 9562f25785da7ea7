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
  /** The number of steps back from a single joke to its list, or `undefined` if the history does not have the list. */
  stepsFromList?: number | undefined
}

export const view = signal(DEFAULT_VIEW)

/** Shows the view of the URL, now and whenever the user goes back, goes forward, or follows a link to a view. */
export function followUrl(): void {
  const showUrl = () => {
    view.value = viewOf(new URLSearchParams(location.search))
  }
  addEventListener('popstate', showUrl)
  addEventListener('click', followLink)
  showUrl()
}

export function historyEntry(): HistoryEntry {
  return history.state ?? {}
}

export function updateHistoryEntry(changes: HistoryEntry): void {
  history.replaceState({ ...historyEntry(), ...changes }, '')
}

/**
 * Shows a changed view from its top. Goes back in the history from a joke to its list if the list is there.
 *
 * @param known all jokes of the view, if they are known
 */
export function navigate(changes: Partial<View>, known?: ListPage): void {
  const current = view.peek()
  const changed = { ...current, ...changes }
  const isSameList = urlOf({ ...current, id: undefined }) === urlOf({ ...changed, id: undefined })
  const stepsFromList = current.id === undefined ? 0 : historyEntry().stepsFromList
  if (isSameList && changed.id === undefined && stepsFromList) {
    history.go(-stepsFromList)
    return
  }
  updateHistoryEntry({ focus: document.activeElement?.id ?? '' })
  // A search that is typed further keeps its history entry.
  const isTypedFurther = current.search && changed.search && current.search !== changed.search
  const entry: HistoryEntry = {
    list: known && { ...known, view: changed },
    stepsFromList: isSameList && stepsFromList !== undefined ? stepsFromList + 1 : undefined,
  }
  history[isTypedFurther ? 'replaceState' : 'pushState'](entry, '', urlOf(changed))
  view.value = changed
  scrollTo(0, 0)
}

/** Whether the page itself added the current entry of the history, so that "back" stays on the page. */
export function canGoBack(): boolean {
  return 'stepsFromList' in historyEntry()
}

/** Follows a link to a view without loading the page again. */
function followLink(event: MouseEvent): void {
  const link = event.target instanceof Element && event.target.closest<HTMLAnchorElement>('[href="/"], [href^="/?"]')
  // With a key, the browser opens another tab or window.
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey) return
  event.preventDefault()
  navigate(viewOf(new URLSearchParams(link.search)))
}
