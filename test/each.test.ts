/** The pace and the progress of commands that work on many jokes. */
import { afterEach, expect, it, vi } from 'vitest'
import { forEach, showProgress } from '../tools/each.ts'

afterEach(() => void vi.useRealTimers().restoreAllMocks())

it('work begins for 200 items in a second', async () => {
  vi.useFakeTimers({ fakeNodeBuiltins: true })
  const times: number[] = []
  const work = forEach(Array.from({ length: 400 }), async () => void times.push(performance.now()))
  await vi.advanceTimersByTimeAsync(3_000)
  await work
  expect(times).toHaveLength(400)
  for (const time of times)
    expect(times.filter((other) => time <= other && other < time + 995).length).toBeLessThanOrEqual(200)
})

it.each([
  [true, 100, '1 of 2\r'],
  [false, 10_000, '1 of 2\n'],
])('progress updates a line on a terminal (%s), elsewhere prints one every ten seconds', (isTerminal, ms, shown) => {
  vi.useFakeTimers()
  const print = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const { isTTY } = process.stderr
  process.stderr.isTTY = isTerminal
  const progress = showProgress(' of 2')
  process.stderr.isTTY = isTTY
  progress.done += 1
  vi.advanceTimersByTime(ms)
  progress.stop()
  vi.advanceTimersByTime(60_000)
  expect(print.mock.calls).toEqual([[shown]])
})
