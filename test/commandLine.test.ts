import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import type { Part } from '../shared/store/operators/tableScans.ts'
import { abortOnSignals, Progress, sentenceOf } from '../tools/commandLine.ts'
import { workOn, workThrough } from '../tools/workThrough.ts'
import { onTerminal, sendSignal } from './support/process.ts'

afterEach(() => void vi.useRealTimers().restoreAllMocks())

it('a progress bar shows progress below log lines', () => {
  vi.useFakeTimers()
  const written = onTerminal()
  const drawn = () => {
    written.mockClear()
    vi.advanceTimersByTime(1_000)
    return written.mock.calls.join('')
  }
  const progress = new Progress()
  progress.start(1_000)
  expect(drawn()).toMatch(/^(?!.*left).*░ 0 of 1000/s)
  progress.increment(500)
  progress.log('a line')
  expect(drawn()).toMatch(/a line\n.*█░+.* 500 of 1000, \S+ left/s)
  progress.stop()
})

it.each([
  [100_000, '20 of 100000, 13h55m left'],
  [0, '20'],
])('without a terminal, progress towards %i is printed every ten seconds', (total, line) => {
  vi.useFakeTimers()
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const progress = new Progress()
  progress.start(total)
  vi.advanceTimersByTime(9_999)
  progress.increment(20)
  expect(written).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  progress.stop()
  vi.advanceTimersByTime(20_000)
  expect(written.mock.calls.join('').trim()).toBe(line)
})

it('signals are handled only during work', async () => {
  const listeners = () => process.listenerCount('SIGINT') + process.listenerCount('SIGTERM')
  const before = listeners()
  const during: number[] = []
  for (let times = 0; times < 12; times++)
    await workOn(['joke'], async () => void during.push(listeners()), new AbortController(), new Progress())
  expect(during).toEqual(Array(12).fill(before + 2))
  expect(listeners()).toBe(before)
})

it('a signal clears the progress bar before its message', () => {
  const written = onTerminal()
  vi.spyOn(process, 'on').mockReturnValue(process)
  const { exitCode } = process
  onTestFinished(() => void Object.assign(process, { exitCode }))
  const said = vi.spyOn(console, 'error').mockReturnValue()
  const progress = new Progress()
  progress.start(10)
  using _ = abortOnSignals(new AbortController(), progress)
  sendSignal('SIGINT')
  const CLEAR_BELOW = '\x1b[0J'
  const cleared = written.mock.calls.findIndex(([text]) => text === CLEAR_BELOW)
  expect(said.mock.invocationCallOrder[0]).toBeGreaterThan(written.mock.invocationCallOrder[cleared] ?? Infinity)
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
  using _ = abortOnSignals(stop)
  sendSignal(signal)
  // A terminal and bin/jokes both send Ctrl+C.
  sendSignal(signal)
  const message = 'The command finishes what it has begun. A second Ctrl+C ends it at once.'
  expect([stop.signal.aborted, ended.mock.calls, said.mock.calls]).toEqual([true, [], [[message]]])
  vi.advanceTimersByTime(1_001)
  expect(() => sendSignal(signal)).toThrow('The process has ended.')
  expect(process.exitCode).toBe(code)
})

it('work that fails prints where to continue', async () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  async function* pages(): AsyncGenerator<Part> {
    yield { items: 2, changed: 1, lastId: 'A' }
    yield { items: 0, changed: 0 }
    throw new DOMException('', 'TimeoutError')
  }
  const message = 'It took too long to answer. Continue with --after=A.'
  await expect(workThrough(pages(), 'joke', 'restored')).rejects.toThrow(message)
  expect(log.mock.calls).toEqual([['2 jokes read, 1 restored.']])
})

const failure = (message: string, members: object = {}) => Object.assign(new Error(message), members)

it.each<[sentence: string, error: unknown]>([
  ['a text', 'a text'],
  ['It took too long to answer.', new DOMException('', 'TimeoutError')],
  ['It took too long to answer.', new DOMException('', 'AbortError')],
  ['Cannot connect: getaddrinfo X.', failure('getaddrinfo X', { code: 'X', errno: -3008, syscall: 'getaddrinfo' })],
  ['Cannot use the file: no such file or directory.', failure('', { code: 'ENOENT', errno: -2 })],
  ['Error: our mistake', failure('our mistake', { code: 'ODD', errno: 'odd' })],
])('an error is explained as "%s"', (sentence, error) => {
  expect(sentenceOf(error)).toContain(sentence)
})
