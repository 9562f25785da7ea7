/** Rejected requests and their explanations. */
import { once as onceEmitted } from 'node:events'
import { request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { CATEGORIES } from '../../shared/joke.ts'
import { type Answer, expectProblem, startService } from '../support/service.ts'

const service = await startService()
const valid = await service.add(...[1, 2, 3].map((number) => ({ joke: `A valid joke ${number}`, category: 'Classic' })))
// No rejected joke is stored.
afterAll(async () => {
  expect(await service.jokes()).toEqual(valid.toReversed())
  await service.stop()
})

/** Expects a 400 with this detail for each of these fields, and no other. */
function expectFaults(answer: Answer, fields: string[], detail: string): void {
  const code = detail === 'is required.' ? 'required' : detail.startsWith('is not recognized') ? 'unknown' : 'invalid'
  const errors = fields.map((field) => ({ field, code, detail }))
  const more = fields.length > 1 ? ` See errors for ${fields.length - 1} more.` : ''
  const sentence = `${fields[0]} ${detail}${more}`
  expectProblem(answer, { status: 400, title: 'Bad Request', code: 'invalid', detail: sentence, errors })
}

const categories = CATEGORIES.join(', ')

describe('a joke', () => {
  const empty = 'must not be empty: at least one letter, digit, symbol or punctuation mark.'
  const malformed =
    'must be well-formed Unicode without control characters other than tab, line feed and carriage return.'
  const ligatures = 'must not have so many characters that stand for several others, such as ﷺ.'
  const tooLong = 'must be at most 1000 characters long.'
  const unknown = 'is not recognized. Allowed: joke, punchline, category.'

  it.each<[title: string, fields: object, detail: string]>([
    ['no setup', { joke: undefined }, 'is required.'],
    ['an empty setup', { joke: ' \n ' }, empty],
    ['a setup of invisible characters', { joke: '\u200B\u3164\u2800 \uFE0F\u{E0041}' }, empty],
    ['a setup of accents only', { joke: '\u0301' }, empty],
    ['a setup that is null', { joke: null }, 'must be a string.'],
    ['a punchline that is a number', { punchline: 7 }, 'must be a string.'],
    ['a long setup', { joke: 'j'.repeat(1_001) }, tooLong],
    ['a setup that only NFKC makes short', { joke: 'e\u0301'.repeat(501) }, tooLong],
    ['no category', { category: undefined }, 'is required.'],
    ['a category in other letter case', { category: 'classic' }, `must be one of ${categories}.`],
    ['a control character', { joke: 'bell \u0007' }, malformed],
    ['a C1 control character', { joke: 'next line \u0085' }, malformed],
    ['a lone surrogate', { punchline: 'half \ud83d' }, malformed],
    ['fields of the service', { id: 'x', thumbsUp: 9 }, unknown],
    ['a field named like a method', { constructor: 1 }, unknown],
    ['many ligatures', { joke: 'ﷺ'.repeat(250) }, ligatures],
  ])('a joke with %s returns a 400 that explains it', async (_, fields, detail) => {
    const good = { joke: 'A joke', punchline: 'its end', category: 'Classic' }
    const names = Object.keys(fields)
    expectFaults(await service.create({ ...good, ...fields }), names, detail)
  })

  it('a joke with several faults returns a 400 that lists them', async () => {
    const { body } = await service.create({ joke: '\u0000'.repeat(1_001), category: 1, a: 1, b: 2 })
    const ofJoke = [tooLong, malformed].map((detail) => ({ field: 'joke', detail }))
    expect(body).toMatchObject({ errors: [...ofJoke, { field: 'category' }, { field: 'a' }, { field: 'b' }] })
  })

  it('a joke with a long field returns a 400 with its beginning', async () => {
    const answer = await service.create({ joke: 'A joke', category: 'Classic', ['f'.repeat(60_000)]: 1 })
    expectFaults(answer, ['f'.repeat(100)], unknown)
  })

  it('a joke with many faults returns a 400 that lists the first 20', async () => {
    const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, number) => [`field${number}`, 0]))
    const { body } = await service.create({ joke: 'A joke', category: 'Classic', ...many })
    const detail = `field0 ${unknown} See errors for 19 of the 2999 others.`
    const first = Object.keys(many).slice(0, 20)
    expect(body).toMatchObject({ detail, errors: first.map((field) => ({ field, code: 'unknown', detail: unknown })) })
  })

  const joke = '{"joke":"A joke","category":"Classic"}'
  const send = 'Send an object such as {"joke": "A lamp.", "category": "Classic"}.'
  const noJson = `is not JSON: Unexpected token 'j', "joke=A+lam"... is not valid JSON. ${send}`
  const noObject = 'must be a JSON object.'
  const notUtf8 = 'is not UTF-8. Send JSON in UTF-8, not compressed.'
  it.each<[title: string, body: string | Buffer<ArrayBuffer>, detail: string]>([
    ['a form', 'joke=A+lamp.&category=Classic', noJson],
    ['nothing', '', `is empty. ${send}`],
    ['whitespace', '\uFEFF \n', `is empty. ${send}`],
    ['arrays in arrays', '['.repeat(20_000) + ']'.repeat(20_000), 'is nested too deeply.'],
    ['a list', `[${joke}]`, noObject],
    ['null', 'null', noObject],
    ['an object with a __proto__', joke.replace('{', '{"__proto__":{},'), 'must not have the key __proto__.'],
    ['an object with a prototype', '{"a":{"constructor":{"prototype":{}}}}', 'must not have the key constructor.'],
    ['Latin-1', Buffer.from(joke.replace('A', 'caf\xe9'), 'latin1'), notUtf8],
    ['gzip', gzipSync(joke), notUtf8],
  ])('a joke sent as %s returns a 400', async (_, body, detail) => {
    const headers = { 'content-type': 'application/json' }
    expectFaults(await service.request('/joke', { method: 'POST', headers, body }), ['body'], detail)
  })

  it.each([' '.repeat(64 * 1_024), '['.repeat(2 ** 22)])('a body over 64 KiB returns a 413 (%#)', async (body) => {
    const answer = await service.request('/joke', { method: 'POST', body: `${body}{}` })
    const detail = 'Send a body of at most 64 KiB.'
    expectProblem(answer, { title: 'Payload Too Large', status: 413, code: 'too-large', detail })
  })
})

