/** How commands wait for a service, with a fake clock. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Target } from '../tools/send.ts'

// Vitest's fake timers do not replace this module.
vi.mock('node:timers/promises', () => ({
  setTimeout: (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
}))

const SERVICE = 'https://jokes.example'
const REFUSED = new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) })

const fetch = vi.fn<typeof globalThis.fetch>()
let said: string[]
let target: Target

beforeEach(() => {
  fetch.mockReset()
  vi.useFakeTimers()
  vi.stubGlobal('fetch', fetch)
  said = []
  target = new Target(`${SERVICE}/`, (line) => said.push(line), new AbortController().signal)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

it('reports within five seconds that the service does not answer, and gives up after two minutes', async () => {
  fetch.mockRejectedValue(REFUSED)
  const failed = expect(target.send('joke')).rejects.toThrow(
    `${SERVICE} does not answer (ECONNREFUSED). Gave up after two minutes.`,
  )
  await vi.advanceTimersByTimeAsync(5_000)
  expect(said).toEqual([`${SERVICE} does not answer (ECONNREFUSED). Trying for another 117 seconds.`])
  await vi.advanceTimersByTimeAsync(114_000)
  expect(said).toHaveLength(12)
  expect(said.at(-1)).toMatch(/Trying for another \d seconds\.$/)
  await vi.advanceTimersByTimeAsync(10_000)
  await failed
  // The waits grow to five seconds, half of which is usual.
  expect(fetch.mock.calls.length).toBeLessThan(100)
})

it('reports a request that is never answered, too', async () => {
  const answer = Promise.withResolvers<Response>()
  fetch.mockReturnValue(answer.promise)
  const sent = target.send('joke')
  await vi.advanceTimersByTimeAsync(5_000)
  expect(said).toEqual([`${SERVICE} does not answer. Trying for another 117 seconds.`])
  answer.resolve(new Response('[]'))
  expect(await (await sent).json()).toEqual([])
  expect(said.slice(1)).toEqual([`${SERVICE} answers again.`])

  fetch.mockReturnValue(new Promise(() => {}))
  target.send('joke').catch(() => {})
  await vi.advanceTimersByTimeAsync(5_000)
  expect(said.slice(2)).toEqual([`${SERVICE} does not answer. Trying for another 117 seconds.`])
})

it('reports nothing if the service is busy for a moment', async () => {
  fetch.mockResolvedValueOnce(new Response('', { status: 429 }))
  fetch.mockResolvedValueOnce(new Response('', { status: 503, headers: { 'retry-after': '1' } }))
  fetch.mockResolvedValueOnce(new Response('{}', { status: 201 }))
  const sent = target.send('joke')
  await vi.advanceTimersByTimeAsync(2_000)
  expect((await sent).status).toBe(201)
  expect(said).toEqual([])
})

it('waits as long as the service asks for', async () => {
  fetch.mockResolvedValueOnce(new Response('', { status: 503, headers: { 'retry-after': '20' } }))
  fetch.mockResolvedValueOnce(new Response('[]'))
  const sent = target.send('joke')
  await vi.advanceTimersByTimeAsync(19_999)
  expect(fetch).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(200)
  expect((await sent).status).toBe(200)
})

it.each([500, 501, 404, 400])('does not repeat a request that is answered %i', async (status) => {
  fetch.mockResolvedValueOnce(new Response('', { status }))
  expect((await target.send('joke')).status).toBe(status)
})

it('ends a request that is not answered for 35 seconds, and repeats it', async () => {
  const limit = new AbortController()
  const limited = vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(limit.signal)
  fetch.mockImplementationOnce(
    (_, init) => new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))),
  )
  fetch.mockResolvedValueOnce(new Response('[]'))
  const sent = target.send('joke')
  limit.abort()
  await vi.advanceTimersByTimeAsync(200)
  expect((await sent).status).toBe(200)
  expect(limited).toHaveBeenCalledWith(35_000)
  limited.mockRestore()
})

it('does not give up one request while others are answered', async () => {
  fetch.mockImplementation(async (url) => new Response('', { status: String(url).endsWith('/bad') ? 503 : 200 }))
  const outcome = vi.fn()
  target.send('bad').then(outcome, outcome)
  for (let seconds = 0; seconds < 300; seconds += 2) {
    await target.send('good')
    await vi.advanceTimersByTimeAsync(2_000)
  }
  expect(outcome).not.toHaveBeenCalled()
  expect(said).toEqual([])
  await vi.advanceTimersByTimeAsync(130_000)
  expect(String(outcome.mock.calls[0])).toContain(`${SERVICE} answers 503. Gave up after two minutes.`)
})

it('says at once that npm start does not run, but waits while it restarts', async () => {
  fetch.mockRejectedValueOnce(REFUSED)
  const local = new Target('http://localhost:3000', (line) => said.push(line), new AbortController().signal)
  await expect(local.send('joke')).rejects.toThrow(
    'http://localhost:3000 does not answer (ECONNREFUSED). Is npm start running?',
  )
  fetch.mockResolvedValueOnce(new Response('[]'))
  await local.send('joke')
  fetch.mockRejectedValueOnce(REFUSED)
  fetch.mockResolvedValueOnce(new Response('[]'))
  const sent = local.send('joke')
  await vi.advanceTimersByTimeAsync(2_000)
  expect((await sent).status).toBe(200)
})

it('repeats a request whose answer breaks off', async () => {
  const broken = new ReadableStream({ pull: (stream) => stream.error(new TypeError('terminated')) })
  fetch.mockResolvedValueOnce(new Response(broken))
  fetch.mockResolvedValueOnce(new Response('[{}]'))
  const page = target.getPage('joke')
  await vi.advanceTimersByTimeAsync(2_000)
  expect(await page).toEqual({ jokes: [{}], next: undefined })
})
