import { expect, it, vi } from 'vitest'
import { lambdaContext } from '../infra/local/invocation.ts'
import { ProblemError } from '../shared/errors.ts'
import { http, httpWithJson, queryOf, respond } from '../shared/http.ts'

it.each([
  [500, 'bug', new Error('the password is 1234')],
  [404, 'unknown-joke', new ProblemError('unknown-joke')],
])(
  'a response of %i is %s, has no details of the error, and is logged only if it is a 5xx',
  async (status, code, error) => {
    using log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const requestId = 'PqRsTgHiDoEEJ8g='
    const event = { routeKey: 'GET /joke', requestContext: { requestId } }
    const handler = http().handler(() => Promise.reject(error))
    const { statusCode, body } = await handler(Object(event), lambdaContext('List'))
    expect([statusCode, JSON.parse(body)]).toEqual([status, expect.objectContaining({ status, code, requestId })])
    expect(body).not.toContain('1234')
    expect(log.mock.calls.map(([line]) => line.apiRequestId)).toEqual(status === 500 ? [requestId] : [])
  },
)

it('events that a REST API sends, or a person writes, may lack headers, body and query', async () => {
  const event = { headers: null, body: null, queryStringParameters: null, pathParameters: null }
  expect(queryOf(Object(event))).toEqual({})
  const handler = httpWithJson().handler(async ({ body }) => respond(200, body))
  const statusOf = async (body: unknown) =>
    (await handler(Object({ ...event, body }), lambdaContext('Create'))).statusCode
  expect([await statusOf(null), await statusOf('{}')]).toEqual([400, 200])
})
