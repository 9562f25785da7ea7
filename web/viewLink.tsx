import type { ComponentChildren } from 'preact'
import { navigate } from './navigation.ts'
import { DEFAULT_VIEW, urlOf, type View } from './urlState.ts'

/** A link to a view, which opens without loading the page again. */
export function ViewLink(props: {
  /** Omitted fields take their defaults. */
  to: Partial<View>
  /** Called instead of showing the view. */
  onFollow?: (() => void) | undefined
  id?: string
  class?: string
  'aria-label'?: string
  children: ComponentChildren
}) {
  const { to, onFollow = () => navigate({ ...DEFAULT_VIEW, ...to }), ...attributes } = props
  return (
    <a
      {...attributes}
      href={urlOf(to)}
      onClick={(event) => {
        // The browser opens a new tab or window.
        if (event.metaKey || event.ctrlKey || event.shiftKey) return
        event.preventDefault()
        onFollow()
      }}
    />
  )
}
