/**
 * Which view is shown, and the way from one to the next. The browser's history holds each view's address and how it was
 * left, so that "back" finds it like that.
 */
import { signal } from '@preact/signals'
import type { Joke } from '../shared/joke.ts'
import { addressOf, START, type View, viewOf } from './view.ts'

/** The jokes of a view, as far as they are loaded. */
export interface List {
  view: View
  jokes: Joke[]
  /** Address of the next page. */
  next: string | undefined
}

/** What the history keeps of a view beside its address. */
interface Entry {
  list?: List
  /** What had been opened; see `opened` in collection.ts. */
  opened?: string[]
  /** `id` of the element that had the focus when another view was opened. */
  focus?: string
  /** How many steps back the list is that led to this joke. */
  stepsFromList?: number
  /** The field whose changes led here: further ones are part of the same step. */
  field?: keyof View
}

/** Changes that follow each other faster than this are one: of typing, and of arrow keys. */
const PAUSE_MS = 200

export const view = signal(START)

let first = view.value

/** Whether the reader has gone from one view to another since the page was opened. */
export function hasMoved(): boolean {
  return view.value !== first
}

/** Shows the view in the address bar, now and whenever the history moves. */
export function followAddress(): void {
  // Who reloads wants to know what is new.
  const [visit] = performance.getEntriesByType('navigation')
  if (visit instanceof PerformanceNavigationTiming && visit.type === 'reload') {
    const { stepsFromList } = entry()
    history.replaceState({ stepsFromList }, '')
  }
  const follow = () => {
    forgetSoon()
    view.value = viewOf(new URLSearchParams(location.search))
  }
  addEventListener('popstate', follow)
  follow()
  first = view.value
}

/** What the history keeps of the view shown. */
export function entry(): Entry {
  return history.state ?? {}
}

/** Adds to what the history keeps of the view shown. */
export function keep(changes: Entry): void {
  history.replaceState({ ...entry(), ...changes }, '')
}

/**
 * Shows a changed view from its top, one step on in the history.
 *
 * @param jokes all its jokes, where they are known
 */
export function change(changes: Partial<View>, jokes?: Joke[]): void {
  settle()
  const changed = { ...view.peek(), ...changes }
  const stepsFromList = stepsTo(changed)
  step('pushState', changed, {
    ...(jokes && { list: { view: changed, jokes, next: undefined } }),
    ...(stepsFromList && { stepsFromList }),
  })
}

let soon: { timer: ReturnType<typeof setTimeout>; apply: () => void } | undefined

/** Like {@link change}, after a pause; all changes of one field in a row are a single step in the history. */
export function changeSoon<Field extends keyof View>(field: Field, value: View[Field]): void {
  forgetSoon()
  const apply = () => {
    const changed = { ...view.peek(), id: undefined, [field]: value }
    if (addressOf(changed) === addressOf(view.peek())) return
    step(entry().field === field ? 'replaceState' : 'pushState', changed, { field })
  }
  soon = { timer: setTimeout(settle, PAUSE_MS), apply }
}

/** Does at once what {@link changeSoon} would do after its pause. */
export function settle(): void {
  const due = soon
  forgetSoon()
  due?.apply()
}

function forgetSoon(): void {
  clearTimeout(soon?.timer)
  soon = undefined
}

/** Leads from a joke to its list: back to where it was left, where that is in the history. */
export function showList(): void {
  const { stepsFromList } = entry()
  if (stepsFromList === undefined) change({ id: undefined })
  else history.go(-stepsFromList)
}

function step(method: 'pushState' | 'replaceState', changed: View, state: Entry): void {
  if (method === 'pushState') keep({ focus: document.activeElement?.id ?? '' })
  history[method](state, '', addressOf(changed))
  view.value = changed
  scrollTo(0, 0)
}

function stepsTo({ id }: View): number | undefined {
  if (id === undefined) return undefined
  if (view.peek().id === undefined) return 1
  const { stepsFromList } = entry()
  return stepsFromList && stepsFromList + 1
}
