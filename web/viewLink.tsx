/** A link to a view, which leads there without leaving the page. */
import type { ComponentChildren } from 'preact'
import { change } from './navigation.ts'
import { addressOf, START, type View } from './view.ts'

export function ViewLink(props: {
  /** Omitted fields take their defaults. */
  to: Partial<View>
  id?: string
  class?: string
  /** Does more, or something else, than to lead there by `follow`. */
  onFollow?: (follow: () => void) => void
  children: ComponentChildren
}) {
  const { to, id, onFollow, children } = props
  return (
    <a
      id={id}
      class={props.class}
      href={addressOf(to)}
      onClick={(event) => {
        // The reader opens it in a tab or window of its own.
        if (event.metaKey || event.ctrlKey || event.shiftKey) return
        event.preventDefault()
        const follow = () => change({ ...START, ...to })
        if (onFollow) onFollow(follow)
        else follow()
      }}
    >
      {children}
    </a>
  )
}
