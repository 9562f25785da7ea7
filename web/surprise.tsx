/** The button that shows random jokes. None comes twice until all were shown. */
import { signal } from '@preact/signals'
import { Icon } from './icon.tsx'
import { hasNoJokes } from './listState.ts'
import { flushNavigation, navigate, view } from './navigation.ts'
import { getPage, type ListPage, randomUrl, toFailure } from './serviceClient.ts'
import { showToast } from './toast.ts'
import { DEFAULT_VIEW } from './urlState.ts'

/** Whether the user waits for a random joke. */
export const isPicking = signal(false)

/** Decks by the URL of their first page: what is left of a random listing's page. */
const decks: Record<string, ListPage> = {}

export function SurpriseButton(props: { id: string; children: string }) {
  return (
    <button id={props.id} type="button" class="primary" aria-disabled={isPicking.value} onClick={showRandomJoke}>
      <Icon name="dice" /> {props.children}
    </button>
  )
}

/** Shows a joke of the current view, or any joke if the view has none. */
async function showRandomJoke(): Promise<void> {
  if (isPicking.value) return
  flushNavigation()
  const current = view.value
  const changes = hasNoJokes() ? DEFAULT_VIEW : {}
  isPicking.value = true
  try {
    const drawn = await draw(randomUrl({ ...current, ...changes }), current.id)
    // The user may have gone to another view during the request.
    if (view.value !== current) return
    if (drawn) navigate({ ...changes, id: drawn.jokes[0]?.id }, drawn)
    else showToast("There's no other joke here.")
  } catch (error) {
    showToast(toFailure(error).message)
  } finally {
    isPicking.value = false
  }
}

/** Returns the next joke of a deck, other than the one on the page. After the last one, begins again in a new order. */
async function draw(start: string, shown: string | undefined): Promise<ListPage | undefined> {
  decks[start] ??= { jokes: [], next: undefined, total: undefined }
  const deck = decks[start]
  // The last page may hold only the joke on the page, and so may the first one of the new order.
  for (let pages = 0; pages < 3; pages++) {
    const index = deck.jokes.findIndex(({ id }) => id !== shown)
    if (index >= 0) return { ...deck, jokes: deck.jokes.splice(0, index + 1).slice(-1), next: undefined }
    Object.assign(deck, await getPage(deck.next ?? start))
  }
  return undefined
}
