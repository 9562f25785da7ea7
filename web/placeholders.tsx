/** Panels that explain why there are no jokes, and the button for more jokes. */
import { Face } from './face.tsx'
import { isLoading, isStale, list, loadMore } from './listState.ts'
import { type Failure, sentenceFor, waitingFor } from './serviceClient.ts'
import { Text } from './text.tsx'
import { isWholeList, type View } from './urlState.ts'
import { ViewLink } from './viewLink.tsx'

export function NoJokes() {
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

export function LoadFailure({ failure }: { failure: Failure }) {
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

export function LoadMore() {
  return (
    <button type="button" class="more" aria-disabled={isLoading.value} onClick={showMore}>
      <Text>{isLoading.value && !isStale() ? waitingFor('loading') : `More jokes${progress()}`}</Text>
    </button>
  )
}

/** Says how many of all jokes are on the page, if the service has said how many there are. */
function progress(): string {
  const { jokes, total } = list.value
  return total && total > jokes.length ? ` (${jokes.length} of ${total.toLocaleString('en-GB')})` : ''
}

/** Loads the next page, or retries the failed request. Then moves the focus to the first new joke. */
async function showMore(): Promise<void> {
  if (isLoading.value) return
  const known = list.value.jokes.length
  await loadMore()
  document.querySelectorAll<HTMLElement>('.jokes article')[known]?.focus({ preventScroll: true })
}
