/** The headers of responses: media types by `Accept`, caching, `HEAD` and CORS. */
import { afterAll, expect, it } from 'vitest'
import { startService } from '../support/service.ts'

const service = await startService()
const [first, second] = await service.add(
  { joke: 'A pun,\n\n by itself.', category: 'Classic' },
  { joke: 'Knock, knock!', punchline: 'Nobody is in.', category: 'Classic' },
)
afterAll(service.stop)

const [TEXT, JSON_TYPE] = ['text/plain; charset=utf-8', 'application/json; charset=utf-8'] as const
const [CREATED, PROBLEM] = ['application/vnd.json', 'application/problem+json; charset=utf-8']
const bodies = {
  [TEXT]: 'Knock, knock!\nNobody is in.\n\nA pun, by itself.\n',
  [JSON_TYPE]: [{ joke: 'Knock, knock!' }, { joke: 'A pun,\n\n by itself.' }],
}

let number = 0
const post = (): RequestInit => {
  const joke = `Acceptable, no. ${number++}`
  return { method: 'POST', body: JSON.stringify({ joke, category: 'School' }) }
}

it.each<[accept: string | undefined, listing: keyof typeof bodies, added: string]>([
  ['text/plain; charset=utf-8', TEXT, CREATED],
  ['application/json;q=0.5;charset=utf-8, text/plain;format=flowed;q=0.6', TEXT, JSON_TYPE],
  ['text/*, */*; q = 0.5', TEXT, CREATED],
  // The default of axios, and that of a client that knows what it wants.
  ['application/json, text/plain, */*', JSON_TYPE, CREATED],
  ['Application/JSON, */*;q=0.9', JSON_TYPE, JSON_TYPE],
  ['application/vnd.json;q=0.5, application/*', JSON_TYPE, JSON_TYPE],
  ['text/plain; Q=0.9, application/json; charset=utf-8', JSON_TYPE, JSON_TYPE],
  ['application/json, application/vnd.json; charset=utf-8', JSON_TYPE, CREATED],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8', JSON_TYPE, CREATED],
  ['image/png', JSON_TYPE, CREATED],
  [undefined, JSON_TYPE, CREATED],
])('for Accept: %s, a listing is %s, and an added joke %s', async (accept, listing, added) => {
  const headers = accept === undefined ? {} : { accept }
  const listed = await service.request('/joke?category=Classic', { headers })
  expect([listed.body, listed.headers.get('content-type')]).toMatchObject([bodies[listing], listing])
  const { status, headers: created } = await service.request('/joke', { ...post(), headers })
  expect([status, created.get('content-type')]).toEqual([201, added])
})

const text = { headers: { accept: 'text/plain' } }
const [CACHED, NOT_CACHED] = ['max-age=0, s-maxage=5', 'no-store']
/** Caches keep a copy per format and origin. */
const VARY = 'Accept, Origin'
const LINK = expect.stringMatching(/^<joke\?.*cursor=.*>; rel="next"$/)
const cursor = await service.cursor({ numberofJokes: '1', category: 'Classic' })

it.each<[request: string, type: string, cache: string, vary: string | null, init?: RequestInit, link?: unknown]>([
  ['/joke?numberofJokes=1', JSON_TYPE, CACHED, VARY, {}, LINK],
  ['/joke?numberofJokes=1', TEXT, CACHED, VARY, text, LINK],
  [`/joke?numberofJokes=1&category=Classic&cursor=${cursor}`, JSON_TYPE, CACHED, VARY],
  ['/joke?searchString=nowhere', JSON_TYPE, CACHED, VARY],
  ['/joke?sortBy=random&seed=a&category=Classic', JSON_TYPE, CACHED, VARY],
  ['/joke?sortBy=random&category=Classic', JSON_TYPE, NOT_CACHED, VARY],
  [`/joke?id=${first?.id}`, JSON_TYPE, NOT_CACHED, VARY],
  [`/joke?id=${first?.id}&sortBy=random&seed=a`, TEXT, NOT_CACHED, VARY, text],
  ['/joke?id=,&cursor=x', PROBLEM, NOT_CACHED, null, text],
  ['/joke', CREATED, NOT_CACHED, VARY, post()],
  ['/joke', PROBLEM, NOT_CACHED, null, { method: 'POST', body: '{}' }],
  [`/thumbsUp/${second?.id}`, JSON_TYPE, NOT_CACHED, null, { method: 'POST' }],
  ['/thumbsUp/x', PROBLEM, NOT_CACHED, null, { method: 'POST' }],
])('the answer to %s has these headers: %s, %s, Vary %s', async (path, type, cache, vary, init = {}, link = null) => {
  const { headers } = await service.request(path, init)
  const names = ['content-type', 'cache-control', 'vary', 'x-content-type-options', 'link']
  expect(names.map((name) => headers.get(name))).toEqual([type, cache, vary, 'nosniff', link])
})

const PATHS = ['/joke?numberofJokes=1', '/joke?numberofJokes=0', '/', '/openapi.json', '/nothing']
it.each(PATHS)('HEAD %s gets the headers of GET, in UTF-8, without a body', async (path) => {
  const [head, get] = await Promise.all(['HEAD', 'GET'].map((method) => fetch(service.url + path, { method })))
  const ofConnection = { date: '', connection: '', 'keep-alive': '' }
  const headersOf = (response?: Response) => ({ ...Object.fromEntries(response?.headers ?? []), ...ofConnection })
  expect([head?.status, headersOf(head)]).toEqual([get?.status, headersOf(get)])
  expect(head?.headers.get('content-type')).toContain('; charset=utf-8')
  expect(head?.headers.get('x-content-type-options')).toBe('nosniff')
  expect([await head?.text(), await get?.text()]).toEqual(['', expect.stringMatching(/./)])
})

it('any origin may send GET and POST with any header, and read the answers', async () => {
  const headers = { origin: 'https://example.com', 'access-control-request-method': 'POST' }
  const allowed = async (method: string, ...names: string[]) => {
    const answer = await service.request('/joke', { method, headers })
    return [answer.status, ...names.map((name) => answer.headers.get(`access-control-${name}`))]
  }
  const asked = await allowed('OPTIONS', 'allow-origin', 'allow-methods', 'allow-headers', 'max-age')
  expect(asked).toEqual([204, '*', 'GET,POST', '*', '86400'])
  const exposed = 'link,location,retry-after,x-total-count'
  expect(await allowed('GET', 'allow-origin', 'expose-headers')).toEqual([200, '*', exposed])
})
