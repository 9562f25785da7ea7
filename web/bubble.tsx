/** A speech bubble. It folds a long text after some lines, with a button to open it. */
import { useComputed } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { opened, toggle } from './listState.ts'
import { Text } from './text.tsx'

export function Bubble(props: {
  id: string
  class: string
  lang: string | undefined
  /** Whether the text is never folded. */
  isWhole: boolean
  children: ComponentChildren
}) {
  const { id, lang, isWhole, children } = props
  const isOpen = useIsOpened(id)
  return (
    <div class={`bubble ${props.class}`}>
      <p id={id} class={isWhole || isOpen ? undefined : 'folded'} dir="auto" lang={lang} tabIndex={-1}>
        {children}
      </p>
      {!isWhole && (
        <button type="button" class="read-more" aria-expanded={isOpen} onClick={() => toggle(id)}>
          <Text>{isOpen ? 'Read less' : 'Read more'}</Text>
        </button>
      )}
    </div>
  )
}

/** Whether the user has opened a text. A change renders only the component that calls this for the same text. */
export function useIsOpened(id: string): boolean {
  return useComputed(() => opened.value.includes(id)).value
}
