/** The probe on its schedule, and as `bin/jokes smoke`. */
import { afterAll, afterEach, beforeEach, expect, inject, it, vi } from 'vitest'
import { handler as scheduled } from '../../functions/probe.ts'
import { type Ask, askAt, probe } from '../../shared/probe.ts'
import { stateOf } from '../../shared/store/item.ts'
import { emptyTable, itemsOf, put, toItem } from '../support/access.ts'
import { numberedJoke } from '../support/numberedJoke.ts'
import { operate, runHere } from '../support/process.ts'
import { startService } from '../support/service.ts'

const service = await startService()
const { store } = service
beforeEach(() => emptyTable(store))
afterEach(() => {
  store.approval = false
  vi.unstubAllEnvs().restoreAllMocks()
})
afterAll(service.stop)

const text = { joke: 'Is this a joke about probes?', punchline: 'It is.', category: 'French humour' }

it('the probe adds no joke whose category was edited by hand', async () => {
  const [joke = numberedJoke(0)] = await service.add(text, { ...text, joke: 'Untouched' })
  await put(store, { ...toItem(store, joke), category: 'Tech' })
  await probe(askAt(service.url))
  expect(await itemsOf(store)).toHaveLength(2)
})

it('the probe accepts nine jokes whose texts give other ids, adds none of them, and refuses ten', async () => {
  for (let count = 1; count <= 10; count++) {
    const [joke = numberedJoke(0)] = await service.add({ ...text, joke: `Joke ${count}` })
    await put(store, { ...toItem(store, joke), joke: `Edited ${count}` })
    const result = expect(probe(askAt(service.url)))
    await (count < 10 ? result.resolves.toBeUndefined() : result.rejects.toThrow('each could be added again'))
  }
  expect(await itemsOf(store)).toHaveLength(10)
})

it('the probe finds a popular joke among many like it', async () => {
  const punchlines = Array.from({ length: 60 }, (_, number) => `Punchline ${number}`)
  await service.add(...punchlines.map((punchline) => ({ ...text, joke: 'Knock, knock!', punchline })))
  await expect(probe(askAt(service.url))).resolves.toBeUndefined()
})

it.each([
  ['decomposed Hangul', '한국어 유머 '.normalize('NFD')],
  ['half-width kana', 'ﾊﾟﾊﾟ ﾊﾞﾅﾅ '],
  ['Thai', 'ทำไมไก่ ข้ามถนน '],
])('the probe searches for whole words in %s', async (_, words) => {
  const [joke] = await service.add({ ...text, joke: words.repeat(20) })
  const ask = vi.fn(askAt(service.url))
  await probe(ask)
  const searches = ask.mock.calls.flatMap(([{ query }]) => query?.searchString ?? [])
  expect(searches).toHaveLength(2)
  for (const search of searches) expect(joke?.joke.startsWith(`${search} `)).toBe(true)
})

it.each<[title: string, asked: RegExp, wrong: { status?: number; body?: string }, message?: RegExp]>([
  [
    'a search that fails',
    /\?searchString/,
    { status: 500 },
    /^The service answered GET \/joke\?searchString=Is\S+ with 500 instead/,
  ],
  ['HTML', /^GET \/joke/, { body: '<html>'.repeat(20) }, /answered GET \/joke without JSON: (<html>){16}<htm$/],
  ['a page without preview', /^GET \/\?id/, { body: '<main>' }, /GET \/\?id=\S+ without a preview/],
  ['an empty search', /\?searchString=Is\+this/, { body: '[]' }, /joke\?searchString.+ does not list/],
  ['another joke', /joke\?id=/, { body: JSON.stringify([numberedJoke(1)]) }, /not list/],
  ['a joke that is added twice', /^POST \/joke/, { status: 201 }, /201 instead of 409/],
  ['an upvote that fails', /^POST \/thumbsUp/, { status: 400 }, /answered POST \/thumbsUp\/-{22} with 400 instead/],
  // Others may have filled the throttle of this route.
  ['no fault if it is throttled', /^POST \/joke/, { status: 429 }],
])('the probe notices %s', async (_, asked, wrong, message) => {
  await service.add(text)
  const ask = askAt(service.url)
  const askWrongly: Ask = async (question) => {
    const isMeant = asked.test(`${question.routeKey}?${new URLSearchParams(question.query)}`)
    return { ...(await ask(question)), ...(isMeant && wrong) }
  }
  const result = expect(probe(askWrongly))
  await (message ? result.rejects.toThrow(message) : result.resolves.toBeUndefined())
})