describe('a listing', () => {
  const once = 'must be sent only once. Only categories and id may be repeated.'
  const number = 'must be a whole number of at least 1.'
  const category =
    'must be one of Word game, Classic, School, KnockKnock. For others, or for several, send categories, such as categories=French humour.'
  const cursor = 'must come from the Link header of a listing with the same search, categories, sort and seed.'
  const parameters = 'searchString, numberofJokes, category, categories, sortBy, sortOrder, seed, cursor, id'
  const unknown = `is not recognized. Allowed: ${parameters}.`
  const withId = 'cannot be combined with id.'
  const notUtf8 = 'must be percent-encoded UTF-8, such as searchString=caf%C3%A9.'

  it.each<[query: string, fields: string, detail: string]>([
    ['numberofJokes=0', 'numberofJokes', number],
    ['numberofJokes=2.5', 'numberofJokes', number],
    ['numberofJokes=5&numberofJokes=9', 'numberofJokes', once],
    ['searchString=a&searchString=', 'searchString', once],
    ['category=French+humour', 'category', category],
    ['category=School&categories=School', 'category', 'cannot be combined with categories.'],
    ['categories=,', 'categories', `must be one or more of ${categories}, separated by commas.`],
    ['categories=School,classic', 'categories', `must be one or more of ${categories}, separated by commas.`],
    ['sortBy=id', 'sortBy', 'must be one of thumbsUp, thumbsDown, dateAdded, random.'],
    ['sortOrder=ASC', 'sortOrder', 'must be one of asc, desc.'],
    ['categories[]=School&sortby=random&utm_source=x&_=1', 'categories[],sortby,utm_source,_', unknown],
    ['sortBy=random&sortOrder=asc', 'sortOrder', 'cannot be combined with sortBy=random.'],
    ['seed=x', 'seed', 'is only accepted with sortBy=random.'],
    [`sortBy=random&seed=${'x'.repeat(101)}`, 'seed', 'must be at most 100 characters long.'],
    [`searchString=${'w'.repeat(201)}`, 'searchString', 'must be at most 200 characters long.'],
    ['cursor=x', 'cursor', cursor],
    [`id=${Array(26).fill('x')}`, 'id', 'must be at most 25 ids, separated by commas.'],
    ['id=x&category=School&numberofJokes=1', 'category,numberofJokes', withId],
    ['id=x&searchString=a&categories=School&cursor=x', 'searchString,categories,cursor', withId],
    ['__proto__=1&limit=5', '__proto__,limit', unknown],
    ['searchString=caf%E9', 'query', notUtf8],
    ['%', 'query', notUtf8],
  ])('a listing with %s returns a 400 that says what is accepted', async (query, fields, detail) => {
    expectFaults(await service.request(`/joke?${query}`), fields.split(','), detail)
  })

  // cursor.test.ts tests for which other listings a cursor is foreign.
  const PLACE = { id: 'A'.repeat(22), dateAdded: 0, thumbsUp: 0, thumbsDown: 0, hash: 0 }
  it.each<[cursor: unknown, status: number]>([
    [{ ...PLACE, thumbsUp: -1e300, hash: 0.5, dateAdded: 1e300 }, 200],
    [{ ...PLACE, id: 'x' }, 400],
    [{ ...PLACE, thumbsUp: '0' }, 400],
    [{ ...PLACE, hash: null }, 400],
    [null, 400],
  ])('a forged cursor %j gets %i', async (place, status) => {
    for (const query of [{}, { searchString: 'valid', sortBy: 'thumbsUp' }, { sortBy: 'random', seed: 'x' }]) {
      const page = { ...query, numberofJokes: '1' }
      const [fingerprint] = JSON.parse(Buffer.from(await service.cursor(page), 'base64url').toString())
      const cursor = Buffer.from(JSON.stringify([fingerprint, place])).toString('base64url')
      expect((await service.list({ ...page, cursor })).status).toBe(status)
    }
  })
})

it.each([
  ...['GET /joke/', 'DELETE /joke', 'POST /thumbsUp/', 'POST /thumbsUp/a/b'].map((sent) => [sent, 404, 'Not Found']),
  ...['//', '/joke//', '/../joke', '*', 'http://other/joke'].map((path) => [`GET ${path}`, 404, 'Not Found']),
  ...['%zz', '%', '%C3%28'].map((id) => [`POST /thumbsUp/${id}`, 400, 'Bad Request']),
])('API Gateway answers %s with %i', async (sent, status, message) => {
  const [method, path] = `${sent}`.split(' ')
  const [response] = await onceEmitted(httpRequest(service.url, { method, path }).end(), 'response')
  expect([response.statusCode, JSON.parse(await text(response))]).toEqual([status, { message }])
})
