/** A passing word to the reader. */
import { signal } from '@preact/signals'

export const notice = signal('')

const NOTICE_MS = 6_000

/** Says something that goes away by itself. */
export function tell(message: string): void {
  notice.value = message
  setTimeout(() => {
    if (notice.peek() === message) notice.value = ''
  }, NOTICE_MS)
}
