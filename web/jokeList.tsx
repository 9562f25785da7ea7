/** The list of jokes, with its summary above and the button for more below. */
import { useLayoutEffect } from 'preact/hooks'
import { openAddJoke } from './addJoke.tsx'
import { Face, Icon } from './icon.tsx'
import { JokeCard } from './jokeCard.tsx'
import { failure, isLoading, isStale, list, loadMore } from './listState.ts'
import { canGoBack, historyEntry, view } from './navigation.ts'
import { type Problem, sentenceFor } from './serviceClient.ts'
import { isPicking, SurpriseButton } from './surprise.tsx'
import { Text, Waiting } from './text.tsx'
import { isWholeList, nameCategories, urlOf, type View } from './urlState.ts'

export function JokeList() {
  const { id, search, categories } = view.value
  const { view: listed, jokes, ofDay } = list.value
  const others = jokes.filter((joke) => joke.id !== ofDay?.joke.id)
  const url = urlOf(listed)
  const isEmpty = jokes.length === 0
  // Until the joke is loaded, the layout is the server's, which knows whether the joke exists.
  const isWaiting = isLoading.value || (failure.value && id)
  const isSingle = isEmpty ? isWaiting && globalThis.document?.documentElement.classList.contains('single') : listed.id
  const isBehind = isPicking.value || isStale()
  useLayoutEffect(() => {
    const subject = listed.id ? jokes[0]?.joke : listed.search.trim() || nameCategories(listed)
    document.title = subject ? `${subject} · Joke Service` : 'Joke Service'
    document.documentElement.classList.toggle('single', Boolean(isSingle))
  })
  useListFocus(url)

  return (
    <main id="jokes" tabIndex={-1} aria-label="Jokes">
      <div class="summary">
        {id && isSingle && (
          <a class="button quiet" href={urlOf({ ...view.value, id: undefined })}>
            <Icon name="back" />
            <Text>{historyEntry().stepsFromList || search || categories[0] ? 'Back to the list' : 'All jokes'}</Text>
          </a>
        )}
        <div aria-live="polite">
          <Summary />
        </div>
      </div>
      {ofDay && (
        <section key={url} class="day" data-stale={isBehind} aria-labelledby="day">
          <h2 id="day">Joke of the day · {new Date(ofDay.date).toLocaleDateString('en-GB', DAY)}</h2>
          <JokeCard joke={ofDay.joke} view={listed} isOfDay />
        </section>
      )}
      {!isEmpty && (
        // The key gives each view a new element. Otherwise, jokes that are in both views would move.
        <ul key={url} class="jokes" aria-busy={isLoading.value} data-stale={isBehind}>
          {others.map((joke) => (
            <li key={joke.id}>
              <JokeCard joke={joke} view={listed} />
            </li>
          ))}
        </ul>
      )}
      {afterJokes()}
      {isSingle && (!isEmpty || failure.value) && (
        <div>
          <SurpriseButton id="another">Another one</SurpriseButton>
          <p class="keys">
            Press <span class="untold">Space for the punchline, </span>→ for another joke
            {canGoBack() && ', ← to go back'}.
          </p>
        </div>
      )}
    </main>
  )
}

const DAY = { day: 'numeric', month: 'long', timeZone: 'UTC' } as const

/** The part below the jokes: a failure, a placeholder, or the button for more. */
function afterJokes() {
  const { view, jokes, next, total } = list.value
  if (failure.value) return <LoadFailure problem={failure.value} />
  if (jokes.length === 0) return !isLoading.value && <NoJokes view={view} />
  const progress = `(${jokes.length} of ${total.toLocaleString('en-GB')})`
  return next && <LoadButton class="more">{`More jokes ${progress}`}</LoadButton>
}

/** Says which jokes are on the page, or what the page is doing. The style sheet hides what a panel says too. */
function Summary() {
  const { view: listed, jokes, total } = list.value
  const isEmpty = jokes.length === 0
  if (failure.value && isEmpty) return null
  if (isPicking.value) return <Waiting>Picking a joke…</Waiting>
  if (isLoading.value && (isEmpty || isStale())) return <Waiting>Loading…</Waiting>
  const words = listed.search.trim()
  const filters = (listed.categories[0] ? ` in ${nameCategories(listed)}` : '') + (words && ` for “${words}”`)
  const found = `${total.toLocaleString('en-GB')} ${total === 1 ? 'joke' : 'jokes'}${filters}`
  if (listed.id) return <Text>{filters && total > 0 ? `1 of ${found}` : ''}</Text>
  return (
    <h2>
      <Text>{found}</Text>
    </h2>
  )
}

function NoJokes({ view }: { view: View }) {
  const [title, advice] = explain(view)
  return (
    <div key={title + advice} class="panel">
      <Face mood={view.id ? 'puzzled' : 'waiting'} />
      <h2>{title}</h2>
      <p>{advice}</p>
      {isWholeList(view) ? (
        <button id="first" type="button" class="primary" onClick={openAddJoke}>
          Add a joke
        </button>
      ) : (
        <a class="button" href={urlOf({ order: view.order })}>
          All jokes
        </a>
      )}
    </div>
  )
}

function explain(view: View): [title: string, advice: string] {
  if (view.id) return ['We can’t find this joke', 'The link may be incomplete, or the joke was removed.']
  if (isWholeList(view)) return ['Not a single joke yet', 'An empty stage, and everyone is looking at you.']
  const advice = view.search.trim() ? 'Try the start of a word: “chick” finds “chicken”.' : 'Be the first to add one.'
  return ['Nobody has told that one yet', advice]
}

function LoadFailure({ problem }: { problem: Problem }) {
  const isOffline = problem.code === 'offline'
  return (
    <div class="panel">
      <Face mood="puzzled" />
      <h2>
        <Text>{isOffline ? 'No connection' : 'That didn’t work'}</Text>
      </h2>
      <p role="alert">
        <Text>{isOffline ? 'The jokes are fine. It’s the connection that isn’t laughing.' : sentenceFor(problem)}</Text>
      </p>
      <LoadButton id="retry" class="primary">
        Try again
      </LoadButton>
    </div>
  )
}

function LoadButton({ children, ...attributes }: { id?: string; class: string; children: string }) {
  return (
    <button {...attributes} type="button" aria-disabled={isLoading.value} onClick={showMore}>
      {isLoading.value && !isStale() ? <Waiting>Loading…</Waiting> : <Text>{children}</Text>}
    </button>
  )
}

/** Loads the next page, or retries the failed request. Then moves the focus to the first new joke. */
async function showMore(): Promise<void> {
  if (isLoading.value) return
  // The joke of the day is not among them.
  const known = document.querySelectorAll('.jokes article').length
  await loadMore()
  document.querySelectorAll<HTMLElement>('.jokes article')[known]?.focus({ preventScroll: true })
}

/**
 * Moves the focus with each new view, to the element that had it when the user left this view, or to the single joke.
 * When the focused element disappears, moves the focus to "Try again" if it is shown, or else to the list.
 */
function useListFocus(url: string): void {
  const focused = globalThis.document?.activeElement
  useLayoutEffect(() => {
    const left = document.getElementById(historyEntry().focus ?? '')
    // After the page was opened, nothing has the focus yet.
    const joke = list.value.view.id && focused !== document.body ? document.querySelector('article') : undefined
    const target = left ?? joke
    target?.focus({ preventScroll: true })
  }, [url])
  useLayoutEffect(() => {
    if (focused === document.body || document.activeElement !== document.body) return
    const target = document.getElementById('retry') ?? document.getElementById('jokes')
    target?.focus({ preventScroll: true })
  })
}
