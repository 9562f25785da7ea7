/** `bin/jokes smoke`. */
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest'
import { emptyTable, itemsOf, put, toItem } from '../support/access.ts'
import { numberedJoke } from '../support/numberedJoke.ts'
import { operate, runHere } from '../support/process.ts'
import { startService } from '../support/service.ts'

const service = await startService()
const { store } = service
beforeEach(() => emptyTable(store))
afterEach(() => {
  store.approval = false
  vi.restoreAllMocks()
})
afterAll(service.stop)

const text = { joke: 'Is this a joke about probes?', punchline: 'It is.', category: 'French humour' }

it('smoke changes nothing, and says if there was nothing to search for', async () => {
  const smoke = async () => {
    const { code, stdout, stderr } = await runHere('smoke', service.url)
    expect([code, stderr]).toEqual([0, ''])
    return stdout
  }
  expect(await smoke()).toContain('nothing to search for')
  // No search finds the first joke, and adding the second one again would add it, because it was edited by hand.
  await service.add({ ...text, joke: '?!?!', punchline: '' })
  await put(store, { ...toItem(store, numberedJoke(1)), joke: 'Edited' })
  expect(await smoke()).toContain('nothing to search for')
  await service.add({ ...text, joke: `Don't ${'panic '.repeat(40)}` })
  expect((await smoke()).trim().split('\n')).toHaveLength(8)
  expect(await service.jokes()).toHaveLength(3)
})

it.each<[title: string, asked: RegExp, wrong: { status?: number; body?: string }, message?: RegExp]>([
  [
    'a search that fails',
    /searchString/,
    { status: 500 },
    /^The service answered GET \/joke\?searchString=Is\S+ with 500/,
  ],
  ['HTML', /^GET \S+joke\?/, { body: '<html>' }, /sent no jokes, but this: <html>/],
  ['an empty search', /searchString/, { body: '[]' }, /wrong: the service finds a joke by its words/],
  ['a page without preview', /^GET \S+\/\?id/, { body: '<main>' }, /wrong: the service shows a preview/],
  ['a joke that is added twice', /^POST \S+joke$/, { status: 201 }, /201 instead of 409/],
  // Others may have filled the throttle of this route.
  ['no fault if it is throttled', /^POST \S+joke$/, { status: 429 }],
])('smoke notices %s', async (_, asked, { status = 0, body }, message) => {
  await service.add(text)
  answering(async (request, ask) => {
    const response = await ask()
    if (!asked.test(request)) return response
    return new Response(body ?? (await response.text()), { status: status || response.status })
  })
  const { code, stderr } = await runHere('smoke', service.url)
  expect([code, stderr]).toEqual(message ? [1, expect.stringMatching(message)] : [0, ''])
})

const smokeAndWrite = () => operate(store, 'smoke', service.url, '--write')

it.each([false, true])('smoke --write uses a new joke and erases it, with approval %j', async (approval) => {
  store.approval = approval
  const { code, stdout } = await smokeAndWrite()
  const used = 'The service finds the new joke by its words.\nThe service counts an upvote.\n'
  expect([code, stdout]).toEqual([0, expect.stringContaining(`${used}The joke is erased again.\n`)])
  expect((await itemsOf(store)).map(({ jokeState }) => jokeState)).toEqual(['erased'])
  await expect.poll(() => service.jokes(), { timeout: 10_000 }).toEqual([])
})

it('smoke --write waits until a search finds its joke, and erases it after a wrong answer', async () => {
  let searches = 0
  answering(async (request, ask) => {
    if (request.includes('searchString') && ++searches < 3) return Response.json([])
    return request.includes('/thumbsUp/') && !request.includes('--') ? Response.json({}) : ask()
  })
  const { code, stdout } = await smokeAndWrite()
  expect([code, stdout]).toEqual([1, expect.stringContaining('The joke is erased again.')])
  expect(stdout).toContain('The service finds the new joke by its words.')
})

/** Changes answers of the service until the spy is restored. */
function answering(answer: (request: string, ask: () => Promise<Response>) => Promise<Response>) {
  const { fetch } = globalThis
  const changed = (...[url, options]: Parameters<typeof fetch>) =>
    answer(`${options?.method} ${url}`, () => fetch(url, options))
  return vi.spyOn(globalThis, 'fetch').mockImplementation(changed)
}
