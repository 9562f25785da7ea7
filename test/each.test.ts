/** The pace of commands that work on many jokes. */
import { afterEach, expect, it, vi } from 'vitest'
import { forEach } from '../tools/each.ts'

afterEach(() => void vi.useRealTimers())

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
