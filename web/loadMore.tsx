/** The button that loads further jokes. */
import { activity, isStale, list, loadMore } from './listState.ts'
import { Text } from './text.tsx'

export function LoadMore() {
  return (
    <button type="button" class="more" aria-disabled={activity.value !== ''} onClick={showMore}>
      <Text>{activity.value && !isStale() ? activity.value : `More jokes${progress()}`}</Text>
    </button>
  )
}

/** Says how many of all jokes are on the page, if the service has said how many there are. */
function progress(): string {
  const { jokes, total } = list.value
  return total && total > jokes.length ? ` (${jokes.length} of ${total.toLocaleString('en-GB')})` : ''
}

/** Loads the next page, or retries the failed request. Then moves the focus to the first new joke. */
export async function showMore(): Promise<void> {
  if (activity.value !== '') return
  const known = list.value.jokes.length
  await loadMore()
  document.querySelectorAll('article')[known]?.focus({ preventScroll: true })
}
