/** Passing a joke on. */
import type { Joke } from '../shared/joke.ts'
import { showJoke } from './collection.ts'
import { tell } from './notice.ts'
import { addressOf } from './view.ts'

/** Opens the browser's own way to share; where it has none, copies the joke's address. */
export async function share(joke: Joke): Promise<void> {
  const url = new URL(addressOf({ id: joke.id }), location.href).href
  try {
    if (typeof navigator.share === 'function') return await navigator.share({ text: joke.joke, url })
    await navigator.clipboard.writeText(url)
    tell('Copied the address of this joke.')
  } catch (error) {
    // Closing the dialog is no failure.
    if (error instanceof DOMException && error.name === 'AbortError') return
    showJoke(joke)
    tell('Copy the address of this page to share the joke.')
  }
}
