/** The list of jokes, with its summary above and the button for more below. */
import { useLayoutEffect } from 'preact/hooks'
import { useListFocus } from './focus.ts'
import { JokeCard } from './jokeCard.tsx'
import { activity, failure, isStale, list } from './listState.ts'
import { LoadMore } from './loadMore.tsx'
import { view } from './navigation.ts'
import { LoadFailure, NoJokes, Skeletons } from './placeholders.tsx'
import { isPicking, SurpriseButton } from './surprise.tsx'
import { Text } from './text.tsx'
import { isFilteredList, nameCategories, urlOf } from './urlState.ts'
import { ListLink } from './viewLink.tsx'

export function JokeList() {
  const { view: listed, jokes } = list.value
  const url = urlOf(listed)
  const isEmpty = jokes.length === 0
  const isSingle = (isEmpty ? view.value : listed).id !== undefined
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
        {(view.value.id || isFilteredList(view.value)) && <ListLink />}
      </div>
      {!isEmpty && (
        // The key gives each view a new element. Otherwise, jokes that are in both views would move.
        <ul key={url} class="jokes" aria-busy={activity.value !== ''} data-stale={isPicking.value || isStale()}>
          {jokes.map((joke) => (
            <li key={joke.id}>
              <JokeCard joke={joke} view={listed} />
            </li>
          ))}
        </ul>
      )}
      {afterJokes()}
      {isSingle && <SurpriseButton id="another">Another one</SurpriseButton>}
    </main>
  )
}

/** The part below the jokes: a failure, a placeholder, or the button for more. */
function afterJokes() {
  const { jokes, next } = list.value
  if (failure.value) return <LoadFailure failure={failure.value} />
  if (jokes.length === 0) return activity.value ? <Skeletons /> : <NoJokes />
  return next && <LoadMore />
}

/** The line that says which jokes are on the page, or what the page is doing. */
function summary(): string {
  const { view: listed, jokes, next, total } = list.value
  const isEmpty = jokes.length === 0
  if (isPicking.value) return 'Picking a joke…'
  if (failure.value && isEmpty) return ''
  if (activity.value && (isEmpty || isStale())) return activity.value
  const within = listed.categories[0] ? ` ${listed.id ? 'from' : 'in'} ${nameCategories(listed)}` : ''
  const words = listed.search.trim()
  const matching = within + (words && ` for “${words}”`)
  // A joke that was removed while the pages were loaded may still be on the page.
  const count = Math.max(total ?? 0, jokes.length)
  const noun = count === 1 ? 'joke' : 'jokes'
  const formatted = count.toLocaleString('en-GB')
  if (listed.id) return total ? `One of ${formatted}${matching || ` ${noun}`}` : matching && `One${matching}`
  return `${next && !total ? 'Showing ' : ''}${formatted} ${noun}${matching}`
}

/** The window's title: the joke, the search or the categories. */
function title(): string {
  const { view: listed, jokes } = list.value
  const subject = listed.id ? jokes[0]?.joke : listed.search.trim() || nameCategories(listed)
  return subject ? `${subject} · Joke Service` : 'Joke Service'
}
