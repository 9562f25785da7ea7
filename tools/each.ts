import { setTimeout } from 'node:timers/promises'

/** Jokes in a second. The index takes 1,000 write units a second, and the writes of clients come first. */
const RATE = 200

/** Does the work for each item. After an error, none begins, and the error is thrown once all that began have ended. */
export async function forEach<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const errors: unknown[] = []
  const rest = items.values()
  let [start, done] = [0, 0]
  const progress = setInterval(() => console.error(`${done} of ${items.length}`), 5_000).unref()
  const worker = async () => {
    for (const item of rest) {
      const now = performance.now()
      start = Math.max(start + 1_000 / RATE, now)
      await setTimeout(start - now)
      if (errors.length > 0) return
      await work(item).catch((error) => errors.push(error))
      done += 1
    }
  }
  await Promise.all(Array.from({ length: 16 }, worker))
  clearInterval(progress)
  if (errors.length === 0) return
  console.error(`Done: ${done - errors.length} of ${items.length}. For the rest, run the same command again.`)
  throw errors[0]
}
