import { afterEach, expect, it, vi } from 'vitest'
import type { Part } from '../shared/store/operators/tableScans.ts'
import { Progress, runCommand } from '../tools/commandLine.ts'
import { workThrough } from '../tools/workThrough.ts'
import { onTerminal } from './support/process.ts'

afterEach(() => void vi.useRealTimers().restoreAllMocks())

it('a progress bar tells speed and time left while something happens, and only then', () => {
  vi.useFakeTimers()
  const written = onTerminal()
  const drawn = (seconds: number) => {
    written.mockClear()
    vi.advanceTimersByTime(seconds * 1_000)
    return written.mock.calls.join('')
  }
  const progress = new Progress()
  progress.start(1_000)
  expect(drawn(1)).toMatch(/░ 0 of 1000(?!, \d)/)
  progress.increment(500)
  expect(drawn(10)).toMatch(/█░+.* 500 of 1000, 50 a second, 10 s left/)
  expect(drawn(10)).toContain('25 a second')
  progress.log('a line')
  expect(drawn(30)).toMatch(/a line\n.* 500 of 1000, 0 a second(?!, \d)/s)
  progress.stop()
})

it.each([
  [100_000, 20, '20 of 100000, 2 a second, 13 h 54 min left'],
  [1_000, 20, '20 of 1000, 2 a second, 9 min left'],
  [21, 20, '20 of 21, 2 a second, 1 s left'],
  [0, 123, '123, 12 a second'],
  [10, 0, '0 of 10, 0 a second'],
])('without a terminal, %i jokes are reported every ten seconds, with the time left', (total, done, line) => {
  vi.useFakeTimers()
  const error = vi.spyOn(console, 'error').mockImplementation(() => {})
  const progress = new Progress()
  progress.start(total)
  for (const part of [done, done]) {
    progress.increment(part)
    vi.advanceTimersByTime(10_000)
  }
  progress.stop()
  vi.advanceTimersByTime(20_000)
  const [, speed] = line.split(', ')
  expect(error.mock.calls).toEqual([[line], [expect.stringContaining(`, ${speed}`)]])
})

it('work that fails says what it has done, and where it can continue', async () => {
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

it.each<[printed: string, error: unknown]>([
  ['a text', 'a text'],
  ['It took too long to answer.', new DOMException('', 'TimeoutError')],
  ['It took too long to answer.', new DOMException('', 'AbortError')],
  ['Cannot connect: getaddrinfo X.', failure('getaddrinfo X', { code: 'X', errno: -3008, syscall: 'getaddrinfo' })],
  ['Cannot use the file: no such file or directory.', failure('', { code: 'ENOENT', errno: -2 })],
  ['Error: our mistake', failure('our mistake', { code: 'ODD', errno: 'odd' })],
])('a command that fails prints: %s', async (printed, error) => {
  const errors = vi.spyOn(console, 'error').mockImplementation(() => {})
  const { exitCode } = process
  await runCommand('', {}, () => Promise.reject(error))
  expect([process.exitCode, String(errors.mock.calls)]).toEqual([1, expect.stringContaining(printed)])
  process.exitCode = exitCode
})
