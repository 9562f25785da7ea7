/** A speech bubble. It folds a long text after some lines, with a button to open it. */
import { useComputed, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { opened, toggle } from './listState.ts'

export function Bubble(props: {
  id: string
  class: string
  lang: string | undefined
  /** Never fold the text. */
  isWhole: boolean
  children: ComponentChildren
}) {
  const { id, lang, isWhole, children } = props
  const text = useRef<HTMLParagraphElement>(null)
  const isCut = useSignal(false)
  const isOpen = useIsOpened(id)
  const isFolded = !isWhole && !isOpen

  useLayoutEffect(() => {
    const { current } = text
    if (current === null || !isFolded) return
    const measure = () => {
      isCut.value = current.scrollHeight > current.clientHeight
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(current)
    return () => observer.disconnect()
  }, [isCut, isFolded])

  return (
    <div class={`bubble ${props.class}`}>
      <p id={id} ref={text} class={isFolded ? 'folded' : undefined} dir="auto" lang={lang} tabIndex={-1}>
        {children}
      </p>
      {!isWhole && (isCut.value || isOpen) && (
        <button type="button" class="read-on" aria-expanded={isOpen} aria-controls={id} onClick={() => toggle(id)}>
          {isOpen ? 'Read less' : 'Read on'}
        </button>
      )}
    </div>
  )
}

/** Whether the user has opened a text. A change renders only what asks for this text again. */
export function useIsOpened(id: string): boolean {
  return useComputed(() => opened.value.includes(id)).value
}
