/** Unusual input that is accepted, such as long texts and incomplete events. */
import { afterAll, describe, expect, it } from 'vitest'
import { handlersOf } from '../../infra/local/server.ts'
import type { FunctionName } from '../../infra/routes.ts'
import { invoke } from '../support/invoke.ts'
import { startService } from '../support/service.ts'

const service = await startService()
afterAll(service.stop)

describe('a joke', () => {
  it('a body of 64 kB is accepted', async () => {
    const body = '{"joke":"A short one","category":"Classic"}'.padEnd(64 * 1_024)
    expect(await service.request('/joke', { method: 'POST', body })).toMatchObject({ status: 201 })
  })

  it('a punchline that is null counts as absent', async () => {
    const answer = await service.create({ joke: 'A pun of a serializer', punchline: null, category: 'Classic' })
    expect(answer).toMatchObject({ status: 201, body: { punchline: '' } })
  })

  it.each(['application/json', 'text/plain', 'application/x-www-form-urlencoded', undefined])(
    'a body with a byte order mark is accepted as %s',
    async (type) => {
      const body = Buffer.from(`\uFEFF{"joke":"Marked as ${type}","category":"Classic"}`)
      const headers = type === undefined ? {} : { 'content-type': type }
      expect(await service.request('/joke', { method: 'POST', headers, body })).toMatchObject({ status: 201 })
    },
  )

  it.each(['¨', '´', '゛', '^', '?!'])('a joke of nothing but %s is accepted', async (joke) => {
    expect(await service.create({ joke, category: 'Classic' })).toMatchObject({ status: 201, body: { joke } })
  })

  it('a text with many words, or growing when normalized, is found', async () => {
    const many = Array.from({ length: 250 }, (_, index) => index.toString(36).padStart(3, '0')).join(' ')
    const texts = ['ﷺ'.repeat(55), '㌀'.repeat(250), 'ǅ'.repeat(500), 'a '.repeat(500), '東京大阪'.repeat(250), many]
    for (const text of texts) {
      const [joke] = await service.add({ joke: text, punchline: text, category: 'Classic' })
      expect(await service.jokes({ id: `${joke?.id}` })).toEqual([joke])
    }
    expect(await service.jokes({ searchString: '06x' })).toHaveLength(1)
  })
})

const joke = { joke: 'Sent raw', punchline: 'Ça marche', category: 'KnockKnock' }
const body = JSON.stringify({ ...joke, joke: 'Sent to a REST API' })
const list = { queryStringParameters: { category: 'KnockKnock' } }

it.each<[name: FunctionName, event: object, statusCode: number, answer: object]>([
  ['Create', { body: Buffer.from(JSON.stringify(joke)).toString('base64'), isBase64Encoded: true }, 201, joke],
  ['Create', { version: '1.0', httpMethod: 'POST', path: '/joke', headers: null, body }, 201, {}],
  ['Create', { body: null }, 400, { errors: [{ field: 'body' }] }],
  ['List', list, 200, [{ joke: 'Sent to a REST API' }, joke]],
  ['List', { queryStringParameters: null, headers: {} }, 200, {}],
  ['ThumbsUp', { pathParameters: null }, 404, {}],
])('the function %s answers the event %j', async (name, event, statusCode, answer) => {
  const { body, ...response } = await invoke(handlersOf(service.store), name, event)
  expect({ ...response, answer: JSON.parse(body) }).toMatchObject({ statusCode, answer })
})

it.each(['School , Classic', 'School&categories=Classic'])('categories=%s selects two', async (categories) => {
  const { body } = await service.request(`/joke?categories=${categories}`)
  expect(body).toEqual(await service.jokes({ categories: 'Classic,School' }))
})
