/** What stands in the place of jokes while there are none, or no more. */
import { useLayoutEffect } from 'preact/hooks'
import { searchWordsOf } from '../shared/words.ts'
import { activity, pause } from './collection.ts'
import { useHandOn } from './focus.ts'
import { ListLink, More } from './goOn.tsx'
import type { Failure } from './serviceClient.ts'
import type { View } from './view.ts'

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

export function Nothing({
  view: { search, category, order, id },
  onGoOn,
}: {
  view: View
  onGoOn: (() => void) | undefined
}) {
  const isFiltered = search.trim() !== '' || category !== undefined
  const [title, advice] = id
    ? ['This joke is not here', 'Its address may be cut short, or the joke has been removed.']
    : onGoOn
      ? ['Nothing found so far', 'There are more jokes to look through.']
      : search.trim() !== '' && searchWordsOf(search).length === 0
        ? ['There is no word in that', 'Search for words, for how they begin, or for an emoji.']
        : isFiltered
          ? ['Nobody has told that one yet', 'Try fewer words, or another category.']
          : ['Not a single joke yet', 'Be the first to add one.']
  return (
    <div class="panel">
      <p class="face" aria-hidden="true">
        :-|
      </p>
      <h2>{title}</h2>
      <p>{advice}</p>
      {onGoOn && <More onGoOn={onGoOn}>Look further</More>}
      {(id || isFiltered) && <ListLink to={{ order }}>Show all jokes</ListLink>}
    </div>
  )
}

/** What follows for the reader. */
const OUTLOOK = {
  offline: 'The jokes will be here when you are back.',
  silent: 'It may be back in a moment.',
  refused: '',
}

export function Failed({ failure, onRetry }: { failure: Failure; onRetry: () => void }) {
  const { reason, message } = failure
  const held = useHandOn<HTMLButtonElement>()
  useLayoutEffect(() => {
    // Handed on by what has failed.
    if (document.activeElement?.id === 'jokes') held.current?.focus({ preventScroll: true })
  }, [held])
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
      {pause.value > 0 && (
        <p>
          Trying again in {pause} {pause.value === 1 ? 'second' : 'seconds'}.
        </p>
      )}
      <button ref={held} type="button" class="primary retry" aria-disabled={activity.value !== ''} onClick={onRetry}>
        {activity.value || 'Try again'}
      </button>
    </div>
  )
}
