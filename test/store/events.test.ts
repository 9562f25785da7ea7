/** Events that API Gateway does not send to the deployed functions, but a REST API or a person might. */
import { expect, it } from 'vitest'
import { handlersOf } from '../../infra/local/server.ts'
import type { FunctionName } from '../../infra/routes.ts'
import { invoke } from '../support/invoke.ts'
import { createStore } from '../support/service.ts'

const handlers = handlersOf(await createStore())

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
  const { body, ...response } = await invoke(handlers, name, event)
  expect({ ...response, answer: JSON.parse(body) }).toMatchObject({ statusCode, answer })
})
