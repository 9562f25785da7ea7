/** A link to a view, which leads there without leaving the page. */
import type { ComponentChildren } from 'preact'
import { addressOf, show, type View } from './view.ts'

export function ViewLink(props: {
  /** What is not told is as at the start. */
  to: Partial<View>
  class?: string
  onFollow?: () => void
  children: ComponentChildren
}) {
  const { to, onFollow, children } = props
  return (
    <a
      class={props.class}
      href={addressOf(to)}
      onClick={(event) => {
        // It is to open elsewhere.
        if (event.metaKey || event.ctrlKey || event.shiftKey) return
        event.preventDefault()
        onFollow?.()
        show(to)
      }}
    >
      {children}
    </a>
  )
}
