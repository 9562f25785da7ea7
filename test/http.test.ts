/** What clients are told of errors that no request can bring about, and what only the log is. */
import { expect, it, vi } from 'vitest'
import { lambdaContext } from '../infra/local/invocation.ts'
import { DuplicateJoke, InvalidInput, Unavailable, UnknownJoke } from '../shared/errors.ts'
import { http } from '../shared/http.ts'

const [one, two] = [
  { field: 'joke', detail: 'is required.' },
  { field: 'category', detail: 'must be one.' },
]
const removed = 'This joke was removed by the operators of the service, so it cannot be added again.'
const unknown = 'No joke has this id. GET /joke lists the existing ones.'
const failure = 'Something went wrong on our side. Please try again.'

it.each<[unknown, number, string, detail: string, members?: object, headers?: object]>([
  [new InvalidInput([one]), 400, 'Bad Request', 'joke is required.', { errors: [one] }],
  [
    new InvalidInput([one, two, two]),
    400,
    'Bad Request',
    'joke is required. And 2 more, see errors.',
    { errors: [one, two, two] },
  ],
  [new UnknownJoke(), 404, 'Not Found', unknown],
  [new DuplicateJoke('id-1', 'listed'), 409, 'Conflict', 'This joke already exists.', { id: 'id-1' }],
  [new DuplicateJoke('id-1', 'removed'), 409, 'Conflict', removed],
  [new Unavailable('Try again.'), 503, 'Service Unavailable', 'Try again.', {}, { 'retry-after': '1' }],
  [new Error('the password is 1234'), 500, 'Internal Server Error', failure],
])(
  '%s is a problem document, logged only if it is an error of the service',
  async (error, status, title, detail, members, headers) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const handler = http().handler(() => Promise.reject(error))
    const { body, ...answer } = await handler(Object({ routeKey: 'GET /joke' }), lambdaContext('List'))
    expect(answer).toEqual({ statusCode: status, headers: { 'content-type': 'application/problem+json', ...headers } })
    expect(JSON.parse(body)).toEqual({ type: 'about:blank', title, status, detail, ...members })
    expect(log).toHaveBeenCalledTimes(status >= 500 ? 1 : 0)
    log.mockRestore()
  },
)

it('invalid input has a message of all its faults', () => {
  expect(new InvalidInput([one, two]).message).toBe('joke is required. category must be one.')
})
