/** What the page shows instead of jokes: while they load, if there are none, and if loading fails. */
import { useLayoutEffect } from 'preact/hooks'
import { useFocusFallback } from './focus.ts'
import { activity, list, retrySeconds } from './listState.ts'
import { LoadMore, showMore } from './loadMore.tsx'
import { RetryCountdown } from './retryCountdown.tsx'
import type { Failure } from './serviceClient.ts'
import { SurpriseButton } from './surprise.tsx'
import { DEFAULT_VIEW, isPart, type View } from './urlState.ts'

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
  const { view: listed, next } = list.value
  const [title, advice] = explain(listed, next !== undefined)
  return (
    <div class="panel">
      <p class="face" aria-hidden="true">
        :-|
      </p>
      <h2>{title}</h2>
      <p>{advice}</p>
      {next && <LoadMore>Look further</LoadMore>}
      {(listed.id || isPart(listed)) && <SurpriseButton changes={DEFAULT_VIEW}>Surprise me</SurpriseButton>}
    </div>
  )
}

function explain(listed: View, hasMore: boolean): [title: string, advice: string] {
  if (listed.id) return ['This joke is not here', 'Its address may be incomplete, or the joke has been removed.']
  if (hasMore) return ['Nothing found so far', 'There are more jokes to look through.']
  if (!isPart(listed)) return ['Not a single joke yet', 'Be the first to add one.']
  return [
    'Nobody has told that one yet',
    listed.search.trim() ? 'Search for how a word begins: “chick” finds chickens.' : 'Try other categories.',
  ]
}

export function LoadFailure({ failure }: { failure: Failure }) {
  const { isOffline, message } = failure
  const button = useFocusFallback<HTMLButtonElement>()
  useLayoutEffect(() => {
    // The button that was pressed to load jokes is gone, so its focus is on the list.
    if (document.activeElement?.id === 'jokes') button.current?.focus({ preventScroll: true })
    // Below a list, it may be outside the window. The panel's padding leaves room for the countdown.
    if (list.value.jokes[0]) button.current?.parentElement?.scrollIntoView({ block: 'nearest' })
  }, [button])
  return (
    <div class="panel">
      <p class="face" aria-hidden="true">
        :-/
      </p>
      <div role="alert">
        <h2>{isOffline ? 'No connection' : 'That did not work'}</h2>
        <p>
          {message} {isOffline && 'The jokes appear when you are back.'}
        </p>
      </div>
      <RetryCountdown seconds={retrySeconds} />
      <button ref={button} type="button" class="primary retry" aria-disabled={activity.value !== ''} onClick={showMore}>
        {activity.value || 'Try again'}
      </button>
    </div>
  )
}
