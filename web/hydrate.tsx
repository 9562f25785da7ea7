/** The page's script. It takes over the prerendered HTML, loads the jokes, and listens for taps, keys and swipes. */
import { hydrate } from 'preact'
import { loadViews } from './listState.ts'
import { followHistory, navigateSoon, view } from './navigation.ts'
import { App } from './page.tsx'
import { showRandomJoke } from './surprise.tsx'
import { loadUpvotes } from './upvotes.ts'

/** A shorter movement of a finger is a tap. */
const MIN_SWIPE_PX = 60

const root = document.getElementById('page')
if (root) {
  // The user may have typed before the script was loaded.
  const typedBefore = root.querySelector<HTMLInputElement>('#search')?.value
  hydrate(<App />, root)
  loadUpvotes()
  followHistory()
  listenForGestures()
  loadViews()
  if (typedBefore) navigateSoon('search', typedBefore)
}

function listenForGestures(): void {
  addEventListener('click', (event) => {
    // The user may have marked some words to copy them.
    if (getSelection()?.isCollapsed) tell(targetOf(event).closest('.lead')?.parentElement)
  })
  addEventListener('keydown', (event) => {
    const { key, altKey, ctrlKey, metaKey, shiftKey } = event
    if (altKey || ctrlKey || metaKey || shiftKey || !isOnJoke(event)) return
    if (key === 'ArrowRight') showRandomJoke()
    // The space bar would scroll the page.
    if (key === ' ' && !targetOf(event).closest('a, button') && tell(document)) event.preventDefault()
  })
  let start: Touch | undefined
  addEventListener('touchstart', ({ touches }) => {
    start = touches.length === 1 ? touches[0] : undefined
  })
  addEventListener('touchend', (event) => {
    const [end] = event.changedTouches
    // In a page that is zoomed in, a finger moves the page.
    if (!start || !end || !isOnJoke(event) || Number(visualViewport?.scale) > 1) return
    const left = start.clientX - end.clientX
    if (left > MIN_SWIPE_PX && left > 2 * Math.abs(start.clientY - end.clientY)) showRandomJoke()
  })
}

function targetOf({ target }: Event): Element {
  return target instanceof Element ? target : document.body
}

/** Whether a single joke is on the page, and the user is not writing. */
function isOnJoke(event: Event): boolean {
  return view.value.id !== undefined && targetOf(event).closest('input, select, textarea, dialog') === null
}

/** Tells the punchline within a part of the page. Returns whether there was one to tell. */
function tell(within: ParentNode | null | undefined): boolean {
  const button = within?.querySelector<HTMLElement>('.tell')
  button?.click()
  return Boolean(button)
}
