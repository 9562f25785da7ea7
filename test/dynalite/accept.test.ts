import { afterAll, describe, expect, it } from 'vitest'
import { startService } from '../support/service.ts'

const service = await startService()
await service.add(
  { joke: 'A pun, by itself', category: 'Classic' },
  { joke: 'Knock, knock!', punchline: 'Nobody is in.', category: 'KnockKnock' },
)
afterAll(service.stop)

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'

describe('a listing', () => {
  const list = (accept: string | undefined) =>
    service.request('/joke', accept === undefined ? {} : { headers: { accept } })

  it.each([
    'text/plain',
    'text/*',
    'text/plain, application/json;q=0.9',
    'text/plain, */*;q=0.1',
    'TEXT/PLAIN',
    'text/plain; charset=utf-8',
    'application/json;q=0.5;charset=utf-8, text/plain;format=flowed;q=0.6',
  ])('is plain text for Accept: %s', async (accept) => {
    const { status, headers, body } = await list(accept)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(headers.get('vary')?.split(', ')).toContain('Accept')
    expect(body).toBe('Knock, knock!\nNobody is in.\n\nA pun, by itself\n')
  })

  it.each([
    undefined,
    '*/*',
    BROWSER,
    'application/json',
    'application/json, text/plain, */*',
    'application/json; charset=utf-8, text/plain; Q=0.9',
    'image/png',
    ';;,',
    '',
  ])('is JSON for Accept: %s', async (accept) => {
    const { status, headers, body } = await list(accept)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.get('vary')?.split(', ')).toContain('Accept')
    expect(body).toHaveLength(2)
  })

  it('without jokes is an empty text', async () => {
    const { body } = await service.request('/joke?searchString=nothing', { headers: { accept: 'text/plain' } })
    expect(body).toBe('')
  })

  it('in plain text has a Link, too', async () => {
    const { headers } = await service.request('/joke?numberofJokes=1', { headers: { accept: 'text/plain' } })
    expect(headers.get('link')).toMatch(/^<\?.*cursor=.*>; rel="next"$/)
  })

  it('with invalid parameters is answered in JSON', async () => {
    const { status, headers } = await service.request('/joke?id=,&cursor=x', { headers: { accept: 'text/plain' } })
    expect([status, headers.get('content-type')]).toEqual([400, 'application/problem+json'])
  })
})

describe('an added joke', () => {
  let number = 0
  const create = (accept?: string) =>
    service.request('/joke', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(accept !== undefined && { accept }) },
      body: JSON.stringify({ joke: `Acceptable, no. ${number++}`, category: 'School' }),
    })

  it.each([
    undefined,
    '*/*',
    'application/*',
    'application/vnd.json',
    'application/json, */*;q=0.1',
    'application/json, application/vnd.json; charset=utf-8',
    'text/html',
  ])('is application/vnd.json for Accept: %s', async (accept) => {
    const { status, headers } = await create(accept)
    expect([status, headers.get('content-type')]).toEqual([201, 'application/vnd.json'])
  })

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json, application/problem+json',
    'application/vnd.json;q=0, application/json',
  ])('is application/json for Accept: %s', async (accept) => {
    const { status, headers, body } = await create(accept)
    expect([status, headers.get('content-type')]).toEqual([201, 'application/json'])
    expect(body).toMatchObject({ category: 'School', thumbsUp: 0 })
  })
})
