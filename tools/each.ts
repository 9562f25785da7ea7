/** Works on many jokes, several at once, until the end, a signal or an error. Work that has begun is finished. */
import { setTimeout } from 'node:timers/promises'
import { isThrottlingError } from '@smithy/core/retry'
import pLimit from 'p-limit'
import { abortOnSignals, CannotContinue, type Progress, sentenceOf } from './commandLine.ts'

/** Enough for hundreds of jokes a second. */
const AT_ONCE = 16

/** The index takes 1,000 write units a second, and the writes of clients come first. */
const CHANGES_A_SECOND = 50

/**
 * @param stop is aborted by a signal or the first error
 * @returns the number of items that are left
 */
export async function forEach<Item>(
  items: Item[],
  work: (item: Item) => Promise<unknown>,
  stop: AbortController,
  progress: Progress,
): Promise<number> {
  const ignoreSignals = abortOnSignals(stop, progress)
  let left = items.length
  await pLimit(AT_ONCE).map(items, async (item) => {
    if (stop.signal.aborted) return
    try {
      await work(item)
      left -= 1
      progress.increment()
    } catch (error) {
      stop.abort(error)
    }
  })
  progress.stop()
  ignoreSignals()
  return left
}

/**
 * Limits the rate of changes, and repeats throttled ones from their start, so that their times are those of the writes.
 *
 * @param change returns whether it changed anything. What was refused does not count
 */
export function paced<Item>(change: (item: Item) => Promise<boolean>, signal: AbortSignal) {
  const starts: number[] = []
  const wait = () => (starts.at(-CHANGES_A_SECOND) ?? -Infinity) + 1_000 - performance.now()
  return async (item: Item): Promise<void> => {
    for (;;) {
      for (let ms = wait(); ms > 0; ms = wait()) await setTimeout(ms, undefined, { signal })
      const start = performance.now()
      starts.push(start)
      try {
        if (!(await change(item))) starts.splice(starts.indexOf(start), 1)
        return
      } catch (error) {
        if (!isThrottlingError(Object(error)) || signal.aborted) throw error
      }
    }
  }
}

/** @throws {CannotContinue} if the work was stopped. The message says why, and how to go on */
export function throwIfStopped({ signal }: AbortController, howToGoOn = 'Run the same command again.'): void {
  if (signal.aborted) throw new CannotContinue(`${sentenceOf(signal.reason)} ${howToGoOn}`)
}
