/** The buttons that show jokes at random, none twice until all were shown. */
import { signal } from '@preact/signals'
import { Icon } from './icon.tsx'
import { hasNoJokes, MAX_PAGES } from './listState.ts'
import { flushNavigation, navigate, view } from './navigation.ts'
import { getPage, type Joke, randomUrl, toFailure } from './serviceClient.ts'
import { showToast } from './toast.ts'
import { DEFAULT_VIEW } from './urlState.ts'

/** Whether the user waits for a random joke. */
export const isPicking = signal(false)

/** By the URL of their first page. */
const decks: Record<string, ReturnType<typeof newDeck>> = {}

export function SurpriseButton(props: { id?: string; children: string }) {
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
  const url = randomUrl({ ...current, ...changes })
  decks[url] ??= newDeck(url)
  const { jokes, fill } = decks[url]
  try {
    for (let pages = 0, hasMore = true; ; pages++) {
      // A joke that was opened in another way comes here, too.
      if (jokes[0]?.id === current.id) jokes.shift()
      const joke = jokes.shift()
      if (joke) {
        navigate({ ...changes, id: joke.id }, [joke])
        // Lets the next joke be there at once. If this fails, it is tried again when it is asked for.
        if (jokes.length === 0) fill().catch(() => {})
        return
      }
      if (!hasMore || pages === MAX_PAGES) return showToast("That's the only joke here.")
      isPicking.value = true
      hasMore = await fill()
      // The user may have gone to another view meanwhile.
      if (view.value !== current) return
    }
  } catch (error) {
    showToast(toFailure(error).message)
  } finally {
    isPicking.value = false
  }
}

/** The jokes of a listing in a random order, as far as they are fetched. */
function newDeck(start: string) {
  const jokes: Joke[] = []
  let next = start
  let filling: Promise<boolean> | undefined
  return {
    jokes,
    /** Fetches further jokes; after the last one, all again in another order. Returns whether there may be more. */
    fill: () => {
      filling ??= getPage(next)
        .then((page) => {
          const isFirst = next === start
          jokes.push(...page.jokes)
          next = page.next ?? start
          return !isFirst || next !== start
        })
        .finally(() => {
          filling = undefined
        })
      return filling
    },
  }
}
