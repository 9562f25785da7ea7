import { afterAll, describe, expect, it } from 'vitest'
import { type Answer, expectProblem, startService } from '../support/service.ts'

const service = await startService()
afterAll(service.stop)

const EMPTY = 'must not be empty: at least one letter, digit, symbol or punctuation mark.'
const good = { joke: 'A joke', punchline: 'its end', category: 'Classic' }

/** Expects a 400 with this fault and no other. */
function expectFault(answer: Answer, field: string, detail: string): void {
  const errors = [{ field, detail }]
  expectProblem(answer, { status: 400, title: 'Bad Request', detail: `${field} ${detail}`, errors })
}

describe('an invalid joke', () => {
  const characters = 'without control characters other than tab, line feed and carriage return'
  const required = `is required. The lead-in: a string of at most 1,000 characters (UTF-16 code units, also after NFKC), ${characters}; at least one character is visible.`
  const malformed = `must be well-formed Unicode ${characters}.`
  const tooLong = 'must be at most 1,000 characters long.'
  const unknown = 'is not accepted here; these are: joke, punchline, category.'
  const categories = 'Word game, Classic, School, KnockKnock, French humour'

  it.each([
    ['no joke', { category: 'Classic' }, 'joke', required],
    ['an empty joke', { ...good, joke: ' \n ' }, 'joke', EMPTY],
    ['a joke of invisible characters', { ...good, joke: '\u200B\u3164\u2800 \uFE0F\u{E0041}' }, 'joke', EMPTY],
    ['a joke of accents only', { ...good, joke: '\u0301' }, 'joke', EMPTY],
    ['a joke that is no string', { ...good, joke: 7 }, 'joke', 'must be a string.'],
    ['a joke that is null', { ...good, joke: null }, 'joke', 'must be a string.'],
    ['a punchline that is null', { ...good, punchline: null }, 'punchline', 'must be a string.'],
    ['a long punchline', { ...good, punchline: '.'.repeat(1_001) }, 'punchline', tooLong],
    ['no category', { joke: 'A joke' }, 'category', `is required. One of ${categories}.`],
    ['an unknown category', { ...good, category: 'classic' }, 'category', `must be one of ${categories}.`],
    ['a control character', { ...good, joke: 'bell \u0007' }, 'joke', malformed],
    ['a C1 control character', { ...good, joke: 'next line \u0085' }, 'joke', malformed],
    ['a lone surrogate', { ...good, punchline: 'half \ud83d' }, 'punchline', malformed],
    ['a field of the service', { ...good, thumbsUp: 9 }, 'thumbsUp', unknown],
    ['a misspelt field', { ...good, punchLine: '' }, 'punchLine', unknown],
    ['a field named like a method', { ...good, constructor: 1 }, 'constructor', unknown],
  ])('with %s is a 400 that explains it', async (_, body, field, detail) => {
    expectFault(await service.create(body), field, detail)
  })

  it('is a 400 that lists all its faults', async () => {
    const { body } = await service.create({ joke: '\u0000'.repeat(1_001), category: 1, a: 1, b: 2 })
    expect(body).toMatchObject({
      errors: [
        { field: 'joke', detail: tooLong },
        { field: 'joke', detail: malformed },
        { field: 'category' },
        { field: 'a' },
        { field: 'b' },
      ],
    })
  })

  it.each([
    ['text', 'Why did the chicken cross the road?'],
    ['half an object', '{"joke":'],
    ['nothing', ''],
    ['invalid UTF-8', Buffer.from([0xff, 0xfe])],
    ['invalid UTF-8 in a string', Buffer.from('{"joke":"caf\xe9","category":"Classic"}', 'latin1')],
  ])('sent as %s is a 400', async (_, body) => {
    expectFault(await service.request('/joke', { method: 'POST', body }), 'body', 'must be JSON.')
  })

  it.each(['__proto__', 'constructor'])('with a field %s is a 400', async (field) => {
    const body = `{"joke":"A joke","category":"Classic","${field}":{"prototype":{}}}`
    expectFault(await service.request('/joke', { method: 'POST', body }), field, 'is not accepted here.')
  })

  it.each(['[]', '[{"joke":"A joke","category":"Classic"}]', 'null', '"A joke"', '7'])(
    'that is %s is a 400',
    async (body) => {
      expectFault(await service.request('/joke', { method: 'POST', body }), 'body', 'must be a JSON object.')
    },
  )

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-8', 'image/png'])(
    'is a 400, and a valid one a 201, with the content type %s',
    async (type) => {
      const send = (body: object) =>
        service.request('/joke', { method: 'POST', headers: { 'content-type': type }, body: JSON.stringify(body) })
      expect((await send({ ...good, category: '' })).status).toBe(400)
      expect((await send({ ...good, joke: `Sent as ${type}` })).status).toBe(201)
    },
  )
})

