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
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json')
    const newest = samples.toReversed().slice(0, 25)
    expect(body).toEqual(newest.map(({ joke }) => expect.objectContaining({ joke })))
  })

  it('returns the jokes with all ids, also when the parameter is repeated in another letter case', async () => {
    const ids = idsOf(await service.jokes()).slice(0, 2)
    const { body } = await service.request(`/joke?id=${ids[0]}&ID=${ids[1]}`)
    expect(idsOf(v.parse(v.array(Joke), body)).toSorted()).toEqual(ids.toSorted())
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
  ])('with numberofJokes=%s returns %i', async (numberofJokes, expected) => {
    expect(await service.jokes({ numberofJokes })).toHaveLength(expected)
  })

  it('accepts a numberofJokes of 400 digits', async () => {
    expect(await service.jokes({ numberofJokes: '9'.repeat(400) })).toHaveLength(samples.length)
  })

  it.each(['Word game', 'Classic', 'School', 'KnockKnock'])(
    'with category=%s returns only its jokes',
    async (category) => {
      const jokes = await service.jokes({ category, numberofJokes: '250' })
      expect(jokes).toHaveLength(samples.filter((sample) => sample.category === category).length)
      expect(new Set(jokes.map((joke) => joke.category))).toEqual(new Set([category]))
    },
  )

  it.each<[sortBy: 'thumbsUp' | 'thumbsDown' | 'dateAdded', sortOrder: string]>([
    ['thumbsUp', 'asc'],
    ['thumbsUp', 'desc'],
    ['dateAdded', 'asc'],
    ['dateAdded', 'desc'],
  ])('sorts by %s %s', async (sortBy, sortOrder) => {
    const values = (await service.jokes({ sortBy, sortOrder, numberofJokes: '250' })).map((joke) => joke[sortBy])
    const ascending = values.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0))
    expect(values).toHaveLength(samples.length)
    expect(values).toEqual(sortOrder === 'asc' ? ascending : ascending.toReversed())
  })

  it.each(['asc', 'desc'])('sorts by thumbsDown %s', async (sortOrder) => {
    const disliked = await startService()
    await load(
      disliked.store,
      numberedJokes(10).map((joke, number) => ({ ...joke, thumbsDown: (3 * number) % 10 })),
    )
    const counts = (await disliked.jokes({ sortBy: 'thumbsDown', sortOrder })).map(({ thumbsDown }) => thumbsDown)
    const ascending = Array.from({ length: 10 }, (_, count) => count)
    expect(counts).toEqual(sortOrder === 'asc' ? ascending : ascending.toReversed())
    await disliked.stop()
  })

  it('ignores the letter case of parameter names, and empty parameters', async () => {
    const jokes = await service.jokes({
      NUMBEROFJOKES: '3',
      Category: 'School',
      sortBy: '',
      cursor: '',
      SEARCHstring: '',
    })
    expect(jokes.map(({ category }) => category)).toEqual(['School', 'School', 'School'])
  })
})

describe('paging', () => {
  it.each<Record<string, string>>([
    {},
    { numberofJokes: '7', sortBy: 'thumbsUp' },
    { numberofJokes: '7', sortBy: 'thumbsDown', sortOrder: 'asc' },
    { numberofJokes: '1', category: 'School' },
    { numberofJokes: '4', searchString: 'the' },
  ])('with %j visits each joke once', async (query) => {
    const whole = await service.jokes({ ...query, numberofJokes: '250' })
    const pages = await service.pages(query)
    expect(idsOf(pages.flat())).toEqual(idsOf(whole))
    const size = Number(query.numberofJokes ?? 25)
    expect(pages.slice(0, -1).every((page) => page.length === size)).toBe(true)
  })

  it('keeps the order of jokes with equal values for any page size', async () => {
    const whole = await service.jokes({ sortBy: 'thumbsDown', numberofJokes: '250' })
    for (const numberofJokes of ['1', '3', '10']) {
      expect((await service.pages({ sortBy: 'thumbsDown', numberofJokes })).flat()).toEqual(whole)
    }
  })

  it('has no Link when the last page is full', async () => {
    const { headers, body } = await service.list({ numberofJokes: String(samples.length) })
    expect(body).toHaveLength(samples.length)
    expect(headers.get('link')).toBeNull()
  })

  it('refuses the cursor of another listing', async () => {
    const cursor = await service.cursor({ numberofJokes: '1', sortBy: 'thumbsUp' })
    expect((await service.list({ sortBy: 'thumbsUp', cursor, numberofJokes: '9' })).status).toBe(200)
    for (const other of [
      {},
      { sortBy: 'thumbsUp', sortOrder: 'asc' },
      { sortBy: 'thumbsUp', searchString: 'a' },
      { sortBy: 'thumbsUp', category: 'School' },
    ]) {
      const { status, body } = await service.list({ ...other, cursor })
      expect(status).toBe(400)
      expect(body).toMatchObject({ errors: [{ field: 'cursor' }] })
    }
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

  it('finds nothing within words', async () => {
    expect(await search('hicken')).toEqual([])
  })

  it.each(['!!', '…', '\u0301', ' '])('for %j, which contains no word, finds nothing', async (searchString) => {
    expect(await search(searchString)).toEqual([])
  })

  it('finds emoji, and words with an apostrophe or hyphen also without it', async () => {
    const texts = await startService()
    const [emoji, joined] = await texts.add(
      { joke: '👋🏽🐔 crosses the road', category: 'Classic' },
      { joke: "Don't e-mail l’été", category: 'Classic' },
    )
    for (const searchString of ['🐔', '👋', '👋🏿\uFE0F 🐔', '🐔 road'])
      expect([searchString, await texts.jokes({ searchString })]).toEqual([searchString, [emoji]])
    for (const searchString of ["don't", 'DON’T', 'dont', 'don', 'email', 'e-mail', 'mail', "l'ete", 'été'])
      expect([searchString, await texts.jokes({ searchString })]).toEqual([searchString, [joined]])
    for (const searchString of ['🐓', "do'nt x", 'mail-e']) expect(await texts.jokes({ searchString })).toEqual([])
    await texts.stop()
  })

  it('finds words in languages without spaces', async () => {
    const texts = await startService()
    await texts.add({ joke: '東京都に行く', category: 'Classic' }, { joke: 'ฉันรักภาษาไทย', category: 'Classic' })
    const found = async (searchString: string) => (await texts.jokes({ searchString })).map(({ joke }) => joke)
    expect(await found('東京')).toEqual(['東京都に行く'])
    expect(await found('行')).toEqual(['東京都に行く'])
    expect(await found('京')).toEqual([])
    expect(await found('ภาษา')).toEqual(['ฉันรักภาษาไทย'])
    await texts.stop()
  })
})

describe('CORS', () => {
  it('lets any origin read answers with their Link and Retry-After', async () => {
    const { headers } = await service.request('/joke', { headers: { origin: 'https://example.com' } })
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-expose-headers')).toBe('link,retry-after')
  })

  it('answers a preflight request', async () => {
    const { status, headers } = await service.request('/joke', {
      method: 'OPTIONS',
      headers: { origin: 'https://example.com', 'access-control-request-method': 'POST' },
    })
    expect(status).toBe(204)
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-allow-methods')).toBe('GET,POST')
    expect(headers.get('access-control-allow-headers')).toBe('content-type')
  })
})
