/** Tells the user when a failed request is retried. */
import type { Signal } from '@preact/signals'
import { plural } from '../shared/plural.ts'

/** @param seconds time until the retry, or 0 to show nothing */
export function RetryCountdown({ seconds }: { seconds: Signal<number> }) {
  return (
    seconds.value > 0 && (
      <p key={seconds.value} class="countdown">
        Trying again in {plural(seconds.value, 'second')}.
      </p>
    )
  )
}
