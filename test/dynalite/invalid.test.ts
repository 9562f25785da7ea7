import { afterAll, describe, expect, it } from 'vitest'
import { startService } from '../support/service.ts'

const service = await startService()
afterAll(service.stop)

const EMPTY = 'must not be empty: at least one letter, digit, symbol or punctuation mark.'
const good = { joke: 'A joke', punchline: 'its end', category: 'Classic' }

function invalid(detail: string, errors: { field: string; detail: string }[]) {
  return { type: 'about:blank', title: 'Bad Request', status: 400, detail, errors }
}

describe('an invalid joke', () => {
  const length =
    'at most 1,000 characters (UTF-16 code units), without control characters other than tab, line feed and carriage return'
  const categories = 'Word game, Classic, School, KnockKnock, French humour'
  const text = 'well-formed Unicode without control characters other than tab, line feed and carriage return'

  it.each([
    [
      'no joke',
      { category: 'Classic' },
      'joke',
      `is required. The lead-in: a string of ${length}; at least one of them visible.`,
    ],
    ['an empty joke', { ...good, joke: ' \n ' }, 'joke', EMPTY],
    ['a joke of invisible characters', { ...good, joke: '\u200B\u3164\u2800 \uFE0F\u{E0041}' }, 'joke', EMPTY],
    ['a joke of accents only', { ...good, joke: '\u0301' }, 'joke', EMPTY],
    ['a joke that is no string', { ...good, joke: 7 }, 'joke', 'must be a string.'],
    ['a joke that is null', { ...good, joke: null }, 'joke', 'must be a string.'],
    ['a punchline that is null', { ...good, punchline: null }, 'punchline', 'must be a string.'],
    [
      'a long punchline',
      { ...good, punchline: '.'.repeat(1_001) },
      'punchline',
      'must be at most 1,000 characters long.',
    ],
    ['no category', { joke: 'A joke' }, 'category', `is required. One of ${categories}.`],
    ['an unknown category', { ...good, category: 'classic' }, 'category', `must be one of ${categories}.`],
    ['a control character', { ...good, joke: 'bell \u0007' }, 'joke', `must be ${text}.`],
    ['a C1 control character', { ...good, joke: 'next line \u0085' }, 'joke', `must be ${text}.`],
    ['a lone surrogate', { ...good, punchline: 'half \ud83d' }, 'punchline', `must be ${text}.`],
    [
      'a field of the service',
      { ...good, thumbsUp: 9 },
      'thumbsUp',
      'is not accepted here; these are: joke, punchline, category.',
    ],
    [
      'a misspelt field',
      { ...good, punchLine: '' },
      'punchLine',
      'is not accepted here; these are: joke, punchline, category.',
    ],
    [
      'a field named like a method',
      { ...good, constructor: 1 },
      'constructor',
      'is not accepted here; these are: joke, punchline, category.',
    ],
  ])('with %s is a 400 that says so', async (_, body, field, detail) => {
    const answer = await service.create(body)
    expect(answer.status).toBe(400)
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(answer.body).toEqual(invalid(`${field} ${detail}`, [{ field, detail }]))
  })

  it('is told every fault it has', async () => {
    const { body } = await service.create({ joke: '\u0000'.repeat(1_001), category: 1, a: 1, b: 2 })
    expect(body).toMatchObject({
      errors: [
        { field: 'joke', detail: 'must be at most 1,000 characters long.' },
        { field: 'joke', detail: `must be ${text}.` },
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
    ['invalid UTF-8 outside of strings', Buffer.from([0xff, 0xfe])],
    ['invalid UTF-8 inside of one', Buffer.from('{"joke":"caf\xe9","category":"Classic"}', 'latin1')],
  ])('sent as %s is a 400', async (_, body) => {
    const answer = await service.request('/joke', { method: 'POST', body })
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(invalid('body must be JSON.', [{ field: 'body', detail: 'must be JSON.' }]))
  })

  it.each(['__proto__', 'constructor'])('with a field %s that would change its kind is told so', async (field) => {
    const body = `{"joke":"A joke","category":"Classic","${field}":{"prototype":{}}}`
    const answer = await service.request('/joke', { method: 'POST', body })
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual(invalid(`${field} is not accepted here.`, [{ field, detail: 'is not accepted here.' }]))
  })

  it.each(['[]', '[{"joke":"A joke","category":"Classic"}]', 'null', '"A joke"', '7'])(
    'that is %s is a 400',
    async (body) => {
      const answer = await service.request('/joke', { method: 'POST', body })
      expect(answer.status).toBe(400)
      expect(answer.body).toMatchObject({ errors: [{ field: 'body', detail: 'must be a JSON object.' }] })
    },
  )

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-8', 'image/png'])(
    'is told from a good one whatever the content type, such as %s',
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
    ['id', [...Array(101).keys()].join(), 'must be at most 100 ids, separated by commas.'],
    ['cursor', 'x', 'must come from the Link header of a listing with the same search, category and sort.'],
  ])('with %s=%.9s is a 400 that says what is accepted', async (field, value, detail) => {
    const answer = await service.list({ [field]: value })
    expect(answer.status).toBe(400)
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(answer.body).toEqual(invalid(`${field} ${detail}`, [{ field, detail }]))
  })

  it('with unknown parameters is told each of them, and those there are', async () => {
    const { status, body } = await service.request('/joke?limit=5&__proto__=1')
    expect(status).toBe(400)
    const detail =
      'is not accepted here; these are: searchString, numberofJokes, category, sortBy, sortOrder, cursor, id.'
    expect(body).toMatchObject({
      errors: [
        { field: 'limit', detail },
        { field: '__proto__', detail },
      ],
    })
  })

  it.each([
    [{ sortBy: 'random', sortOrder: 'asc', cursor: 'x' }, 'sortBy=random', ['sortOrder', 'cursor']],
    [
      { id: 'x', searchString: 'a', category: 'School', numberofJokes: '1', cursor: 'x' },
      'id',
      ['searchString', 'category', 'numberofJokes', 'cursor'],
    ],
  ])('%j is told what makes no sense beside %s', async (query, beside, fields) => {
    const { status, body } = await service.list(query)
    expect(status).toBe(400)
    const errors = fields.map((field) => ({ field, detail: `is not accepted beside ${beside}.` }))
    expect(body).toMatchObject({ errors })
  })

  it('that repeats a parameter is told its values as one', async () => {
    expect((await service.request('/joke?category=School&category=Classic')).status).toBe(400)
    expect((await service.request('/joke?sortBy=thumbsUp&SORTBY=thumbsUp')).status).toBe(400)
  })
})

describe('what is not there', () => {
  it.each([
    ['POST', '/'],
    ['GET', '/jokes'],
    ['GET', '/joke/'],
    ['DELETE', '/joke'],
    ['GET', '/thumbsUp/RabutvGD_lAqAw9RV5BmcN'],
    ['POST', '/thumbsUp/'],
    ['POST', '/thumbsUp/a/b'],
  ])('%s %s answers as API Gateway does', async (method, path) => {
    const answer = await service.request(path, { method })
    expect(answer.status).toBe(404)
    expect(answer.body).toEqual({ message: 'Not Found' })
  })
})

it('stores nothing of what it refuses', async () => {
  const lone = await startService()
  await lone.create({ ...good, category: 'None' })
  await lone.create({ ...good, extra: 1 })
  await lone.request('/joke', { method: 'POST', body: JSON.stringify([good]) })
  expect(await lone.jokes()).toEqual([])
  await lone.stop()
})
