/** Works on many jokes: several at once, at a limited rate. */
import { setTimeout } from 'node:timers/promises'

/** Jokes in a second. The index takes 1,000 write units a second, and the writes of clients come first. */
const RATE = 200
/** Enough for that rate, if each joke takes 80 ms. */
const AT_ONCE = 16

/** Does the work for each item. After an error, none begins, and the error is thrown once all that began have ended. */
export async function forEach<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const progress = showProgress(` of ${items.length}`)
  const errors: unknown[] = []
  const rest = items.values()
  let start = 0
  const worker = async () => {
    for (const item of rest) {
      const now = performance.now()
      start = Math.max(start + 1_000 / RATE, now)
      await setTimeout(start - now)
      if (errors.length > 0) return
      await work(item).catch((error) => errors.push(error))
      progress.done += 1
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  progress.stop()
  if (errors.length === 0) return
  console.error(`Done: ${progress.done - errors.length} of ${items.length}. For the rest, run the same command again.`)
  throw errors[0]
}

/** Prints every five seconds how many items are done. */
export function showProgress(total = '') {
  const progress = { done: 0, stop: () => clearInterval(timer) }
  const timer = setInterval(() => console.error(`${progress.done}${total}`), 5_000).unref()
  return progress
}
