/** Links to views, which open without loading the page again. */
import type { ComponentChildren } from 'preact'
import { backToList, historyEntry, navigate, view } from './navigation.ts'
import { Text } from './text.tsx'
import { DEFAULT_VIEW, urlOf, type View } from './urlState.ts'

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

/** A link from a single joke to its list. It goes back in the history if the list is there. */
export function ListLink() {
  const { search, categories } = view.value
  return (
    <ViewLink class="button" to={{ ...view.value, id: undefined }} onFollow={backToList}>
      <Text>{historyEntry().stepsFromList || search || categories[0] ? 'Back to the list' : 'All jokes'}</Text>
    </ViewLink>
  )
}
