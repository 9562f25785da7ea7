/** The list of jokes, with its summary above and what loads further jokes below. */
import { useEffect } from 'preact/hooks'
import { useListFocus } from './focus.ts'
import { Icon } from './icon.tsx'
import { JokeCard } from './jokeCard.tsx'
import { activity, failure, isPicking, isStale, list, showRandomJoke } from './listState.ts'
import { LoadMore } from './loadMore.tsx'
import { view } from './navigation.ts'
import { LoadFailure, NoJokes, Skeletons } from './placeholders.tsx'
import { plural } from './plural.ts'
import { FILTER_LABELS, urlOf } from './urlState.ts'
import { ListLink } from './viewLink.tsx'

export function JokeList() {
  const { view: listed, jokes, next } = list.value
  const url = urlOf(listed)
  const isEmpty = jokes.length === 0
  const hasFailed = failure.value !== undefined
  const isLoading = activity.value !== ''
  useTitle()
  useListFocus(url)

  return (
    <main id="jokes" tabIndex={-1} aria-label="Jokes">
      <div class="summary">
        <output>{summary()}</output>
        {view.value.id && <ListLink to={{ ...view.value, id: undefined }}>All jokes</ListLink>}
      </div>
      {!isEmpty && (
        // The key gives each view a list of its own. Otherwise, jokes in both views would move.
        <ul
          key={url}
          class={listed.id ? 'jokes single' : 'jokes'}
          aria-busy={isLoading}
          data-stale={isPicking.value || isStale()}
        >
          {jokes.map((joke) => (
            <li key={joke.id}>
              <JokeCard joke={joke} view={listed} />
            </li>
          ))}
        </ul>
      )}
      {!isEmpty && listed.id && (
        <button id="another" type="button" class="primary" aria-disabled={isPicking.value} onClick={showRandomJoke}>
          <Icon name="dice" /> Another one
        </button>
      )}
      {isEmpty && !hasFailed && isLoading && <Skeletons />}
      {isEmpty && !hasFailed && !isLoading && <NoJokes />}
      {failure.value && <LoadFailure failure={failure.value} />}
      {!isEmpty && !hasFailed && next && <LoadMore>More jokes</LoadMore>}
    </main>
  )
}

/** One line that says which jokes are on the page, or what is being done. */
function summary(): string {
  const { view: listed, jokes, next } = list.value
  const isEmpty = jokes.length === 0
  if (isPicking.value) return 'Picking a joke…'
  if (failure.value && isEmpty) return ''
  if (activity.value && (isEmpty || isStale())) return activity.value
  if (listed.id) return isEmpty ? 'No joke' : 'Just this one'

  const parts = [isEmpty ? 'No joke' : plural(jokes.length, 'joke')]
  if (next && isEmpty) parts.push('so far')
  if (next && !isEmpty) parts.unshift('The first')
  if (listed.category) parts.push(`in ${FILTER_LABELS[listed.category]}`)
  const words = listed.search.trim()
  if (words) parts.push(`for “${words}”`)
  return parts.join(' ')
}

/** Puts the joke, the search or the category into the window's title. */
function useTitle(): void {
  const { view: listed, jokes } = list.value
  const subject = listed.id
    ? (jokes[0]?.joke ?? (failure.value ? undefined : 'This joke is not here'))
    : listed.search.trim() || (listed.category && FILTER_LABELS[listed.category])
  useEffect(() => {
    document.title = subject ? `${subject} · Joke Service` : 'Joke Service'
  }, [subject])
}
