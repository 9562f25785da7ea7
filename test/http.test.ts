import { expect, it, vi } from 'vitest'
import { lambdaContext } from '../infra/local/invocation.ts'
import { ProblemError } from '../shared/errors.ts'
import { http, httpWithJson, queryOf, respond } from '../shared/http.ts'
import { nextLink, nextPageOf } from '../shared/nextLink.ts'

/** The id of the request, as API Gateway gives it. */
const requestId = 'PqRsTgHiDoEEJ8g='

/** The response to a request that fails, with the ids of the requests in the log. */
async function answerTo(error: unknown) {
  using log = vi.spyOn(console, 'error').mockImplementation(() => {})
  const event = { routeKey: 'GET /joke', requestContext: { requestId } }
  const handler = http().handler(() => Promise.reject(error))
  const { statusCode, body } = await handler(Object(event), lambdaContext('List'))
  return { statusCode, ...JSON.parse(body), logged: log.mock.calls.map(([line]) => line.apiRequestId) }
}

it('an unexpected error returns a 500 without details, whose requestId is logged', async () => {
  const detail = 'Something went wrong on our side. Please report it with this requestId.'
  const problem = { type: 'about:blank', title: 'Internal Server Error', status: 500, code: 'bug', detail, requestId }
  const answer = { statusCode: 500, ...problem, logged: [requestId] }
  expect(await answerTo(new Error('the password is 1234'))).toEqual(answer)
})

it('a client error is not logged', async () => {
  const errors = [{ field: 'joke', code: 'required' as const, detail: 'is required.' }]
  expect(await answerTo(new ProblemError('invalid', { errors }))).toMatchObject({ statusCode: 400, errors, logged: [] })
  expect(await answerTo(new ProblemError('unknown-joke'))).toMatchObject({ statusCode: 404, requestId, logged: [] })
})

it('events that a REST API sends, or a person writes, may lack headers, body and query', async () => {
  const event = { headers: null, body: null, queryStringParameters: null, pathParameters: null }
  expect(queryOf(Object(event))).toEqual({})
  expect(queryOf(Object({ queryStringParameters: { sortBy: 'random' } }))).toEqual({ sortBy: 'random' })
  const handler = httpWithJson().handler(async ({ body }) => respond(200, body))
  const statusOf = async (body: unknown) =>
    (await handler(Object({ ...event, body }), lambdaContext('Create'))).statusCode
  expect([await statusOf(null), await statusOf('{}')]).toEqual([400, 200])
})

it('the URL of the next page keeps the path of the request', () => {
  const headers = new Headers({ link: nextLink('?cursor=Cd') })
  expect(nextPageOf({ headers, url: 'https://a.example/Stage/joke?cursor=Ab' })?.href).toBe(
    'https://a.example/Stage/joke?cursor=Cd',
  )
})
