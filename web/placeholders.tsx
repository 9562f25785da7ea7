/** Placeholders for jokes that are loading, are missing, or failed to load. */
import { Face } from './face.tsx'
import { activity, list } from './listState.ts'
import { showMore } from './loadMore.tsx'
import type { Failure } from './serviceClient.ts'
import { Text } from './text.tsx'
import { isFilteredList, type View } from './urlState.ts'

export function Skeletons() {
  return (
    <ul class="jokes" aria-hidden="true">
      {[1, 2, 3, 4, 5, 6].map((card) => (
        <li key={card} class="joke skeleton" />
      ))}
    </ul>
  )
}

export function NoJokes() {
  const [title, advice] = explain(list.value.view)
  return (
    <div key={title + advice} class="panel">
      <Face mood="waiting" />
      <h2>{title}</h2>
      <p>{advice}</p>
    </div>
  )
}

function explain(listed: View): [title: string, advice: string] {
  if (listed.id) return ["We can't find this joke", 'The link may be incomplete, or the joke was removed.']
  if (!isFilteredList(listed)) return ['Not a single joke yet', 'Be the first to add one.']
  return [
    'Nobody has told that one yet',
    listed.search.trim() ? 'Try the start of a word: “chick” finds “chicken”.' : 'Try other categories.',
  ]
}

export function LoadFailure({ failure: { isOffline, message } }: { failure: Failure }) {
  return (
    <div class="panel">
      <Face mood="puzzled" />
      <div key={message} role="alert">
        <h2>{isOffline ? 'No connection' : "That didn't work"}</h2>
        <p>
          {message} {isOffline && "Jokes load when you're back online."}
        </p>
      </div>
      <button id="retry" type="button" class="primary" aria-disabled={activity.value !== ''} onClick={showMore}>
        <Text>{activity.value || 'Try again'}</Text>
      </button>
    </div>
  )
}
