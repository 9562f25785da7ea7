/** Changes many jokes: several at once, at a limited rate, and again from the start if DynamoDB throttles. */
import { setTimeout } from 'node:timers/promises'
import { isThrottlingError } from '@smithy/core/retry'
import { Progress } from './progress.ts'

/** Enough for 200 jokes a second, if each takes 80 ms. */
const AT_ONCE = 16

/** New jokes in a second. The index takes 1,000 write units a second, and the writes of clients come first. */
export const NEW_JOKES_A_SECOND = 200

/** Changes in a second. Each refresh of a listing reads those of ten seconds, from one partition of the index. */
export const CHANGES_A_SECOND = 50

interface Result {
  /** Refused writes do not count for the rate. */
  isChanged: boolean
  /** A line to print. Lines come in the order of the items. */
  line?: string | undefined
}

/**
 * Makes a change for each item. A throttled one begins again from its start, so that its time is that of the write. After
 * any other error, no further change begins.
 *
 * @throws the first error, once all changes that have begun have ended
 */
export async function changeEach<Item>(
  items: Item[],
  rate: number,
  change: (item: Item) => Promise<Result>,
): Promise<void> {
  const progress = new Progress(items.length)
  const starts: number[] = []
  const waitMs = () => (starts.at(-rate) ?? -Infinity) + 1_000 - performance.now()
  const changeOne = async (item: Item): Promise<string | undefined> => {
    for (;;) {
      for (let ms = waitMs(); ms > 0; ms = waitMs()) await setTimeout(ms)
      const start = performance.now()
      starts.push(start)
      try {
        const { isChanged, line } = await change(item)
        if (!isChanged) starts.splice(starts.lastIndexOf(start), 1)
        return line
      } catch (error) {
        if (!isThrottled(error)) throw error
      }
    }
  }
  const errors: unknown[] = []
  const rest = items.entries()
  const worker = async () => {
    for (const [index, item] of rest) {
      if (errors.length > 0) return
      await changeOne(item).then(
        (line) => progress.add(index, line),
        (error) => errors.push(error),
      )
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  progress.stop()
  if (errors.length > 0) throw errors[0]
}

/** Whether DynamoDB throttled a call, so that it had no effect. */
function isThrottled(error: unknown): boolean {
  return error instanceof Error && (isThrottlingError(Object(error)) || isThrottled(error.cause))
}
