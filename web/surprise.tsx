/** The button that shows random jokes. None comes twice until all were shown. */
import { signal } from '@preact/signals'
import { Icon } from './icon.tsx'
import { hasNoJokes } from './listState.ts'
import { flushNavigation, navigate, view } from './navigation.ts'
import { awaited, getPage, type ListPage, randomUrl, sentenceFor, toFailure } from './serviceClient.ts'
import { showToast } from './toast.ts'
import { DEFAULT_VIEW } from './urlState.ts'

/** Whether the user waits for a random joke. */
export const isPicking = signal(false)

/** The URL of the next joke of each random order, by the URL of its first one. */
const nextUrls: Record<string, string | undefined> = {}

export function SurpriseButton(props: { id: string; children: string }) {
  return (
    <button id={props.id} type="button" class="primary" aria-disabled={isPicking.value} onClick={showRandomJoke}>
      <Icon name="dice" /> {props.children}
    </button>
  )
}

/** Shows a joke of the current view, or any joke if the view has none. */
export async function showRandomJoke(): Promise<void> {
  if (isPicking.value) return
  flushNavigation()
  const current = view.value
  const changes = hasNoJokes() ? DEFAULT_VIEW : {}
  isPicking.value = true
  try {
    const drawn = await awaited(draw(randomUrl({ ...current, ...changes }), current.id))
    // The user may have gone to another view during the request.
    if (view.value !== current) return
    if (drawn) navigate({ ...changes, id: drawn.jokes[0]?.id }, drawn)
    else showToast("There's no other joke here.")
  } catch (error) {
    showToast(sentenceFor(toFailure(error)))
  } finally {
    isPicking.value = false
  }
}

/** Returns the next joke of a random order, other than the one on the page. After the last one, begins a new order. */
async function draw(start: string, shown: string | undefined): Promise<ListPage | undefined> {
  // The joke on the page may be the last one of an order, and the first one of the next.
  for (let jokes = 0; jokes < 3; jokes++) {
    const { next, ...drawn } = await getPage(nextUrls[start] ?? start)
    nextUrls[start] = next
    if (drawn.jokes[0]?.id !== shown) return { ...drawn, next: undefined }
  }
  return undefined
}
