/** Shares a joke. */
import type { Joke } from './serviceClient.ts'
import { showToast } from './toast.ts'
import { urlOf } from './urlState.ts'

/** Opens the browser's dialog to share. Without one, copies the link to the joke, or lets the user copy it. */
export async function share(joke: Joke): Promise<void> {
  const url = location.origin + urlOf({ id: joke.id })
  try {
    if (typeof navigator.share === 'function') return await navigator.share({ text: joke.joke, url })
    await navigator.clipboard.writeText(url)
    showToast('Link copied.')
  } catch (error) {
    // The browser reports this when the user closes the dialog.
    if (error instanceof DOMException && error.name === 'AbortError') return
    prompt('Link to this joke:', url)
  }
}
