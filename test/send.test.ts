/** Retries and waits of commands, with a fake clock. */
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { parseServiceUrl, Target } from '../tools/send.ts'

const SERVICE = 'https://jokes.example'
const REFUSED = new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) })

const fetch = vi.fn<typeof globalThis.fetch>()
const reports = vi.spyOn(console, 'error')
let target: Target

beforeEach(() => {
  fetch.mockReset()
  reports.mockReset().mockReturnValue()
  vi.useFakeTimers({ fakeNodeBuiltins: true }).stubGlobal('fetch', fetch)
  target = new Target(`${SERVICE}/`, new AbortController().signal)
})
afterEach(() => void vi.useRealTimers().unstubAllGlobals().unstubAllEnvs())

/** Sets the statuses of the next responses. */
function answers(...statuses: number[]): void {
  for (const status of statuses) fetch.mockResolvedValueOnce(new Response('[]', { status }))
}

/** Advances the clock, and returns the status of a request. */
async function statusOf(sent: Promise<Response>, milliseconds = 0): Promise<number> {
  await vi.advanceTimersByTimeAsync(milliseconds)
  return (await sent).status
}

it('a silent service is given up after two minutes', async () => {
  fetch.mockRejectedValue(REFUSED)
  const failed = expect(target.send('joke')).rejects.toThrow('(ECONNREFUSED). Gave up after two minutes.')
  await vi.advanceTimersByTimeAsync(121_000)
  await failed
  expect(reports).toHaveBeenCalledTimes(1)
  // Waits grow to at most five seconds, on average half of that.
  expect(fetch.mock.calls.length).toBeLessThan(100)
})

it.each([
  ['localhost:3601', 'http://localhost:3601'],
  ['localhost.example:8443/v1/', 'https://localhost.example:8443/v1'],
])('the address %s means %s', (address, url) => {
  expect(parseServiceUrl(address)).toBe(url)
})

it.each(['', 'localhost:70000', 'ftp://x', 'package.json'])('%j is no address', (address) => {
  expect(() => parseServiceUrl(address)).toThrow('is not the address of a service')
})

it.each([429, 502, 503, 504])('a request with response %i is retried without a report', async (status) => {
  answers(status, status, 201)
  expect(await statusOf(target.send('joke'), 2_000)).toBe(201)
  expect(reports).not.toHaveBeenCalled()
})

it.each([500, 404, 400])('a request with response %i is not retried', async (status) => {
  answers(status)
  expect(await statusOf(target.send('joke'))).toBe(status)
})

it('a retry waits as long as Retry-After says', async () => {
  fetch.mockResolvedValueOnce(new Response('', { status: 503, headers: { 'retry-after': '20' } }))
  answers(200)
  const sent = target.send('joke')
  await vi.advanceTimersByTimeAsync(19_999)
  expect(fetch).toHaveBeenCalledTimes(1)
  expect(await statusOf(sent, 200)).toBe(200)
})

it('a request without a response in 35 seconds is sent again', async () => {
  using limited = vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(AbortSignal.abort())
  fetch.mockImplementation(async (_, init) => {
    init?.signal?.throwIfAborted()
    return new Response()
  })
  expect(await statusOf(target.send('joke'), 200)).toBe(200)
  expect(limited).toHaveBeenCalledWith(35_000)
})

it('a request whose response breaks off is sent again', async () => {
  const broken = new ReadableStream({ pull: (stream) => stream.error(new TypeError('terminated')) })
  fetch.mockResolvedValueOnce(new Response(broken))
  answers(201)
  expect(await statusOf(target.send('joke'), 2_000)).toBe(201)
})

it('a failing request is not given up while others succeed', async () => {
  fetch.mockImplementation(async (url) => new Response('', { status: String(url).endsWith('/bad') ? 503 : 200 }))
  const outcome = vi.fn()
  target.send('bad').then(outcome, outcome)
  for (let seconds = 0; seconds < 300; seconds += 2) await statusOf(target.send('good'), 2_000)
  expect(outcome).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(130_000)
  expect(String(outcome.mock.calls[0])).toContain(`${SERVICE} answers 503. Gave up after two minutes.`)
})

it('a local service is given up at once unless it has answered before', async () => {
  const local = new Target('http://localhost:3000', new AbortController().signal)
  fetch.mockRejectedValueOnce(REFUSED)
  await expect(local.send('joke')).rejects.toThrow('Is npm start running?')
  answers(200)
  await local.send('joke')
  fetch.mockRejectedValueOnce(REFUSED)
  answers(200)
  expect(await statusOf(local.send('joke'), 2_000)).toBe(200)
})

it.each([2, 10])('requests use most of a throttle of %i per second, with few refused', async (rate) => {
  const burst = 4
  let tokens = burst
  let filledAt = performance.now()
  const statuses: number[] = []
  fetch.mockImplementation(async () => {
    const now = performance.now()
    tokens = Math.min(burst, tokens + ((now - filledAt) * rate) / 1_000)
    filledAt = now
    const status = tokens < 1 ? 429 : 201
    if (status === 201) tokens -= 1
    statuses.push(status)
    // API Gateway refuses faster than a function answers.
    await wait(status === 429 ? 10 : 100)
    return new Response('', { status })
  })
  const senders = Array.from({ length: 16 }, async () => {
    for (;;) await target.send('joke')
  })
  for (const sender of senders) sender.catch(() => {})
  const statusesWithin = async (minutes: number) => {
    statuses.length = 0
    await vi.advanceTimersByTimeAsync(minutes * 60_000)
    return [201, 429].map((status) => statuses.filter((received) => received === status).length)
  }
  expect((await statusesWithin(1))[0]).toBeGreaterThan(0.9 * 60 * rate)
  const [added = 0, refused = 0] = await statusesWithin(10)
  expect(added).toBeGreaterThan(0.8 * 600 * rate)
  expect(refused).toBeLessThan(added / 10)
  expect(reports).not.toHaveBeenCalled()
})
