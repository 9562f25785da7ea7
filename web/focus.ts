/** Moves the focus when the element that has it goes away. */
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { list } from './listState.ts'
import { hasNavigated, historyEntry } from './navigation.ts'

/**
 * Moves the focus with each new view: to the element that had it when the user left this view, to the single joke, or to
 * the list if the focus was lost.
 */
export function useListFocus(url: string): void {
  useLayoutEffect(() => {
    const main = document.getElementById('jokes')
    const restored = document.getElementById(historyEntry().focus ?? '')
    const joke = list.value.view.id && hasNavigated() ? main?.querySelector('article') : undefined
    const isLost = hasNavigated() && document.activeElement === document.body
    const target = restored ?? joke ?? (isLost ? main : undefined)
    target?.focus({ preventScroll: true })
  }, [url])
}

/** Moves the focus to the list when the element with the returned ref goes away while it has the focus. */
export function useFocusFallback<Target extends HTMLElement>(): RefObject<Target | null> {
  const element = useRef<Target>(null)
  useLayoutEffect(() => {
    const { current } = element
    return () => {
      if (current?.contains(document.activeElement)) document.getElementById('jokes')?.focus({ preventScroll: true })
    }
  }, [])
  return element
}
