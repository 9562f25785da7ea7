/** `bin/jokes smoke`: what it checks, and that it leaves nothing behind. */
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { emptyTable, itemsOf, put, toItem } from '../support/access.ts'
import { listen } from '../support/listen.ts'
import { numberedJoke } from '../support/numberedJoke.ts'
import { environmentOf, operate, resultOf, run } from '../support/process.ts'
import { createStore, startService } from '../support/service.ts'

const service = await startService()
const { store } = service
beforeEach(() => emptyTable(store))
afterEach(() => {
  store.approval = false
  vi.useRealTimers().unstubAllEnvs().restoreAllMocks()
})
afterAll(service.stop)

const joke = { joke: 'Is this a joke about probes?', punchline: 'It is.', category: 'French humour' }

/** Checks the service as one that runs on this machine. */
function smoke(...options: string[]) {
  vi.stubEnv('PORT', new URL(service.url).port)
  return operate(store, 'smoke', ...options)
}

it('smoke says what it checked, and changes nothing', async () => {
  const few = expect.stringMatching(/^There are too few jokes to check searches and duplicates\. Import some first\.$/m)
  expect(await smoke(service.url)).toMatchObject({ code: 1, stderr: few })
  // No search finds the first joke, and adding the second one again would add it, because it was edited by hand.
  await service.add({ ...joke, joke: '?!?!', punchline: '' })
  await put(store, { ...toItem(store, numberedJoke(1)), joke: 'Edited' })
  expect(await smoke()).toMatchObject({ code: 1, stderr: few })
  for (const words of ["Don't panic ", '한국어 유머 '.normalize('NFD'), 'ﾊﾟﾊﾟ ﾊﾞﾅﾅ ', 'ทำไมไก่ ข้ามถนน '])
    await service.add({ ...joke, joke: words.repeat(20) })
  const { code, stdout } = await smoke()
  expect([code, stdout.trim().split('\n')]).toEqual([0, Array(7).fill(expect.stringMatching(/^The service .+\.$/))])
  expect(await itemsOf(store)).toHaveLength(6)
})

it.each<[title: string, asked: RegExp, wrong: { status?: number; body?: string }, message: RegExp]>([
  ['a search that fails', /\?searchString/, { status: 500 }, /^The service answered GET \/joke\?search\S+ with 500/m],
  ['an empty search', /\?searchString/, { body: '[]' }, /^Failed: the service finds a joke by its words\.$/m],
  ['another joke', /joke\?id=/, { body: JSON.stringify([numberedJoke(1)]) }, /Failed: .+ finds a joke by its id/],
  ['no random joke', /sortBy=random/, { body: '[]' }, /Failed: the service draws a joke at random/],
  ['a joke that is added twice', /^POST \S+joke$/, { status: 201 }, /201 instead of 409/],
  ['an upvote of no joke', /^POST \S+thumbsUp/, { status: 200 }, /200 instead of 404/],
  ['control codes', /joke\?id=/, { body: '\u001b[2J\n\u202eOK' }, /no jokes, but this: \\u001b\[2J \\u202eOK$/m],
  ['a long fault', /joke\?id=/, { status: 500, body: 'x'.repeat(9_999) }, /with 500 instead of 200: x{200}…$/m],
  ['an endless answer', /joke\?id=/, { body: ' '.repeat(4e6 + 1) }, /did not answer .+ than 4 MB to read\.$/m],
])('smoke notices %s', async (_, asked, { status, body }, message) => {
  await service.add(joke)
  answering(async (request, ask) => {
    const response = await ask()
    if (!asked.test(request)) return response
    return new Response(body ?? (await response.text()), { status: status ?? response.status })
  })
  const { code, stderr } = await smoke()
  expect([code, stderr]).toEqual([1, expect.stringMatching(message)])
})

it.each([
  [3, 'The service adds no joke twice.'],
  [13, '429 instead of 409: Too Many\nThis lasted a minute, so the rest is not checked.'],
])('smoke passes, but repeats a throttled request for a minute, here %i times', async (times, end) => {
  await service.add(joke)
  vi.useFakeTimers({ toFake: ['setTimeout'], fakeNodeBuiltins: true })
  let throttled = 0
  answering(async (request, ask) => {
    if (!/^POST \S+joke$/.test(request) || throttled === times) return ask()
    throttled += 1
    void vi.advanceTimersByTimeAsync(5_000)
    return new Response('Too Many', { status: 429 })
  })
  const { code, stdout } = await smoke()
  expect([code, stdout.endsWith(`${end}\n`), throttled]).toEqual([0, true, times])
})

it('smoke waits half a minute for an answer', async () => {
  vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(AbortSignal.abort('too late'))
  expect(await smoke()).toMatchObject({ code: 1, stderr: expect.stringContaining('did not answer GET /: too late') })
  expect(AbortSignal.timeout).toHaveBeenCalledWith(30_000)
})

it.each([false, true])('smoke --write uses a new joke and erases it, with approval %j', async (approval) => {
  store.approval = approval
  const { code, stdout } = await smoke('--write')
  // Even an empty service is checked completely, because it has the new joke then.
  const used =
    /finds the new joke by its words\.\n.+ counts an upvote\.\n(The service .+\n){7}The joke is erased again\.\n$/
  expect([code, stdout]).toEqual([0, expect.stringMatching(used)])
  expect((await itemsOf(store)).map(({ jokeState }) => jokeState)).toEqual(['erased'])
})

it('smoke --write waits until a search finds its joke, and erases it after a wrong answer', async () => {
  let searches = 0
  answering(async (request, ask) => {
    if (request.includes('searchString') && ++searches < 3) return Response.json([])
    return /thumbsUp\/(?!-{22}$)/.test(request) ? Response.json({}) : ask()
  })
  const { code, stdout } = await smoke('--write')
  expect([code, stdout]).toEqual([1, expect.stringMatching(/finds the new joke by its words\.\nThe joke is erased/)])
})

it('smoke --write erases its joke even after Ctrl+C', async () => {
  const { server, port } = await listen(async (request, response) => {
    const { method = '', url = '' } = request
    const body = await text(request)
    if (body.includes('Is this service working?') && !child.killed) child.kill('SIGINT')
    const answer = await fetch(new URL(url, service.url), { method, ...(method === 'POST' && { body }) })
    response.writeHead(answer.status).end(await answer.text())
  })
  onTestFinished(() => void server.close())
  const child = run({ ...environmentOf(store), PORT: `${port}` }, ['tools/main.ts', 'smoke', '--write'])
  const [code, stdout] = await resultOf(child)
  expect([code, stdout]).toEqual([130, expect.stringMatching(/^The joke is erased again\.$/m)])
  expect(JSON.stringify(await itemsOf(store))).not.toContain('Is this service working?')
})

it('smoke --write names its joke if that is in another database', async () => {
  vi.stubEnv('PORT', new URL(service.url).port)
  const { code, stdout, stderr } = await operate(await createStore(), 'smoke', '--write')
  const [left] = await service.jokes()
  expect([code, stdout]).toEqual([1, expect.stringContaining(`The new joke is ${left?.id}.`)])
  expect(stderr).toContain('Failed: the service keeps its jokes in this database.')
})

/** Changes answers of the service until the spy is restored. */
function answering(answer: (request: string, ask: () => Promise<Response>) => Promise<Response>) {
  const { fetch } = globalThis
  const changed = (...[url, options]: Parameters<typeof fetch>) =>
    answer(`${options?.method} ${url}`, () => fetch(url, options))
  return vi.spyOn(globalThis, 'fetch').mockImplementation(changed)
}
