/** Says when a request that failed is retried. */
import type { Signal } from '@preact/signals'
import { plural } from '../shared/plural.ts'

/** @param seconds until the retry; 0: nothing is shown */
export function RetryCountdown({ seconds }: { seconds: Signal<number> }) {
  return seconds.value > 0 && <p class="countdown">Trying again in {plural(seconds.value, 'second')}.</p>
}
