/** The short message at the bottom of the page. */
import { signal } from '@preact/signals'

export const toast = signal('')

const TOAST_MS = 6_000

/** Shows a message that disappears by itself. */
export function showToast(message: string): void {
  toast.value = message
  setTimeout(() => {
    if (toast.peek() === message) toast.value = ''
  }, TOAST_MS)
}
