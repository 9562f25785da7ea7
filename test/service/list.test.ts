import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { parseListing, SORT_FIELDS } from '../../shared/listing.ts'
import samples from '../sample-jokes.json' with { type: 'json' }
import { startService } from '../support/service.ts'

const service = await startService()
await service.add(...samples)
afterAll(service.stop)

describe('GET /joke', () => {
  it('returns the 25 newest jokes, the newest first', async () => {
    const { status, headers, body } = await service.list()
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json'])
    const newest = samples.toReversed().slice(0, 25)
    expect(body).toEqual(newest.map(({ joke }) => expect.objectContaining({ joke })))
  })

  it('returns the jokes with all ids, also when the parameter is repeated in another letter case', async () => {
    const [newest, second] = await service.jokes()
    const { body } = await service.request(`/joke?id=${second?.id}&ID=${newest?.id}`)
    expect(body).toEqual([newest, second])
  })

  it('is logged in Lambda if it is costly', async () => {
    vi.stubEnv('AWS_LAMBDA_FUNCTION_VERSION', '1')
    onTestFinished(() => void vi.unstubAllEnvs())
    let seconds = 0
    using _now = vi.spyOn(performance, 'now').mockImplementation(() => 1_000 * seconds++)
    using warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    await service.jokes()
    expect(warn).toHaveBeenCalledWith(expect.objectContaining({ costly: 'GET /joke', calls: 5 }))
  })

  it.each(['1', '007'])('with numberofJokes=%s returns as many', async (numberofJokes) => {
    expect(await service.jokes({ numberofJokes })).toHaveLength(Number(numberofJokes))
  })

  it.each(['251', '9'.repeat(400)])('takes numberofJokes=%s for 250', (numberofJokes) => {
    expect(parseListing({ numberofJokes })).toMatchObject({ numberofJokes: 250, seed: '' })
  })

  it('ignores the letter case of parameter names, and empty parameters', async () => {
    const query = { NUMBEROFJOKES: '3', Category: 'School', sortBy: '', cursor: '', SEARCHstring: '' }
    expect((await service.jokes(query)).map(({ category }) => category)).toEqual(['School', 'School', 'School'])
  })
})

describe('paging', () => {
  it.each(SORT_FIELDS)('of a search by %s has the order of one page', async (sortBy) => {
    // Rows of words of six letters hold the words, too, so a page begins after more than the place of a joke.
    const query = { searchString: 'teacher', sortBy, sortOrder: 'asc' }
    const all = await service.jokes({ ...query, numberofJokes: '250' })
    expect((await service.pages({ ...query, numberofJokes: '2' })).flat()).toEqual(all)
    expect(await service.pages({ ...query, numberofJokes: String(all.length) })).toEqual([all])
  })

  it('has no Link when the last page is full', async () => {
    const pages = await service.pages({ numberofJokes: String(samples.length) })
    expect(pages.map((page) => page.length)).toEqual([samples.length])
  })

  it('refuses the cursor of another listing', async () => {
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

it.each(['hicken', '!!', ' '])('a search for %j, which begins no word, finds nothing', async (searchString) => {
  expect(await service.jokes({ searchString })).toEqual([])
})

describe('CORS', () => {
  const origin = 'https://example.com'

  it('lets any origin read answers with their Link and Retry-After', async () => {
    const { headers } = await service.request('/joke', { headers: { origin } })
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-expose-headers')).toBe('link,location,retry-after')
  })

  it('answers a preflight request', async () => {
    const asked = { origin, 'access-control-request-method': 'POST' }
    const { status, headers } = await service.request('/joke', { method: 'OPTIONS', headers: asked })
    const names = ['allow-origin', 'allow-methods', 'allow-headers', 'max-age']
    const allowed = names.map((name) => headers.get(`access-control-${name}`))
    expect([status, ...allowed]).toEqual([204, '*', 'GET,POST', 'content-type', '86400'])
  })
})
