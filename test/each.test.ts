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

it('no work begins after an error, which says how much is done', async () => {
  const print = vi.spyOn(console, 'error').mockImplementation(() => {})
  const begun: number[] = []
  const work = forEach([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...Array.from({ length: 90 }, () => 10)], async (item) => {
    begun.push(item)
    if (item === 3) throw new Error('Three.')
  })
  await expect(work).rejects.toThrow('Three.')
  expect(begun.length).toBeLessThan(20)
  expect(print.mock.calls).toEqual([[`Done: ${begun.length - 1} of 100. For the rest, run the same command again.`]])
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