it('the scheduled probe logs whether jokes wait', async () => {
  for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'local')
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', inject('endpoint'))
  vi.stubEnv('JOKES_TABLE', store.jokesTable)
  vi.stubEnv('API_URL', service.url)
  const log = vi.spyOn(console, 'log').mockReturnValue()
  await service.addTexts('Listed')
  await scheduled()
  store.approval = true
  await service.addTexts('Waiting', 'Waiting, too')
  await scheduled()
  expect(log.mock.calls).toEqual([[{ waiting: 0 }], [{ waiting: 1 }]])
})

it('the scheduled probe fails after thirty seconds without an answer', async () => {
  vi.stubEnv('API_URL', `${service.url}/`)
  await expect(scheduled()).resolves.toBeUndefined()
  const limited = vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(AbortSignal.abort('too late'))
  await expect(scheduled()).rejects.toThrow('The service did not answer GET /: too late.')
  expect(limited).toHaveBeenCalledWith(30_000)
})

it('bin/jokes smoke changes nothing, and says if there was nothing to search for', async () => {
  const smoke = async () => {
    const { code, stdout, stderr } = await runHere('smoke', service.url)
    expect([code, stderr]).toEqual([0, ''])
    return stdout
  }
  expect(await smoke()).toContain('There are no jokes yet')
  // No search finds this joke.
  await service.add({ ...text, joke: '?!?!', punchline: '' })
  expect(await smoke()).toContain('No new joke has words')
  await service.add({ ...text, joke: `Don't ${'panic '.repeat(40)}` })
  expect((await smoke()).trim().split('\n')).toHaveLength(10)
  expect(await service.jokes()).toHaveLength(2)
})

const smokeAndWrite = () => operate(store, 'smoke', service.url, '--write')

it.each([false, true])('smoke --write uses a new joke and erases it, with approval %j', async (approval) => {
  store.approval = approval
  const before = await service.jokes()
  const { code, stdout } = await smokeAndWrite()
  const waits = approval ? 'The new joke waits for approval.\n' : ''
  const used = 'The service finds the new joke by its words.\nThe service counts an upvote.\n'
  const all = `The service adds a joke.\n${waits}${used}The joke is erased again.\n`
  expect([code, stdout]).toEqual([0, expect.stringContaining(all)])
  expect((await itemsOf(store)).map(stateOf)).toEqual(['erased'])
  await expect.poll(() => service.jokes(), { timeout: 10_000 }).toEqual(before)
})

it('smoke --write waits until a search finds its joke', async () => {
  let searches = 0
  answering(async (request, ask) => (request.includes('searchString') && ++searches < 3 ? Response.json([]) : ask()))
  const { code, stdout } = await smokeAndWrite()
  expect([code, stdout]).toEqual([0, expect.stringContaining('The service finds the new joke by its words.')])
  expect(searches).toBeGreaterThan(3)
})

it('smoke --write erases its joke after a wrong answer', async () => {
  answering(async (request, ask) => {
    const response = await ask()
    const isUpvote = request.includes('/thumbsUp/') && response.status === 200
    return isUpvote ? new Response('x', response) : response
  })
  const { code, stdout } = await smokeAndWrite()
  expect([code, stdout]).toEqual([1, expect.stringContaining('The joke is erased again.')])
})

/** Changes answers of the service until the spy is restored. */
function answering(answer: (request: string, ask: () => Promise<Response>) => Promise<Response>) {
  const { fetch } = globalThis
  const changed = (...[url, options]: Parameters<typeof fetch>) =>
    answer(`${options?.method} ${url}`, () => fetch(url, options))
  return vi.spyOn(globalThis, 'fetch').mockImplementation(changed)
}
