/** The button that shows random jokes. None comes twice until all were shown. */
import { signal } from '@preact/signals'
import { Icon } from './icon.tsx'
import { failure, isLoading, list, showJoke } from './listState.ts'
import { flushNavigation, view } from './navigation.ts'
import { awaited, filteredUrl, getPage, sentenceFor, toFailure } from './serviceClient.ts'
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
  const isEmpty = list.value.jokes.length === 0 && failure.value === undefined && !isLoading.value
  const changes = isEmpty ? DEFAULT_VIEW : {}
  isPicking.value = true
  try {
    const drawn = await awaited(draw(filteredUrl({ ...current, ...changes }, 1, 'sortBy=random'), current.id))
    // The user may have gone to another view during the request.
    if (view.value !== current) return
    if (drawn) showJoke(drawn.joke, drawn.total, changes)
    else showToast("There's no other joke here.")
  } catch (error) {
    showToast(sentenceFor(toFailure(error)))
  } finally {
    isPicking.value = false
  }
}

/** Returns the next joke of a random order, other than the one on the page. After the last one, begins a new order. */
async function draw(start: string, shown: string | undefined) {
  // The joke on the page may be the last one of an order, and the first one of the next.
  for (let attempt = 0; attempt < 3; attempt++) {
    const page = await getPage(nextUrls[start] ?? start)
    nextUrls[start] = page.next
    const [joke] = page.jokes
    if (joke && joke.id !== shown) return { joke, total: page.total }
  }
  return undefined
}
