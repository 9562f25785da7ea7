/** The list of jokes, with its summary above and the button for more below. */
import { useLayoutEffect } from 'preact/hooks'
import { Face } from './icon.tsx'
import { JokeCard } from './jokeCard.tsx'
import { failure, isLoading, isStale, list, loadMore } from './listState.ts'
import { backToList, historyEntry, view } from './navigation.ts'
import { type Failure, sentenceFor, waitingFor } from './serviceClient.ts'
import { isPicking, SurpriseButton } from './surprise.tsx'
import { Text } from './text.tsx'
import { isWholeList, nameCategories, urlOf, type View } from './urlState.ts'
import { ViewLink } from './viewLink.tsx'

export function JokeList() {
  const { id, search, categories } = view.value
  const { view: listed, jokes, ofDay } = list.value
  const url = urlOf(listed)
  const isEmpty = jokes.length === 0
  const isSingle = (isEmpty ? id : listed.id) !== undefined
  const isBehind = isPicking.value || isStale()
  useLayoutEffect(() => {
    document.title = title()
    document.documentElement.classList.toggle('single', isSingle)
  })
  useListFocus(url)

  return (
    <main id="jokes" tabIndex={-1} aria-label="Jokes">
      <div class="summary">
        <output>
          <Text>{summary()}</Text>
        </output>
        {id && (
          <ViewLink class="button" to={{ ...view.value, id: undefined }} onFollow={backToList}>
            <Text>{historyEntry().stepsFromList || search || categories[0] ? 'Back to the list' : 'All jokes'}</Text>
          </ViewLink>
        )}
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
          {jokes.map((joke) => (
            <li key={joke.id}>
              <JokeCard joke={joke} view={listed} />
            </li>
          ))}
        </ul>
      )}
      {afterJokes()}
      {isSingle && (
        <div>
          <SurpriseButton id="another">Another one</SurpriseButton>
          <p class="keys">Space tells the punchline, → draws another joke.</p>
        </div>
      )}
    </main>
  )
}

const DAY = { day: 'numeric', month: 'long', timeZone: 'UTC' } as const

/** The part below the jokes: a failure, a placeholder, or the button for more. */
function afterJokes() {
  const { jokes, next } = list.value
  if (failure.value) return <LoadFailure failure={failure.value} />
  if (jokes.length === 0) return !isLoading.value && <NoJokes />
  return next && <LoadMore />
}

/** The line that says which jokes are on the page, or what the page is doing. */
function summary(): string {
  const { view: listed, jokes, total } = list.value
  const isEmpty = jokes.length === 0
  if (failure.value && isEmpty) return ''
  if (isPicking.value) return waitingFor('picking a joke')
  if (isLoading.value && (isEmpty || isStale())) return waitingFor('loading')
  const within = listed.categories[0] ? ` ${listed.id ? 'from' : 'in'} ${nameCategories(listed)}` : ''
  const words = listed.search.trim()
  const matching = within + (words && ` for “${words}”`)
  // A joke that was removed while the pages were loaded may still be on the page.
  const count = Math.max(total, jokes.length)
  const formatted = count.toLocaleString('en-GB')
  if (listed.id) return matching && `One${total ? ` of ${formatted}` : ''}${matching}`
  return `${formatted} ${count === 1 ? 'joke' : 'jokes'}${matching}`
}

/** The window's title: the joke, the search or the categories. */
function title(): string {
  const { view: listed, jokes } = list.value
  const subject = listed.id ? jokes[0]?.joke : listed.search.trim() || nameCategories(listed)
  return subject ? `${subject} · Joke Service` : 'Joke Service'
}

function NoJokes() {
  const { view } = list.value
  const [title, advice] = explain(view)
  return (
    <div key={title + advice} class="panel">
      <Face mood="waiting" />
      <h2>{title}</h2>
      <p>{advice}</p>
      {!isWholeList(view) && !view.id && (
        <ViewLink class="button" to={{ order: view.order }}>
          All jokes
        </ViewLink>
      )}
    </div>
  )
}

function explain(listed: View): [title: string, advice: string] {
  if (listed.id) return ["We can't find this joke", 'The link may be incomplete, or the joke was removed.']
  if (isWholeList(listed)) return ['Not a single joke yet', 'Be the first to add one.']
  return [
    'Nobody has told that one yet',
    listed.search.trim() ? 'Try the start of a word: “chick” finds “chicken”.' : 'Try other categories.',
  ]
}

function LoadFailure({ failure }: { failure: Failure }) {
  const isOffline = failure.code === 'offline'
  const message = sentenceFor(failure)
  return (
    <div class="panel">
      <Face mood="puzzled" />
      <div key={message} role="alert">
        <h2>{isOffline ? 'No connection' : "That didn't work"}</h2>
        <p>
          {message} {isOffline && "Jokes load when you're back online."}
        </p>
      </div>
      <button id="retry" type="button" class="primary" aria-disabled={isLoading.value} onClick={showMore}>
        <Text>{isLoading.value ? waitingFor('loading') : 'Try again'}</Text>
      </button>
    </div>
  )
}

function LoadMore() {
  const { jokes, total } = list.value
  const progress = total > jokes.length ? ` (${jokes.length} of ${total.toLocaleString('en-GB')})` : ''
  return (
    <button type="button" class="more" aria-disabled={isLoading.value} onClick={showMore}>
      <Text>{isLoading.value && !isStale() ? waitingFor('loading') : `More jokes${progress}`}</Text>
    </button>
  )
}

/** Loads the next page, or retries the failed request. Then moves the focus to the first new joke. */
async function showMore(): Promise<void> {
  if (isLoading.value) return
  const known = list.value.jokes.length
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
    const restored = document.getElementById(historyEntry().focus ?? '')
    // After the page was opened, nothing has the focus yet.
    const joke = list.value.view.id && focused !== document.body ? document.querySelector('article') : undefined
    const target = restored ?? joke
    target?.focus({ preventScroll: true })
  }, [url])
  useLayoutEffect(() => {
    if (focused === document.body || document.activeElement !== document.body) return
    const retry = document.getElementById('retry')
    if (retry) retry.focus()
    else document.getElementById('jokes')?.focus({ preventScroll: true })
  })
}
