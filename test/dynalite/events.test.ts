/** The handlers with events as API Gateway sends them in its rarer moods. */
import { afterAll, describe, expect, it } from 'vitest'
import { lambdaContext, loadHandlers } from '../../infra/local/server.ts'
import { type FunctionName, ROUTES } from '../../infra/routes.ts'
import { checkAnswer } from '../support/contract.ts'
import { startService } from '../support/service.ts'

const service = await startService()
afterAll(service.stop)

/** Invokes a function with an event that, unlike the type, may lack anything. */
async function invoke(name: FunctionName, event: object) {
  const handlers = await loadHandlers()
  const { statusCode, headers, body } = await handlers[name](Object(event), lambdaContext(name))
  const answer = { status: statusCode, headers: new Headers(headers), body: JSON.parse(body) }
  const { method, path } = ROUTES[name]
  checkAnswer(method, path.replace('{id}', 'x'), answer)
  return { statusCode, body: answer.body }
}

describe('create', () => {
  const joke = { joke: 'Sent raw', punchline: 'Ça marche', category: 'Classic' }

  it('takes a body in base64, without headers', async () => {
    const body = Buffer.from(JSON.stringify(joke)).toString('base64')
    expect(await invoke('Create', { body, isBase64Encoded: true })).toMatchObject({ statusCode: 201, body: joke })
  })

  it('takes the format of REST APIs', async () => {
    const event = { version: '1.0', httpMethod: 'POST', path: '/joke', headers: null, isBase64Encoded: false }
    const other = { ...joke, joke: 'Sent to a REST API' }
    expect(await invoke('Create', { ...event, body: JSON.stringify(other) })).toMatchObject({ statusCode: 201 })
    expect(await invoke('Create', { ...event, body: null })).toMatchObject({ statusCode: 400 })
  })

  it.each([{}, { body: undefined }, { body: '' }])('answers 400 to %j', async (event) => {
    expect(await invoke('Create', event)).toMatchObject({ statusCode: 400, body: { errors: [{ field: 'body' }] } })
  })
})

describe('list', () => {
  it.each([{}, { queryStringParameters: null }, { queryStringParameters: {} }])('lists all for %j', async (event) => {
    expect(await invoke('List', event)).toMatchObject({ statusCode: 200 })
  })
})

describe('thumbsUp', () => {
  it.each([{}, { pathParameters: null }, { pathParameters: { id: '' } }])('answers 404 to %j', async (event) => {
    expect(await invoke('ThumbsUp', event)).toMatchObject({ statusCode: 404 })
  })
})
