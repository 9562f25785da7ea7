/** Where the focus goes when what had it is gone. */
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { list } from './collection.ts'
import { entry, hasMoved } from './navigation.ts'

/** Moves it along from list to list: to where it was when the reader left that list, or to the joke that was opened. */
export function useListFocus(main: RefObject<HTMLElement | null>, address: string): void {
  useLayoutEffect(() => {
    const left = document.getElementById(entry().focus ?? '')
    const joke = list.value.view.id && hasMoved() ? main.current?.querySelector('article') : undefined
    const lost = hasMoved() && document.activeElement === document.body ? main.current : undefined
    const target = left ?? joke ?? lost
    target?.focus({ preventScroll: true })
  }, [main, address])
}

/** Hands it on to the jokes when the element that has it goes away. */
export function useHandOn<Held extends HTMLElement>(): RefObject<Held | null> {
  const held = useRef<Held>(null)
  useLayoutEffect(() => {
    const { current } = held
    return () => {
      if (current?.contains(document.activeElement)) document.getElementById('jokes')?.focus({ preventScroll: true })
    }
  }, [])
  return held
}
