/** The short message at the bottom of the page. */
import { signal } from '@preact/signals'

export const toast = signal('')

const TOAST_MS = 6_000

let timer: ReturnType<typeof setTimeout>

export function showToast(message: string): void {
  clearTimeout(timer)
  toast.value = message
  timer = setTimeout(() => {
    toast.value = ''
  }, TOAST_MS)
}
