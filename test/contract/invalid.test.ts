/** Rejected requests and their explanations. */
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { CATEGORIES } from '../../shared/joke.ts'
import { type Answer, expectProblem, openService } from '../support/service.ts'

const service = await openService()
const { isSam, word } = service
const valid = await service.add(
  ...[1, 2, 3].map((number) => ({ joke: `A valid joke ${number} ${word}`, category: 'Classic' })),
)
// No rejected joke is stored: each contains the word.
afterAll(async () => {
  expect(await service.jokes({ searchString: word })).toEqual(valid.toReversed())
  await service.stop()
})

/** Expects a 400 with this fault and no other. */
function expectFault(answer: Answer, field: string, detail: string): void {
  const errors = [faultOf(field, detail)]
  expectProblem(answer, { status: 400, title: 'Bad Request', code: 'invalid', detail: `${field} ${detail}`, errors })
}

function faultOf(field: string, detail: string) {
  const [, code = 'invalid'] = /^is (required|unknown)\./.exec(detail) ?? []
  return { field, code, detail }
}

const characters = 'without control characters other than tab, line feed and carriage return'
const empty = 'must not be empty: at least one letter, digit, symbol or punctuation mark.'
const malformed = `must be well-formed Unicode ${characters}.`
const tooLong = 'must be at most 1,000 characters long.'
const tooLongInNfkc =
  'must be at most 1,000 characters long, even after Unicode NFKC, which replaces some characters by several.'
const unknown = 'is unknown. Known are joke, punchline, category.'
const categories = CATEGORIES.join(', ')

describe('a joke', () => {
  it.each<[string, fields: object, detail: string]>([
    ['no setup', { joke: undefined }, 'is required.'],
    ['an empty setup', { joke: ' \n ' }, empty],
    ['a setup of invisible characters', { joke: '\u200B\u3164\u2800 \uFE0F\u{E0041}' }, empty],
    ['a setup of accents only', { joke: '\u0301' }, empty],
    ['a setup that is no string', { joke: 7 }, 'must be a string.'],
    ['a punchline that is a number', { punchline: 7 }, 'must be a string.'],
    ['a setup that is null', { joke: null }, 'must be a string.'],
    ['a long setup', { joke: 'j'.repeat(1_001) }, tooLong],
    ['a setup that only NFKC makes short', { joke: 'e\u0301'.repeat(501) }, tooLong],
    ['a setup that NFKC makes long', { joke: `${'j'.repeat(999)}ǅ` }, tooLongInNfkc],
    ['no category', { category: undefined }, `is required. One of ${categories}.`],
    ['a category in other letter case', { category: 'classic' }, `must be one of ${categories}.`],
    ['a control character', { joke: 'bell \u0007' }, malformed],
    ['a C1 control character', { joke: 'next line \u0085' }, malformed],
    ['a lone surrogate', { punchline: 'half \ud83d' }, malformed],
    ['a field of the service', { thumbsUp: 9 }, unknown],
    ['a field named like a method', { constructor: 1 }, unknown],
    ['a long field', { ['f'.repeat(60_000)]: 1 }, unknown],
  ])('a joke with %s returns a 400 that explains it', async (_, fields, detail) => {
    const good = { joke: `A joke ${word}`, punchline: `its end ${word}`, category: 'Classic' }
    const [field = ''] = Object.keys(fields)
    expectFault(await service.create({ ...good, ...fields }), field.slice(0, 100), detail)
  })

  it.each<[string, body: string, fault: string]>([
    ['text', `Why did the ${word} cross the road?`, 'body must be JSON in UTF-8.'],
    ['nothing', '', 'body must be JSON in UTF-8.'],
    ['arrays in arrays', '['.repeat(20_000) + ']'.repeat(20_000), 'body must be JSON in UTF-8.'],
    ['a list', `[{"joke":"A joke ${word}","category":"Classic"}]`, 'body must be a JSON object.'],
    ['null', 'null', 'body must be a JSON object.'],
    ['a string', `"A joke ${word}"`, 'body must be a JSON object.'],
    [
      'one with a __proto__',
      `{"joke":"${word}","category":"School","__proto__":{}}`,
      'body must not have the key __proto__.',
    ],
    ['one with a prototype', `{"a":{"constructor":{"prototype":{}}}}`, 'body must not have the key constructor.'],
    ['the name of a key', 'constructor', 'body must be JSON in UTF-8.'],
  ])('a joke sent as %s returns a 400', async (_, body, fault) => {
    const [, field = '', detail = ''] = /^(\w+) (.*)$/.exec(fault) ?? []
    const headers = { 'content-type': 'application/json' }
    expectFault(await service.request('/joke', { method: 'POST', headers, body }), field, detail)
  })

  it.skipIf(isSam)('a joke sent as invalid UTF-8 returns a 400', async () => {
    const body = Buffer.from(`{"joke":"caf\xe9 ${word}","category":"Classic"}`, 'latin1')
    expectFault(await service.request('/joke', { method: 'POST', body }), 'body', 'must be JSON in UTF-8.')
  })

  it.skipIf(isSam).each(['gzip', 'br'])('a joke compressed by %s returns a 400 that says so', async (encoding) => {
    const body = encoding === 'br' ? 'any' : gzipSync(`{"joke":"A joke ${word}","category":"Classic"}`)
    const answer = await service.request('/joke', { method: 'POST', headers: { 'content-encoding': encoding }, body })
    const detail = 'must be JSON in UTF-8 without a Content-Encoding, because compressed bodies are not accepted.'
    expectFault(answer, 'body', detail)
  })

  it.each([' '.repeat(64 * 1_024), '['.repeat(2 ** 22)])('a body over 64 kB returns a 413 (%#)', async (body) => {
    const answer = await service.request('/joke', { method: 'POST', body: `${body}{}` })
    expectProblem(answer, {
      title: 'Payload Too Large',
      status: 413,
      code: 'too-large',
      detail: 'Send a body of at most 64 kB.',
    })
  })

  it('a joke with several faults returns a 400 that lists them', async () => {
    const { body } = await service.create({ joke: '\u0000'.repeat(1_001), category: 1, a: 1, b: 2 })
    const ofJoke = [tooLong, malformed].map((detail) => ({ field: 'joke', detail }))
    expect(body).toMatchObject({ errors: [...ofJoke, { field: 'category' }, { field: 'a' }, { field: 'b' }] })
  })
})

