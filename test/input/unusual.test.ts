/** Unusual input that is accepted: texts and searches of many words, and events of API Gateway with parts missing. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { handlersOf } from '../../infra/local/server.ts'
import { type FunctionName, ROUTES } from '../../infra/routes.ts'
import { emptyTables } from '../support/access.ts'
import { checkAnswer } from '../support/contract.ts'
import { invoke } from '../support/invoke.ts'
import { startService } from '../support/service.ts'

const service = await startService()
afterAll(service.stop)

const send = (body: string) => service.request('/joke', { method: 'POST', body })

describe('a joke', () => {
  it('with a repeated field has the value of the last one', async () => {
    const answer = await send('{"joke":"First","joke":"Last","category":"Classic"}')
    expect(answer).toMatchObject({ status: 201, body: { joke: 'Last' } })
  })

  it('sent in 64 kB is accepted', async () => {
    const { status } = await send('{"joke":"A short one","category":"Classic"}'.padEnd(64 * 1_024))
    expect(status).toBe(201)
  })

  it('with more words than the filter has is found by each of them in every order', async () => {
    const words = Array.from({ length: 160 }, (_, index) => `w${index.toString().padStart(4, '0')}`).join(' ')
    const punchline = `${words.replaceAll('w', 'v')} zebra`
    const [joke] = await service.add({ joke: words, punchline, category: 'School' })
    for (const sortBy of ['dateAdded', 'thumbsUp', 'thumbsDown', 'random'])
      for (const searchString of ['zebra', 'v0159', 'zeb w'])
        expect(await service.jokes({ searchString, sortBy }), searchString).toEqual([joke])
  })

  it('of text that grows when normalized, or of very many words, is stored and found', async () => {
    const many = Array.from({ length: 250 }, (_, index) => index.toString(36).padStart(3, '0')).join(' ')
    const texts = ['ﷺ'.repeat(55), '㌀'.repeat(250), 'ǅ'.repeat(500), 'a '.repeat(500), '東京大阪'.repeat(250), many]
    for (const text of texts) {
      const [joke] = await service.add({ joke: text, punchline: text, category: 'Classic' })
      expect(await service.jokes({ id: `${joke?.id}` })).toEqual([joke])
    }
    expect(await service.jokes({ searchString: '06x' })).toHaveLength(1)
  })
})

it('a search for dozens of words finds jokes that match all of them', async () => {
  const words = Array.from({ length: 66 }, (_, index) => index.toString(36).padStart(2, '0')).join(' ')
  const [joke] = await service.add({ joke: words, category: 'School' })
  expect(await service.jokes({ searchString: words })).toEqual([joke])
  expect(await service.jokes({ searchString: `${words.slice(0, -2)}zz` })).toEqual([])
})

describe('an event', () => {
  beforeAll(() => emptyTables(service.store))

  async function answerTo(name: FunctionName, event: object) {
    const { statusCode: status, headers, body } = await invoke(handlersOf(service.store), name, event)
    const answer = { status, headers: new Headers(headers), body: JSON.parse(body) }
    checkAnswer(ROUTES[name].method, ROUTES[name].path.replace('{id}', 'x'), answer)
    return answer
  }
  const joke = { joke: 'Sent raw', punchline: 'Ça marche', category: 'Classic' }
  const body = JSON.stringify({ ...joke, joke: 'Sent to a REST API' })

  it.each<[name: FunctionName, event: object, answer: object]>([
    ['Create', { body: Buffer.from(JSON.stringify(joke)).toString('base64'), isBase64Encoded: true }, { body: joke }],
    ['Create', { version: '1.0', httpMethod: 'POST', path: '/joke', headers: null, body }, { status: 201 }],
    ['Create', { version: '1.0', httpMethod: 'POST', path: '/joke', headers: null, body: null }, { status: 400 }],
    ['Create', {}, { status: 400, body: { errors: [{ field: 'body' }] } }],
    ['Create', { body: '' }, { status: 400, body: { errors: [{ field: 'body' }] } }],
    ['List', {}, { status: 200, body: [{ joke: 'Sent to a REST API' }, joke] }],
    ['List', { queryStringParameters: null }, { status: 200 }],
    ['ThumbsUp', {}, { status: 404 }],
    ['ThumbsUp', { pathParameters: null }, { status: 404 }],
    ['ThumbsUp', { pathParameters: { id: '' } }, { status: 404 }],
  ])('for %s, %j, is answered', async (name, event, answer) => {
    expect(await answerTo(name, event)).toMatchObject(answer)
  })
})
