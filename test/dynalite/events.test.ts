/** Unusual events that API Gateway may send. */
import { afterAll, describe, expect, it } from 'vitest'
import { handlersOf } from '../../infra/local/server.ts'
import { type FunctionName, ROUTES } from '../../infra/routes.ts'
import { checkAnswer } from '../support/contract.ts'
import { invoke } from '../support/invoke.ts'
import { startService } from '../support/service.ts'

const service = await startService()
afterAll(service.stop)

async function answerTo(name: FunctionName, event: object) {
  const { statusCode: status, headers, body } = await invoke(handlersOf(service.store), name, event)
  const answer = { status, headers: new Headers(headers), body: JSON.parse(body) }
  checkAnswer(ROUTES[name].method, ROUTES[name].path.replace('{id}', 'x'), answer)
  return answer
}

describe('create', () => {
  const joke = { joke: 'Sent raw', punchline: 'Ça marche', category: 'Classic' }

  it('accepts a base64 body without headers', async () => {
    const body = Buffer.from(JSON.stringify(joke)).toString('base64')
    expect(await answerTo('Create', { body, isBase64Encoded: true })).toMatchObject({ status: 201, body: joke })
  })

  it('accepts events of REST APIs (version 1.0)', async () => {
    const event = { version: '1.0', httpMethod: 'POST', path: '/joke', headers: null, isBase64Encoded: false }
    const other = { ...joke, joke: 'Sent to a REST API' }
    expect(await answerTo('Create', { ...event, body: JSON.stringify(other) })).toMatchObject({ status: 201 })
    expect(await answerTo('Create', { ...event, body: null })).toMatchObject({ status: 400 })
  })

  it.each([{}, { body: undefined }, { body: '' }])('answers 400 to %j', async (event) => {
    expect(await answerTo('Create', event)).toMatchObject({ status: 400, body: { errors: [{ field: 'body' }] } })
  })
})

describe('list', () => {
  it.each([{}, { queryStringParameters: null }, { queryStringParameters: {} }])(
    'returns all jokes for %j',
    async (event) => {
      const jokes = await service.jokes()
      expect(jokes.length).toBeGreaterThan(0)
      expect(await answerTo('List', event)).toMatchObject({ status: 200, body: jokes })
    },
  )
})

describe('thumbsUp', () => {
  it.each([{}, { pathParameters: null }, { pathParameters: { id: '' } }])('answers 404 to %j', async (event) => {
    expect(await answerTo('ThumbsUp', event)).toMatchObject({ status: 404 })
  })
})
