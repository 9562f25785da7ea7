/** Shares a joke. */
import { showJoke } from './listState.ts'
import type { Joke } from './serviceClient.ts'
import { showToast } from './toast.ts'
import { urlOf } from './urlState.ts'

/** Opens the browser's dialog to share; without one, copies the link to the joke. */
export async function share(joke: Joke): Promise<void> {
  const url = new URL(urlOf({ id: joke.id }), location.href).href
  try {
    if (typeof navigator.share === 'function') return await navigator.share({ text: joke.joke, url })
    await navigator.clipboard.writeText(url)
    showToast('Link copied.')
  } catch (error) {
    // The user has closed the dialog.
    if (error instanceof DOMException && error.name === 'AbortError') return
    showJoke(joke)
    showToast('Could not copy the link. Please copy this page’s address instead.')
  }
}
