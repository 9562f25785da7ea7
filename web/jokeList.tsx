/** The list of jokes, with its summary above and the button for more below. */
import { useLayoutEffect } from 'preact/hooks'
import { useListFocus } from './focus.ts'
import { JokeCard } from './jokeCard.tsx'
import { failure, isLoading, isStale, list } from './listState.ts'
import { view } from './navigation.ts'
import { LoadFailure, LoadMore, NoJokes } from './placeholders.tsx'
import { waitingFor } from './serviceClient.ts'
import { isPicking, SurpriseButton } from './surprise.tsx'
import { Text } from './text.tsx'
import { nameCategories, urlOf } from './urlState.ts'
import { ListLink } from './viewLink.tsx'

export function JokeList() {
  const { view: listed, jokes, ofDay } = list.value
  const url = urlOf(listed)
  const isEmpty = jokes.length === 0
  const isSingle = (isEmpty ? view.value : listed).id !== undefined
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
        {view.value.id && <ListLink />}
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
        <div class="after">
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
  const { view: listed, jokes, next, total } = list.value
  const isEmpty = jokes.length === 0
  if (failure.value && isEmpty) return ''
  if (isPicking.value) return waitingFor('picking a joke')
  if (isLoading.value && (isEmpty || isStale())) return waitingFor('loading')
  const within = listed.categories[0] ? ` ${listed.id ? 'from' : 'in'} ${nameCategories(listed)}` : ''
  const words = listed.search.trim()
  const matching = within + (words && ` for “${words}”`)
  // A joke that was removed while the pages were loaded may still be on the page.
  const count = Math.max(total ?? 0, jokes.length)
  const formatted = count.toLocaleString('en-GB')
  if (listed.id) return matching && `One${total ? ` of ${formatted}` : ''}${matching}`
  return `${next && !total ? 'Showing ' : ''}${formatted} ${count === 1 ? 'joke' : 'jokes'}${matching}`
}

/** The window's title: the joke, the search or the categories. */
function title(): string {
  const { view: listed, jokes } = list.value
  const subject = listed.id ? jokes[0]?.joke : listed.search.trim() || nameCategories(listed)
  return subject ? `${subject} · Joke Service` : 'Joke Service'
}
