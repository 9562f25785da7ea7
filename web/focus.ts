/** Moves the focus when the list changes. */
import { useLayoutEffect } from 'preact/hooks'
import { list } from './listState.ts'
import { historyEntry } from './navigation.ts'

/**
 * Moves the focus with each new view, to the element that had it when the user left this view, or to the single joke.
 * When the focused element disappears, moves the focus to "Try again" if it is shown, or else to the list.
 */
export function useListFocus(url: string): void {
  const focused = globalThis.document?.activeElement
  useLayoutEffect(() => {
    const restored = document.getElementById(historyEntry().focus ?? '')
    // After the page was opened, nothing has the focus yet.
    const joke = list.value.view.id && focused !== document.body ? document.querySelector('article') : undefined
    const target = restored ?? joke
    target?.focus({ preventScroll: true })
  }, [url])
  useLayoutEffect(() => {
    if (focused === document.body || document.activeElement !== document.body) return
    const retry = document.getElementById('retry')
    if (retry) retry.focus()
    else document.getElementById('jokes')?.focus({ preventScroll: true })
  })
}