describe('an invalid listing', () => {
  it.each([
    ['numberofJokes', '0', 'must be a whole number of at least 1.'],
    ['numberofJokes', '-1', 'must be a whole number of at least 1.'],
    ['numberofJokes', '2.5', 'must be a whole number of at least 1.'],
    ['numberofJokes', 'ten', 'must be a whole number of at least 1.'],
    ['category', 'French humour', 'must be one of Word game, Classic, School, KnockKnock.'],
    ['category', 'school', 'must be one of Word game, Classic, School, KnockKnock.'],
    ['sortBy', 'id', 'must be one of thumbsUp, thumbsDown, dateAdded, random.'],
    ['sortOrder', 'up', 'must be one of asc, desc.'],
    ['cursor', 'x', 'must come from the Link header of a listing with the same search, category and sort.'],
  ])('with %s=%s is a 400 that says what is accepted', async (field, value, detail) => {
    expectFault(await service.list({ [field]: value }), field, detail)
  })

  it('with more than 100 ids is a 400', async () => {
    const ids = [...Array(101).keys()].join()
    expectFault(await service.list({ id: ids }), 'id', 'must be at most 100 ids, separated by commas.')
  })

  it('with unknown parameters is a 400 that lists them and the known ones', async () => {
    const { status, body } = await service.request('/joke?limit=5&__proto__=1')
    expect(status).toBe(400)
    const detail =
      'is not accepted here; these are: searchString, numberofJokes, category, sortBy, sortOrder, seed, cursor, id.'
    expect(body).toMatchObject({
      errors: [
        { field: 'limit', detail },
        { field: '__proto__', detail },
      ],
    })
  })

  it.each([
    [{ sortBy: 'random', sortOrder: 'asc' }, 'sortBy=random', ['sortOrder']],
    [
      { id: 'x', searchString: 'a', category: 'School', numberofJokes: '1', cursor: 'x' },
      'id',
      ['searchString', 'category', 'numberofJokes', 'cursor'],
    ],
  ])('%j is a 400 that lists the parameters not accepted beside %s', async (query, beside, fields) => {
    const { status, body } = await service.list(query)
    expect(status).toBe(400)
    const errors = fields.map((field) => ({ field, detail: `is not accepted beside ${beside}.` }))
    expect(body).toMatchObject({ errors })
  })

  it('with a seed is a 400 unless the order is random, and the seed is short', async () => {
    for (const query of [{ seed: 'x' }, { seed: 'x', sortBy: 'thumbsUp' }])
      expectFault(await service.list(query), 'seed', 'is only accepted beside sortBy=random.')
    const seed = 'x'.repeat(101)
    expectFault(await service.list({ sortBy: 'random', seed }), 'seed', 'must be at most 100 characters long.')
    expect((await service.list({ sortBy: 'random', seed: '🐔'.repeat(50) })).status).toBe(200)
  })

  it('that repeats a parameter is a 400', async () => {
    expect((await service.request('/joke?category=School&category=Classic')).status).toBe(400)
    expect((await service.request('/joke?sortBy=thumbsUp&SORTBY=thumbsUp')).status).toBe(400)
  })
})

describe('an unknown route', () => {
  it.each([
    ['POST', '/'],
    ['GET', '/jokes'],
    ['GET', '/joke/'],
    ['DELETE', '/joke'],
    ['GET', '/thumbsUp/RabutvGD_lAqAw9RV5BmcN'],
    ['POST', '/thumbsUp/'],
    ['POST', '/thumbsUp/a/b'],
  ])('%s %s is answered like by API Gateway', async (method, path) => {
    const answer = await service.request(path, { method })
    expect(answer.status).toBe(404)
    expect(answer.body).toEqual({ message: 'Not Found' })
  })
})

it('does not store what it refuses', async () => {
  const lone = await startService()
  await lone.create({ ...good, category: 'None' })
  await lone.create({ ...good, extra: 1 })
  await lone.request('/joke', { method: 'POST', body: JSON.stringify([good]) })
  expect(await lone.jokes()).toEqual([])
  await lone.stop()
})
