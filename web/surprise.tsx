/** The buttons that show random jokes. None comes twice until all were shown. */
import { signal } from '@preact/signals'
import { Icon } from './icon.tsx'
import { hasNoJokes, MAX_PAGES } from './listState.ts'
import { flushNavigation, navigate, view } from './navigation.ts'
import { getPage, type Joke, randomUrl, toFailure } from './serviceClient.ts'
import { showToast } from './toast.ts'
import { DEFAULT_VIEW } from './urlState.ts'

/** Whether the user waits for a random joke. */
export const isPicking = signal(false)

/** The decks of random jokes, by the URL of their first page. */
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
      // The current joke is skipped. It may be next in the deck if a link has opened it.
      if (jokes[0]?.id === current.id) jokes.shift()
      const joke = jokes.shift()
      if (joke) {
        navigate({ ...changes, id: joke.id }, [joke])
        // The next joke is fetched in advance. If this fails, the next click tries again.
        if (jokes.length === 0) fill().catch(() => {})
        return
      }
      if (!hasMore || pages === MAX_PAGES) return showToast("That's the only joke here.")
      isPicking.value = true
      hasMore = await fill()
      // The user may have gone to another view during the request.
      if (view.value !== current) return
    }
  } catch (error) {
    showToast(toFailure(error).message)
  } finally {
    isPicking.value = false
  }
}

/** Returns a deck: the jokes of a random listing that are fetched and not yet shown. */
function newDeck(start: string) {
  const jokes: Joke[] = []
  let next = start
  let filling: Promise<boolean> | undefined
  return {
    jokes,
    /** Fetches the next page. After the last one, begins again in a new order. Returns whether more may follow. */
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
