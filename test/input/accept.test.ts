import { afterAll, describe, expect, it } from 'vitest'
import { startService } from '../support/service.ts'

const service = await startService()
await service.add(
  { joke: 'A pun, by itself', category: 'Classic' },
  { joke: 'Knock, knock!', punchline: 'Nobody is in.', category: 'KnockKnock' },
)
afterAll(service.stop)

describe('a listing', () => {
  async function expectListed(accept: string | undefined, type: string, jokes: unknown): Promise<void> {
    const answer = await service.request('/joke', accept === undefined ? {} : { headers: { accept } })
    expect(answer).toMatchObject({ status: 200, body: jokes })
    expect(answer.headers.get('content-type')).toBe(type)
    expect(answer.headers.get('vary')?.split(', ')).toContain('Accept')
  }

  it.each([
    'text/plain',
    'text/*',
    'text/plain, application/json;q=0.9',
    'text/plain, */*;q=0.1',
    'TEXT/PLAIN',
    'text/plain; charset=utf-8',
    'application/json;q=0.5;charset=utf-8, text/plain;format=flowed;q=0.6',
  ])('is plain text for Accept: %s', async (accept) => {
    await expectListed(accept, 'text/plain; charset=utf-8', 'Knock, knock!\nNobody is in.\n\nA pun, by itself\n')
  })

  it.each([
    undefined,
    '*/*',
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8',
    'application/json',
    'application/json, text/plain, */*',
    'application/json; charset=utf-8, text/plain; Q=0.9',
    'image/png',
    ';;,',
    '',
  ])('is JSON for Accept: %s', async (accept) => {
    await expectListed(accept, 'application/json', [{ category: 'KnockKnock' }, { category: 'Classic' }])
  })

  it('in plain text may be empty, and has a Link, too, but its faults are in JSON', async () => {
    const list = (query: string) => service.request(`/joke?${query}`, { headers: { accept: 'text/plain' } })
    expect((await list('searchString=nothing')).body).toBe('')
    expect((await list('numberofJokes=1')).headers.get('link')).toMatch(/^<\?.*cursor=.*>; rel="next"$/)
    expect((await list('id=,&cursor=x')).headers.get('content-type')).toBe('application/problem+json')
  })
})

let number = 0
it.each([
  [undefined, 'application/vnd.json'],
  ['*/*', 'application/vnd.json'],
  ['application/*', 'application/vnd.json'],
  ['application/vnd.json', 'application/vnd.json'],
  ['application/json, */*;q=0.1', 'application/vnd.json'],
  ['application/json, application/vnd.json; charset=utf-8', 'application/vnd.json'],
  ['text/html', 'application/vnd.json'],
  ['application/json', 'application/json'],
  ['application/json; charset=utf-8', 'application/json'],
  ['application/json, application/problem+json', 'application/json'],
  ['application/vnd.json;q=0, application/json', 'application/json'],
])('an added joke is, for Accept: %s, %s', async (accept, type) => {
  const body = JSON.stringify({ joke: `Acceptable, no. ${number++}`, category: 'School' })
  const answer = await service.request('/joke', { method: 'POST', headers: { ...(accept && { accept }) }, body })
  expect(answer).toMatchObject({ status: 201, body: { category: 'School', thumbsUp: 0 } })
  expect(answer.headers.get('content-type')).toBe(type)
})
