/** The button that loads further jokes. */
import { activity, isStale, list, loadMore } from './listState.ts'
import { Text } from './text.tsx'

export function LoadMore() {
  return (
    <button type="button" class="more" aria-disabled={activity.value !== ''} onClick={showMore}>
      <Text>{activity.value && !isStale() ? activity.value : 'More jokes'}</Text>
    </button>
  )
}

/** Loads the next page, or retries the failed request. Then moves the focus to the first new joke. */
export async function showMore(): Promise<void> {
  if (activity.value !== '') return
  const known = list.value.jokes.length
  await loadMore()
  document.querySelectorAll('article')[known]?.focus({ preventScroll: true })
}