describe('a listing', () => {
  const number = 'must be a whole number of at least 1.'
  const category = 'must be one of Word game, Classic, School, KnockKnock.'
  const instead = (values: string) => `${category} Send categories=${values} instead.`
  const twice = 'was sent more than once, or with a comma. It'
  const cursor = 'must come from the Link header of a listing with the same search, categories, sort and seed.'
  const parameters = 'searchString, numberofJokes, category, categories, sortBy, sortOrder, seed, cursor, id'
  const detail = `is unknown. Known are ${parameters}.`
  const ids = [...Array(26).keys()].join()

  it.each<[query: string, field: string, detail: string]>([
    ['numberofJokes=0', 'numberofJokes', number],
    ['numberofJokes=2.5', 'numberofJokes', number],
    ['numberofJokes=5&numberofJokes=9', 'numberofJokes', `${twice} ${number}`],
    ['category=x', 'category', category],
    ['category=School&category=x', 'category', `${twice} ${category}`],
    ['category=French+humour', 'category', instead('French humour')],
    ['category=School&category=Classic', 'category', instead('School,Classic')],
    ['sortOrder=asc&sortorder=desc', 'sortOrder', `${twice} must be one of asc, desc.`],
    ['sortBy=id', 'sortBy', 'must be one of thumbsUp, thumbsDown, dateAdded, random.'],
    ['sortOrder=up', 'sortOrder', 'must be one of asc, desc.'],
    ['cursor=x', 'cursor', cursor],
    ['categories=School,X', 'categories', `must be one or more of ${categories}, separated by commas.`],
    [`id=${ids}`, 'id', 'must be at most 25 ids, separated by commas.'],
    ['seed=x', 'seed', 'is only accepted with sortBy=random.'],
    [`sortBy=random&seed=${'x'.repeat(101)}`, 'seed', 'must be at most 100 characters long.'],
    ['sortBy=random&sortOrder=asc', 'sortOrder', 'cannot be combined with sortBy=random.'],
    [`searchString=${'w'.repeat(201)}`, 'searchString', 'must be at most 200 characters long.'],
  ])('a listing with %s returns a 400 that says what is accepted', async (query, field, detail) => {
    expectFault(await service.request(`/joke?${query}`), field, detail)
  })

  const many = [...Array(500).keys()].map((index) => `p${index + 100}`)
  it.each<[faults: string, query: string, fields: string, detail: string]>([
    ['two unknown parameters', '__proto__=1&limit=5', '__proto__,limit', detail],
    ['500 unknown parameters', `${many.join('=1&')}=1`, `${many.slice(0, 100)}`, detail],
    [
      'id and two other parameters',
      'id=x&category=School&numberofJokes=1',
      'category,numberofJokes',
      'cannot be combined with id.',
    ],
    ['category and categories', 'category=School&categories=School', 'category', 'cannot be combined with categories.'],
    ['id and categories', 'id=x&categories=School', 'categories', 'cannot be combined with id.'],
    ['id, a search and a cursor', 'id=x&searchString=a&cursor=x', 'searchString,cursor', 'cannot be combined with id.'],
  ])('a listing with %s returns a 400 with up to 100 faults', async (_, query, fields, detail) => {
    const errors = fields.split(',').map((field) => faultOf(field, detail))
    expect(await service.request(`/joke?${query}`)).toMatchObject({ status: 400, body: { errors } })
  })

  it.each(['searchString=caf%E9', 'searchString=%zz', '%', 'sortBy=random&_=%F0%9F%98'])(
    'a query that is not UTF-8, %s, returns a 400 that says so',
    async (query) => {
      const detail = 'must be percent-encoded UTF-8, such as searchString=caf%C3%A9.'
      expectFault(await service.request(`/joke?${query}`), 'query', detail)
    },
  )

  const PLACE = { id: 'A'.repeat(22), dateAdded: 0, thumbsUp: 0, thumbsDown: 0, hash: 0 }
  it.each<[cursor: unknown, status: number]>([
    [PLACE, 200],
    [{ ...PLACE, thumbsUp: -1e300, hash: 0.5, dateAdded: 1e300 }, 200],
    [{ ...PLACE, id: 'x' }, 400],
    [{ ...PLACE, thumbsUp: '0' }, 400],
    [{ ...PLACE, hash: null }, 400],
    [{}, 400],
    [[PLACE], 400],
    [null, 400],
  ])('a forged cursor %j gets %i', async (place, status) => {
    for (const query of [{}, { searchString: word, sortBy: 'thumbsUp' }, { sortBy: 'random', seed: 'x' }]) {
      const page = { ...query, numberofJokes: '1' }
      const [fingerprint] = JSON.parse(Buffer.from(await service.cursor(page), 'base64url').toString())
      const cursor = Buffer.from(JSON.stringify([fingerprint, place])).toString('base64url')
      expect((await service.list({ ...page, cursor })).status).toBe(status)
    }
  })
})

describe.skipIf(isSam)('a request that API Gateway answers', () => {
  it.each([
    ['GET', '/joke/'],
    ['DELETE', '/joke'],
    ['POST', '/thumbsUp/'],
    ['POST', '/thumbsUp/a/b'],
  ])('the unknown route %s %s returns the 404 of API Gateway', async (method, path) => {
    expect(await service.request(path, { method })).toMatchObject({ status: 404, body: { message: 'Not Found' } })
  })

  it.each(['%zz', '%', '%C3%28'])('a path with the broken escape %s returns a 400', async (id) => {
    expect(await service.thumbUp(id)).toMatchObject({ status: 400, body: { message: 'Bad Request' } })
  })

  it.each(['//', '/joke//', '/../joke', '*', 'http://other/joke'])('the path %s returns a 404', async (path) => {
    const [response] = await once(httpRequest(service.url, { path }).end(), 'response')
    response.resume()
    expect(response.statusCode).toBe(404)
  })
})
