import * as v from 'valibot'
import { afterAll, describe, expect, it } from 'vitest'
import { Joke } from '../../shared/joke.ts'
import { SORT_FIELDS } from '../../shared/listing.ts'
import sampleJokes from '../sample-jokes.json' with { type: 'json' }
import { inOrder } from '../support/model.ts'
import { idsOf, openService } from '../support/service.ts'

const service = await openService()
const { isSam, word } = service
const samples = await service.add(...sampleJokes.map((sample) => ({ ...sample, joke: `${sample.joke} ${word}` })))
afterAll(service.stop)

describe('GET /joke', () => {
  it('a listing returns the 25 newest jokes, the newest first', async () => {
    const { status, headers, body } = await service.list()
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
    const listed = v.parse(v.array(Joke), body)
    expect([listed.length, inOrder(listed, {})]).toEqual([25, true])
    expect(await service.jokes({ searchString: word })).toEqual(samples.toReversed().slice(0, 25))
  })

  it('repeated id parameters are combined, in any letter case', async () => {
    const [second, newest] = samples.slice(-2)
    const { body } = await service.request(`/joke?id=${second?.id}&ID=${newest?.id}`)
    expect(body).toEqual([newest, second])
  })

  it('X-Total-Count says how many jokes match, over all pages', async () => {
    const totalOf = async (query: Record<string, string>) =>
      (await service.list({ searchString: word, ...query })).headers.get('x-total-count')
    expect(await totalOf({ numberofJokes: '2' })).toBe(`${samples.length}`)
    const cursor = await service.cursor({ searchString: word, numberofJokes: '2' })
    expect(await totalOf({ cursor })).toBe(`${samples.length}`)
    const inSchool = samples.filter(({ category }) => category === 'School').length
    expect(await totalOf({ category: 'School', sortBy: 'random' })).toBe(`${inSchool}`)
    expect(await totalOf({ searchString: `un${word}` })).toBe('0')
    expect((await service.list({ id: 'x' })).headers.get('x-total-count')).toBe(null)
  })

  it.each([
    ['_=1732550400&utm_source=x&UTM_campaign=y&fbclid=1&gclid=2', ''],
    ['sortOrder=ASC&sortBy=DATEADDED', 'sortOrder=asc&sortBy=dateAdded'],
    ['category=school', 'category=School'],
    ['categories=french%20humour,CLASSIC', 'categories=French%20humour,Classic'],
    ['categories[]=School&categories%5B%5D=Classic', 'categories=School,Classic'],
    ['categories=School , Classic', 'categories=School,Classic'],
    ['categories=School&categories=Classic', 'categories=School,Classic'],
    ['sortBy[]=thumbsUp', 'sortBy=thumbsUp'],
    ['NUMBEROFJOKES=3&Category=School&sortBy=&cursor=', 'category=School&numberofJokes=3'],
    ['numberofJokes=007', 'numberofJokes=7'],
    ['category=School%20&numberofJokes=%095&id=%20', 'category=School&numberofJokes=5'],
  ])('a listing with %s is that with %s', async (sent, meant) => {
    const found = await service.jokes({ searchString: word, ...Object.fromEntries(new URLSearchParams(meant)) })
    expect(found).not.toEqual([])
    expect(await service.request(`/joke?searchString=${word}&${sent}`)).toMatchObject({ status: 200, body: found })
  })

  it('a listing with a search of white space is that of all jokes', async () => {
    const query = { sortOrder: 'asc', numberofJokes: '5' }
    expect(idsOf(await service.jokes({ ...query, searchString: ' \t' }))).toEqual(idsOf(await service.jokes(query)))
  })
})

it.each(['/joke?numberofJokes=1', '/joke?numberofJokes=0', '/', '/openapi.json', '/nothing'])(
  'HEAD %s gets the headers of GET, in UTF-8, without a body',
  async (path) => {
    const [head, get] = await Promise.all(['HEAD', 'GET'].map((method) => fetch(service.url + path, { method })))
    const ofConnection = { date: '', connection: '', 'keep-alive': '' }
    const headersOf = (response?: Response) => ({ ...Object.fromEntries(response?.headers ?? []), ...ofConnection })
    expect([head?.status, headersOf(head)]).toEqual([get?.status, headersOf(get)])
    expect(head?.headers.get('content-type')).toContain('; charset=utf-8')
    expect(head?.headers.get('x-content-type-options')).toBe('nosniff')
    expect([await head?.text(), await get?.text()]).toEqual(['', expect.stringMatching(/./)])
  },
)

describe('paging', () => {
  it.each(SORT_FIELDS)('the pages of a search by %s have the order of one page', async (sortBy) => {
    const query = { searchString: `teacher ${word}`, sortBy, sortOrder: 'asc' }
    const all = await service.jokes({ ...query, numberofJokes: '250' })
    expect((await service.pages({ ...query, numberofJokes: '2' })).flat()).toEqual(all)
    expect(await service.pages({ ...query, numberofJokes: String(all.length) })).toEqual([all])
  })

  it('a full last page has no Link', async () => {
    const pages = await service.pages({ searchString: word, numberofJokes: String(samples.length) })
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

describe.skipIf(isSam)('CORS', () => {
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
