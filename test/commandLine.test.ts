import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { abortOnSignals, Progress } from '../tools/commandLine.ts'
import { forEach, paced } from '../tools/each.ts'
import { sendSignal } from './support/process.ts'

afterEach(() => void vi.useRealTimers().restoreAllMocks())

it('at most 50 jokes are changed in a second, without refused ones', async () => {
  // The time stands still until the test advances it.
  vi.useFakeTimers({ toFake: ['performance'] })
  let changed = 0
  const change = async (isAllowed: boolean) => {
    if (isAllowed) changed += 1
    return isAllowed
  }
  const stop = new AbortController()
  const jokes = [...Array<boolean>(100).fill(false), ...Array<boolean>(60).fill(true)]
  const work = forEach(jokes, paced(change, stop.signal), stop, new Progress())
  await expect.poll(() => changed).toBe(50)
  vi.advanceTimersByTime(1_000)
  expect([await work, changed]).toEqual([0, 60])
})

it('a throttled change is made again from its start', async () => {
  const times: string[] = []
  const change = async (time: string) => {
    times.push(time)
    if (times.length < 3) throw Object.assign(new Error(), { name: 'ThrottlingException' })
    return true
  }
  const stop = new AbortController()
  expect(await forEach(['joke'], paced(change, stop.signal), stop, new Progress())).toBe(0)
  expect([times.length, stop.signal.aborted]).toEqual([3, false])
})

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('a second %s ends a command with exit code %i', (signal, code) => {
  vi.useFakeTimers()
  const { exitCode } = process
  onTestFinished(() => void Object.assign(process, { exitCode }))
  vi.spyOn(process, 'on').mockReturnValue(process)
  const said = vi.spyOn(console, 'error').mockReturnValue()
  const ended = vi.spyOn(process, 'exit').mockImplementation(() => {
    throw new Error('The process has ended.')
  })
  const stop = new AbortController()
  onTestFinished(abortOnSignals(stop))
  sendSignal(signal)
  // A terminal and bin/jokes both send Ctrl+C.
  sendSignal(signal)
  const message = 'The command finishes what it has begun. A second Ctrl+C ends it at once.'
  expect([stop.signal.aborted, ended.mock.calls, said.mock.calls]).toEqual([true, [], [[message]]])
  vi.advanceTimersByTime(1_001)
  expect(() => sendSignal(signal)).toThrow('The process has ended.')
  expect(process.exitCode).toBe(code)
})
