/** The page's script. It takes over the prerendered HTML, and loads the jokes. */
import { hydrate } from 'preact'
import { listenForGestures } from './gestures.ts'
import { loadViews } from './listState.ts'
import { followHistory, navigateSoon } from './navigation.ts'
import { App } from './page.tsx'
import { loadUpvotes } from './upvotes.ts'

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
