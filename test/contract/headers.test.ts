/** The headers of responses: media types by `Accept`, and caching. */
import { once } from 'node:events'
import { request } from 'node:http'
import { afterAll, expect, it } from 'vitest'
import { openService } from '../support/service.ts'

const service = await openService()
const { isSam, word } = service
const [first, second] = await service.add(
  { joke: `A pun,\n\n by itself: ${word}`, category: 'Classic' },
  { joke: 'Knock, knock!', punchline: `Nobody is in ${word}.`, category: 'Classic' },
)
afterAll(service.stop)

const [TEXT, JSON_TYPE] = ['text/plain; charset=utf-8', 'application/json; charset=utf-8'] as const
const [CREATED, PROBLEM] = ['application/vnd.json', 'application/problem+json; charset=utf-8']
const bodies = {
  [TEXT]: `Knock, knock!\nNobody is in ${word}.\n\nA pun, by itself: ${word}\n`,
  [JSON_TYPE]: [{ joke: 'Knock, knock!' }, { joke: `A pun,\n\n by itself: ${word}` }],
}

let number = 0
const post = (): RequestInit => {
  const joke = `Acceptable, no. ${number++}: ${word}`
  return { method: 'POST', body: JSON.stringify({ joke, category: 'School' }) }
}

it.skipIf(isSam).each<[accept: string | undefined, listing: keyof typeof bodies, added: string]>([
  ['text/plain', TEXT, CREATED],
  ['text/plain; charset=utf-8', TEXT, CREATED],
  ['text/plain, application/json;q=0.9', TEXT, JSON_TYPE],
  ['application/json;q=0.5;charset=utf-8, text/plain;format=flowed;q=0.6', TEXT, JSON_TYPE],
  ['text/*, */*; q = 0.5', TEXT, CREATED],
  ['application/json', JSON_TYPE, JSON_TYPE],
  // The default of axios, and that of a client that knows what it wants.
  ['application/json, text/plain, */*', JSON_TYPE, CREATED],
  ['Application/JSON, */*;q=0.9', JSON_TYPE, JSON_TYPE],
  ['application/vnd.json;q=0.5, application/*', JSON_TYPE, JSON_TYPE],
  ['text/plain; Q=0.9, application/json; charset=utf-8', JSON_TYPE, JSON_TYPE],
  ['application/vnd.json;q=0, application/json', JSON_TYPE, JSON_TYPE],
  ['application/json, application/vnd.json; charset=utf-8', JSON_TYPE, CREATED],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8', JSON_TYPE, CREATED],
  ['image/png', JSON_TYPE, CREATED],
  [undefined, JSON_TYPE, CREATED],
])('for Accept: %s, a listing is %s, and an added joke %s', async (accept, listing, added) => {
  const headers = accept === undefined ? {} : { accept }
  const listed = await service.request(`/joke?category=Classic&searchString=${word}`, { headers })
  expect(listed).toMatchObject({ status: 200, body: bodies[listing] })
  expect(listed.headers.get('content-type')).toBe(listing)
  const created = await service.request('/joke', { ...post(), headers })
  expect(created).toMatchObject({ status: 201, body: { category: 'School', thumbsUp: 0 } })
  expect(created.headers.get('content-type')).toBe(added)
})

it.skipIf(isSam)('the Accept header may have several lines', async () => {
  const headers = { accept: ['text/plain', 'application/json;q=0.9'] }
  const [response] = await once(request(`${service.url}/joke`, { headers }).end(), 'response')
  expect(response.resume().headers['content-type']).toBe(TEXT)
})

const text = { headers: { accept: 'text/plain' } }
const [CACHED, NOT_CACHED] = ['max-age=0, s-maxage=5', 'no-store']
const LINK = expect.stringMatching(/^<\?.*cursor=.*>; rel="next"$/)
const secondPage = `/joke?numberofJokes=1&cursor=${await service.cursor({ numberofJokes: '1' })}`

it.each<[title: string, path: string, type: string, cacheControl: string, init?: RequestInit, link?: unknown]>([
  ['a listing', '/joke?numberofJokes=1', JSON_TYPE, CACHED, {}, LINK],
  ['a listing as text', '/joke?numberofJokes=1', TEXT, CACHED, text, LINK],
  ['the second page of a listing', secondPage, JSON_TYPE, CACHED],
  ['a search that finds nothing', `/joke?searchString=un${word}`, JSON_TYPE, CACHED],
  ['a random order with a seed', `/joke?sortBy=random&seed=a&searchString=${word}`, JSON_TYPE, CACHED],
  ['a random order without a seed', `/joke?sortBy=random&searchString=${word}`, JSON_TYPE, NOT_CACHED],
  ['a joke by its id', `/joke?id=${first?.id}`, JSON_TYPE, NOT_CACHED],
  ['a joke by its id as text', `/joke?id=${first?.id}`, TEXT, NOT_CACHED, text],
  ['jokes by their ids in the order of a seed', `/joke?id=${first?.id}&sortBy=random&seed=a`, JSON_TYPE, NOT_CACHED],
  ['an error', '/joke?numberofJokes=0', PROBLEM, NOT_CACHED],
  ['an error to a request for text', '/joke?id=,&cursor=x', PROBLEM, NOT_CACHED, text],
  ['a new joke', '/joke', CREATED, NOT_CACHED, post()],
  ['a refused joke', '/joke', PROBLEM, NOT_CACHED, { method: 'POST', body: '{}' }],
  ['an upvote', `/thumbsUp/${second?.id}`, JSON_TYPE, NOT_CACHED, { method: 'POST' }],
  ['an upvote of an unknown id', '/thumbsUp/x', PROBLEM, NOT_CACHED, { method: 'POST' }],
])('%s has its headers', async (_, path, type, cacheControl, init = {}, link = expect.toBeOneOf([null, LINK])) => {
  const { headers } = await service.request(path, init)
  const names = ['content-type', 'cache-control', 'x-content-type-options', 'link']
  expect(names.map((name) => headers.get(name))).toEqual([type, cacheControl, 'nosniff', link])
  // Caches keep a copy per format and origin.
  if (cacheControl === CACHED || type === CREATED) expect(headers.get('vary')).toBe('Accept, Origin')
})
