/** The pace and the progress of commands that work on many jokes. */
import { afterEach, expect, it, vi } from 'vitest'
import { CHANGES_A_SECOND, changeEach } from '../tools/each.ts'
import { Progress } from '../tools/progress.ts'

afterEach(() => void vi.useRealTimers().restoreAllMocks())

it('at most 50 changes are made in a second, without refused ones', async () => {
  vi.useFakeTimers({ fakeNodeBuiltins: true })
  const times: number[] = []
  const change = async (isAllowed: boolean) => {
    if (isAllowed) times.push(performance.now())
    return { isChanged: isAllowed }
  }
  const items = Array.from({ length: 250 }, (_, number) => number >= 100)
  const work = changeEach(items, CHANGES_A_SECOND, change)
  await vi.advanceTimersByTimeAsync(3_000)
  await work
  for (const time of times) expect(times.filter((other) => time <= other && other < time + 1_000)).toHaveLength(50)
  expect(times).toHaveLength(150)
})

it.each([
  [true, ['\r0 of 2', '\r\x1b[K', '\r1 of 2', '\r\x1b[K']],
  [false, ['0 of 2\n', '1 of 2\n']],
])('progress updates a line on a terminal (%s), elsewhere prints one every ten seconds', (isTerminal, shown) => {
  vi.useFakeTimers()
  const stderr: string[] = []
  const print = vi.spyOn(console, 'log').mockImplementation(() => {})
  vi.spyOn(console, 'error').mockImplementation((line) => void stderr.push(`${line}\n`))
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => stderr.push(String(text)) > 0)
  const { isTTY } = process.stderr
  process.stderr.isTTY = isTerminal
  const progress = new Progress(2)
  process.stderr.isTTY = isTTY
  const step = isTerminal ? 100 : 10_000
  vi.advanceTimersByTime(step)
  progress.add(0, 'a result')
  vi.advanceTimersByTime(step)
  progress.stop()
  vi.advanceTimersByTime(60_000)
  expect([stderr, print.mock.calls]).toEqual([shown, [['a result']]])
})
