/** What the page shows instead of jokes: while they load, if there are none, and if loading fails. */
import { useLayoutEffect } from 'preact/hooks'
import { searchWordsOf } from '../shared/words.ts'
import { useFocusFallback } from './focus.ts'
import { activity, list, retrySeconds } from './listState.ts'
import { LoadMore, showMore } from './loadMore.tsx'
import { RetryCountdown } from './retryCountdown.tsx'
import type { Failure } from './serviceClient.ts'
import type { View } from './urlState.ts'
import { ListLink } from './viewLink.tsx'

const SKELETONS = Array.from({ length: 6 }, (_, index) => index)

export function Skeletons() {
  return (
    <ul class="jokes" aria-hidden="true">
      {SKELETONS.map((index) => (
        <li key={index} class="joke skeleton">
          <div class="bubble" />
          <div class="bubble" />
        </li>
      ))}
    </ul>
  )
}

export function NoJokes() {
  const { view, next } = list.value
  const isFiltered = view.search.trim() !== '' || view.category !== undefined
  const [title, advice] = explain(view, isFiltered, next !== undefined)
  return (
    <div class="panel">
      <p class="face" aria-hidden="true">
        :-|
      </p>
      <h2>{title}</h2>
      <p>{advice}</p>
      {next && <LoadMore>Look further</LoadMore>}
      {(view.id || isFiltered) && <ListLink to={{ order: view.order }}>Show all jokes</ListLink>}
    </div>
  )
}

function explain({ search, id }: View, isFiltered: boolean, hasMore: boolean): [title: string, advice: string] {
  if (id) return ['This joke is not here', 'Its address may be incomplete, or the joke has been removed.']
  if (hasMore) return ['Nothing found so far', 'There are more jokes to look through.']
  if (search.trim() !== '' && searchWordsOf(search).length === 0)
    return ['There is no word in that', 'Search for words, for the beginnings of words, or for an emoji.']
  if (isFiltered) return ['Nobody has told that one yet', 'Try fewer words, or another category.']
  return ['Not a single joke yet', 'Be the first to add one.']
}

/** What the user can expect, by the reason of a failure. */
const OUTLOOK = {
  offline: 'The jokes appear when you are back.',
  unanswered: 'It may be back in a moment.',
  refused: '',
}

export function LoadFailure({ failure }: { failure: Failure }) {
  const { reason, message } = failure
  const button = useFocusFallback<HTMLButtonElement>()
  useLayoutEffect(() => {
    // The button that was pressed to load jokes is gone, so its focus is on the list.
    if (document.activeElement?.id === 'jokes') button.current?.focus({ preventScroll: true })
  }, [button])
  return (
    <div class="panel">
      <p class="face" aria-hidden="true">
        :-/
      </p>
      <div role="alert">
        <h2>{reason === 'offline' ? 'No connection' : 'That did not work'}</h2>
        <p>
          {message} {OUTLOOK[reason]}
        </p>
      </div>
      <RetryCountdown seconds={retrySeconds} />
      <button ref={button} type="button" class="primary retry" aria-disabled={activity.value !== ''} onClick={showMore}>
        {activity.value || 'Try again'}
      </button>
    </div>
  )
}
