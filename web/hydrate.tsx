/** The page's script. It takes over the prerendered HTML, loads the jokes, and listens for taps and keys. */
import { hydrate } from 'preact'
import { loadViews } from './listState.ts'
import { canGoBack, followUrl, navigate, view } from './navigation.ts'
import { App } from './page.tsx'
import { showRandomJoke } from './surprise.tsx'

// The user may have typed before the script was loaded.
const typedBefore = document.querySelector<HTMLInputElement>('[name=search]')?.value
hydrate(<App />, document.getElementById('page') ?? document.body)
followUrl()
if (typedBefore) navigate({ search: typedBefore })
loadViews()
addEventListener('click', tapSetup)
addEventListener('keydown', pressKey)

/** A tap on the setup tells the punchline, unless the user has marked some words to copy them. */
function tapSetup({ target }: MouseEvent): void {
  const setup = target instanceof Element && target.closest('.lead')
  if (setup && getSelection()?.isCollapsed) setup.parentElement?.querySelector<HTMLElement>('.tell')?.click()
}

/** On a single joke, the space bar tells the punchline, the right arrow draws another joke, and the left one goes back. */
function pressKey(event: KeyboardEvent): void {
  const { key, altKey, ctrlKey, metaKey, shiftKey } = event
  const isElsewhere = view.value.id === undefined || document.querySelector('dialog[open]') !== null
  if (altKey || ctrlKey || metaKey || shiftKey || isElsewhere) return
  if (key === 'ArrowRight') showRandomJoke()
  if (key === 'ArrowLeft' && canGoBack()) history.back()
  const tell = document.querySelector<HTMLElement>('.tell')
  if (key !== ' ' || !tell || document.activeElement?.matches('a, button')) return
  // The space bar would scroll the page.
  event.preventDefault()
  tell.click()
}
