/** The ways on from what is shown, each gone once it is followed. */
import { activity, isStale } from './collection.ts'
import { useHandOn } from './focus.ts'
import { showList, view } from './navigation.ts'
import type { View } from './view.ts'
import { ViewLink } from './viewLink.tsx'

/** A link to a list, from what is shown in its place. */
export function ListLink({ to, children }: { to: Partial<View>; children: string }) {
  const held = useHandOn<HTMLSpanElement>()
  return (
    <span ref={held}>
      <ViewLink class="button" to={to} onFollow={(follow) => (view.value.id ? showList() : follow())}>
        {children}
      </ViewLink>
    </span>
  )
}

/** Loads further jokes. */
export function More({ onGoOn, children }: { onGoOn: () => void; children: string }) {
  const held = useHandOn<HTMLButtonElement>()
  return (
    <button id="more" ref={held} type="button" class="more" aria-disabled={activity.value !== ''} onClick={onGoOn}>
      {activity.value && !isStale() ? activity : children}
    </button>
  )
}
