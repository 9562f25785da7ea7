import { once } from 'node:events'
import { request } from 'node:http'
import { afterAll, expect, it } from 'vitest'
import { openService } from '../support/service.ts'

const service = await openService()
const { isSam, word } = service
await service.add(
  { joke: `A pun,\n\n by itself: ${word}`, category: 'Classic' },
  { joke: 'Knock, knock!', punchline: `Nobody is in ${word}.`, category: 'Classic' },
)
afterAll(service.stop)

const [TEXT, JSON_TYPE] = ['text/plain; charset=utf-8', 'application/json; charset=utf-8'] as const
const CREATED = 'application/vnd.json'
const bodies = {
  [TEXT]: `Knock, knock!\nNobody is in ${word}.\n\nA pun, by itself: ${word}\n`,
  [JSON_TYPE]: [{ joke: 'Knock, knock!' }, { joke: `A pun,\n\n by itself: ${word}` }],
}

let number = 0
it.skipIf(isSam).each<[accept: string | undefined, listing: keyof typeof bodies, added: string]>([
  ['text/plain', TEXT, CREATED],
  ['text/plain; charset=utf-8', TEXT, CREATED],
  ['text/plain, application/json;q=0.9', TEXT, JSON_TYPE],
  ['application/json;q=0.5;charset=utf-8, text/plain;format=flowed;q=0.6', TEXT, JSON_TYPE],
  ['application/json', JSON_TYPE, JSON_TYPE],
  // The default of axios, and that of a client that knows what it wants.
  ['application/json, text/plain, */*', JSON_TYPE, CREATED],
  ['Application/JSON, */*;q=0.9', JSON_TYPE, JSON_TYPE],
  ['application/vnd.json;q=0.5, application/*', JSON_TYPE, JSON_TYPE],
  ['text/*, */*; q = 0.5', TEXT, CREATED],
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
  expect(listed.headers.get('vary')?.split(', ')).toContain('Accept')
  const body = JSON.stringify({ joke: `Acceptable, no. ${number++}: ${word}`, category: 'School' })
  const created = await service.request('/joke', { method: 'POST', headers, body })
  expect(created).toMatchObject({ status: 201, body: { category: 'School', thumbsUp: 0 } })
  expect(created.headers.get('content-type')).toBe(added)
})

it.skipIf(isSam)('the Accept header may have several lines', async () => {
  const headers = { accept: ['text/plain', 'application/json;q=0.9'] }
  const [response] = await once(request(`${service.url}/joke`, { headers }).end(), 'response')
  expect(response.resume().headers['content-type']).toBe(TEXT)
})

it.skipIf(isSam)('a listing in plain text has a Link', async () => {
  const list = (query: string) => service.request(`/joke?${query}`, { headers: { accept: 'text/plain' } })
  expect((await list(`searchString=un${word}`)).body).toBe('')
  expect((await list('numberofJokes=1')).headers.get('link')).toMatch(/^<\?.*cursor=.*>; rel="next"$/)
  expect((await list('id=,&cursor=x')).headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
})
