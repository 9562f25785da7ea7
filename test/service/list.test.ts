import * as v from 'valibot'
import { afterAll, describe, expect, it } from 'vitest'
import { Joke } from '../../shared/joke.ts'
import samples from '../sample-jokes.json' with { type: 'json' }
import { load } from '../support/access.ts'
import { numberedJokes } from '../support/numberedJoke.ts'
import { idsOf, startService } from '../support/service.ts'

const service = await startService()
for (const [index, { id }] of (await service.add(...samples)).entries())
  for (let votes = index % 4; votes > 0; votes--) await service.thumbUp(id)
afterAll(service.stop)

describe('GET /joke', () => {
  it('returns the 25 newest jokes, the newest first', async () => {
    const { status, headers, body } = await service.list()
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json'])
    const newest = samples.toReversed().slice(0, 25)
    expect(body).toEqual(newest.map(({ joke }) => expect.objectContaining({ joke })))
  })

  it('returns the jokes with all ids, also when the parameter is repeated in another letter case', async () => {
    const ids = idsOf(await service.jokes()).slice(0, 2)
    const { body } = await service.request(`/joke?id=${ids[0]}&ID=${ids[1]}`)
    expect(idsOf(v.parse(v.array(Joke), body))).toEqual(ids)
  })

  it('returns no joke and no Link when the collection is empty', async () => {
    const empty = await startService()
    const { status, headers, body } = await empty.list()
    expect([status, body, headers.get('link')]).toEqual([200, [], null])
    await empty.stop()
  })

  it.each([
    ['1', 1],
    ['007', 7],
    ['62', 62],
    ['1000000', samples.length],
    ['9'.repeat(400), samples.length],
  ])('with numberofJokes=%s returns %i', async (numberofJokes, expected) => {
    expect(await service.jokes({ numberofJokes })).toHaveLength(expected)
  })

  it.each(['Word game', 'Classic', 'School', 'KnockKnock'])('with category=%s has all its jokes', async (category) => {
    const jokes = await service.jokes({ category, numberofJokes: '250' })
    expect(jokes.map((joke) => joke.category)).toEqual(
      samples.map((sample) => sample.category).filter((other) => other === category),
    )
  })

  it.each(['thumbsUp', 'thumbsDown', 'dateAdded'] as const)('sorts by %s', async (sortBy) => {
    const sorted = await startService()
    const jokes = numberedJokes(10).map((joke, number) => ({ ...joke, thumbsDown: (3 * number) % 10 }))
    await load(sorted.store, jokes)
    const ascending = jokes.map((joke) => joke[sortBy]).toSorted()
    for (const [sortOrder, expected] of [
      ['asc', ascending],
      ['desc', ascending.toReversed()],
    ] as const)
      expect((await sorted.jokes({ sortBy, sortOrder })).map((joke) => joke[sortBy])).toEqual(expected)
    await sorted.stop()
  })

  it('ignores the letter case of parameter names, and empty parameters', async () => {
    const query = { NUMBEROFJOKES: '3', Category: 'School', sortBy: '', cursor: '', SEARCHstring: '' }
    expect((await service.jokes(query)).map(({ category }) => category)).toEqual(['School', 'School', 'School'])
  })
})

describe('paging', () => {
  it.each<Record<string, string>>([
    {},
    { numberofJokes: '7', sortBy: 'thumbsUp' },
    { numberofJokes: '3', sortBy: 'thumbsDown', sortOrder: 'asc' },
    { numberofJokes: '1', category: 'School' },
    { numberofJokes: '4', searchString: 'the' },
    { numberofJokes: '2', searchString: 'chick', sortBy: 'thumbsUp' },
  ])('with %j visits each joke once, in the same order as on one page', async (query) => {
    const pages = await service.pages(query)
    expect(pages.flat()).toEqual(await service.jokes({ ...query, numberofJokes: '250' }))
    const size = Number(query.numberofJokes ?? 25)
    expect(pages.slice(0, -1).every((page) => page.length === size)).toBe(true)
  })

  it('has no Link when the last page is full', async () => {
    const { headers, body } = await service.list({ numberofJokes: String(samples.length) })
    expect([v.parse(v.array(Joke), body).length, headers.get('link')]).toEqual([samples.length, null])
  })

  it('refuses the cursor of another listing', async () => {
    const sortBy = 'thumbsUp'
    const cursor = await service.cursor({ numberofJokes: '1', sortBy })
    expect((await service.list({ sortBy, cursor, numberofJokes: '9' })).status).toBe(200)
    for (const other of [
      {},
      { sortBy, sortOrder: 'asc' },
      { sortBy, searchString: 'a' },
      { sortBy, category: 'School' },
    ])
      expect(await service.list({ ...other, cursor })).toMatchObject({
        status: 400,
        body: { errors: [{ field: 'cursor' }] },
      })
  })
})

describe('search', () => {
  const search = async (searchString: string) =>
    (await service.jokes({ searchString, numberofJokes: '250' })).map(({ joke, punchline }) => `${joke} ${punchline}`)

  it.each([
    ['chicken', /\bchicken/i],
    ['CHICK', /\bchick/i],
    ['teacher why', /^(?=.*\bteacher)(?=.*\bwhy)/is],
    ['ca', /(^|[^\p{L}\p{M}])[cç][aàâ]/iu],
    ['noel', /noël/i],
    ['ELEVE', /élève/i],
    ['knock, knock!', /knock/i],
  ])('for %s finds each joke with words that begin with it', async (searchString, pattern) => {
    const expected = samples
      .map(({ joke, punchline = '' }) => `${joke} ${punchline}`)
      .filter((text) => pattern.test(text))
    expect(expected.length).toBeGreaterThan(0)
    expect((await search(searchString)).toSorted()).toEqual(expected.toSorted())
  })

  it.each(['hicken', '!!', '…', '\u0301', ' '])('for %j, which begins no word, finds nothing', async (searchString) => {
    expect(await search(searchString)).toEqual([])
  })

  it.each<[joke: string, found: string[], not: string[]]>([
    ['👋🏽🐔 crosses the road', ['🐔', '👋', '👋🏿\uFE0F 🐔', '🐔 road'], ['🐓']],
    [
      "Don't e-mail l’été",
      ["don't", 'DON’T', 'dont', 'don', 'email', 'e-mail', 'mail', "l'ete", 'été'],
      ['dont x', 'mail-e'],
    ],
    ['東京都に行く', ['東京', '行'], ['京']],
    ['ฉันรักภาษาไทย', ['ภาษา'], ['าษา']],
  ])('finds %s as its language has words', async (joke, found, not) => {
    const texts = await startService()
    await texts.add({ joke, category: 'Classic' })
    for (const searchString of [...found, ...not])
      expect([searchString, (await texts.jokes({ searchString })).length]).toEqual([
        searchString,
        not.includes(searchString) ? 0 : 1,
      ])
    await texts.stop()
  })
})

describe('CORS', () => {
  const origin = 'https://example.com'

  it('lets any origin read answers with their Link and Retry-After', async () => {
    const { headers } = await service.request('/joke', { headers: { origin } })
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-expose-headers')).toBe('link,retry-after')
  })

  it('answers a preflight request', async () => {
    const asked = { origin, 'access-control-request-method': 'POST' }
    const { status, headers } = await service.request('/joke', { method: 'OPTIONS', headers: asked })
    const allowed = ['origin', 'methods', 'headers'].map((name) => headers.get(`access-control-allow-${name}`))
    expect([status, ...allowed]).toEqual([204, '*', 'GET,POST', 'content-type'])
  })
})
