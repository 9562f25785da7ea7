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

it('progress is printed every five seconds until the work is done', () => {
  vi.useFakeTimers()
  const print = vi.spyOn(console, 'error').mockReturnValue()
  const progress = showProgress(' of 2')
  progress.done += 1
  vi.advanceTimersByTime(5_000)
  progress.stop()
  vi.advanceTimersByTime(60_000)
  expect(print.mock.calls).toEqual([['1 of 2']])
})
