import { afterAll, describe, expect, it } from 'vitest'
import { parseListing, SORT_FIELDS } from '../../shared/listing.ts'
import samples from '../sample-jokes.json' with { type: 'json' }
import { startService } from '../support/service.ts'

const service = await startService()
await service.add(...samples)
afterAll(service.stop)

describe('GET /joke', () => {
  it('a listing returns the 25 newest jokes, the newest first', async () => {
    const { status, headers, body } = await service.list()
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json'])
    const newest = samples.toReversed().slice(0, 25)
    expect(body).toEqual(newest.map(({ joke }) => expect.objectContaining({ joke })))
  })

  it('repeated id parameters are combined, in any letter case', async () => {
    const [newest, second] = await service.jokes()
    const { body } = await service.request(`/joke?id=${second?.id}&ID=${newest?.id}`)
    expect(body).toEqual([newest, second])
  })

  it.each(['1', '007'])('numberofJokes=%s returns that many jokes', async (numberofJokes) => {
    expect(await service.jokes({ numberofJokes })).toHaveLength(Number(numberofJokes))
  })

  it.each([
    ['251', '251'],
    ['a number of 400 digits', '9'.repeat(400)],
  ])('numberofJokes counts as 250 if it is %s', (_, numberofJokes) => {
    expect(parseListing({ numberofJokes })).toMatchObject({ numberofJokes: 250, seed: '' })
  })

  it('X-Total-Count says how many jokes match, over all pages', async () => {
    const totalOf = async (query: Record<string, string>) => (await service.list(query)).headers.get('x-total-count')
    expect(await totalOf({ numberofJokes: '2' })).toBe(`${samples.length}`)
    const cursor = await service.cursor({ numberofJokes: '2' })
    expect(await totalOf({ cursor })).toBe(`${samples.length}`)
    const inSchool = samples.filter(({ category }) => category === 'School').length
    expect(await totalOf({ category: 'School', sortBy: 'random' })).toBe(`${inSchool}`)
    expect(await totalOf({ searchString: 'nothing' })).toBe('0')
    expect(await totalOf({ id: 'x' })).toBe(null)
  })

  it.each([
    ['_=1732550400&utm_source=x&UTM_campaign=y&fbclid=1&gclid=2', ''],
    ['searchString=%20%09', ''],
    ['sortOrder=ASC&sortBy=DATEADDED', 'sortOrder=asc&sortBy=dateAdded'],
    ['category=school', 'category=School'],
    ['categories=french%20humour,CLASSIC', 'categories=French%20humour,Classic'],
    ['categories[]=School&categories%5B%5D=Classic', 'categories=School,Classic'],
    ['sortBy[]=thumbsUp', 'sortBy=thumbsUp'],
  ])('a listing with %s is that with %s', async (sent, meant) => {
    const { status, body } = await service.request(`/joke?${sent}`)
    expect([status, body]).toEqual([200, (await service.request(`/joke?${meant}`)).body])
  })

  it('a listing accepts parameter names in any letter case', async () => {
    const query = { NUMBEROFJOKES: '3', Category: 'School', sortBy: '', cursor: '', SEARCHstring: '' }
    expect((await service.jokes(query)).map(({ category }) => category)).toEqual(['School', 'School', 'School'])
  })
})

describe('paging', () => {
  it.each(SORT_FIELDS)('the pages of a search by %s have the order of one page', async (sortBy) => {
    const query = { searchString: 'teacher', sortBy, sortOrder: 'asc' }
    const all = await service.jokes({ ...query, numberofJokes: '250' })
    expect((await service.pages({ ...query, numberofJokes: '2' })).flat()).toEqual(all)
    expect(await service.pages({ ...query, numberofJokes: String(all.length) })).toEqual([all])
  })

  it('a full last page has no Link', async () => {
    const pages = await service.pages({ numberofJokes: String(samples.length) })
    expect(pages.map((page) => page.length)).toEqual([samples.length])
  })

  it('a cursor of another listing is rejected', async () => {
    const sortBy = 'thumbsUp'
    const cursor = await service.cursor({ numberofJokes: '1', sortBy })
    expect((await service.list({ sortBy, cursor, numberofJokes: '9' })).status).toBe(200)
    const refused = { status: 400, body: { errors: [{ field: 'cursor' }] } }
    for (const difference of [
      { sortOrder: 'asc' },
      { searchString: 'a' },
      { category: 'School' },
      { sortBy: 'thumbsDown' },
    ])
      expect(await service.list({ sortBy, ...difference, cursor })).toMatchObject(refused)
  })
})

it.each(['hicken', '!!'])('a search for %j, with which no word begins, finds nothing', async (searchString) => {
  expect(await service.jokes({ searchString })).toEqual([])
})

describe('CORS', () => {
  const origin = 'https://example.com'

  it('any origin may read responses with their headers', async () => {
    const { headers } = await service.request('/joke', { headers: { origin } })
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-expose-headers')).toBe('link,location,retry-after,x-total-count')
  })

  it('a preflight request returns the allowed methods and headers', async () => {
    const asked = { origin, 'access-control-request-method': 'POST' }
    const { status, headers } = await service.request('/joke', { method: 'OPTIONS', headers: asked })
    const names = ['allow-origin', 'allow-methods', 'allow-headers', 'max-age']
    const allowed = names.map((name) => headers.get(`access-control-${name}`))
    expect([status, ...allowed]).toEqual([204, '*', 'GET,POST', '*', '86400'])
  })
})
