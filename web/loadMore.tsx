/** The button that loads further jokes. */
import { activity, failure, isStale, list, loadMore } from './listState.ts'
import { Text } from './text.tsx'
import { showToast } from './toast.ts'

export function LoadMore({ children }: { children: string }) {
  return (
    <button type="button" class="more" aria-disabled={activity.value !== ''} onClick={showMore}>
      <Text>{activity.value && !isStale() ? activity.value : children}</Text>
    </button>
  )
}

/** Loads the next page, or retries the failed request. Then moves the focus to the first new joke. */
export async function showMore(): Promise<void> {
  if (activity.value !== '') return
  const known = list.value.jokes.length
  await loadMore()
  const { jokes, next } = list.value
  document.querySelectorAll('article')[known]?.focus({ preventScroll: true })
  if (!failure.value && next && jokes.length === known) showToast('No more found yet.')
}
