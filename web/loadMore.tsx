/** The button that loads further jokes. */
import { useFocusFallback } from './focus.ts'
import { activity, isStale } from './listState.ts'

export function LoadMore({ onLoadMore, children }: { onLoadMore: () => void; children: string }) {
  const button = useFocusFallback<HTMLButtonElement>()
  return (
    <button
      id="more"
      ref={button}
      type="button"
      class="more"
      aria-disabled={activity.value !== ''}
      onClick={onLoadMore}
    >
      {activity.value && !isStale() ? activity : children}
    </button>
  )
}
