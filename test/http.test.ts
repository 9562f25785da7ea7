/** What clients are told of errors, and what only the log is. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { lambdaContext } from '../infra/local/invocation.ts'
import { DuplicateJoke, InvalidInput, Unavailable, UnknownJoke } from '../shared/errors.ts'
import { http } from '../shared/http.ts'

afterEach(() => vi.restoreAllMocks())

/** The answer to a request that fails, and whether the failure was logged. */
async function answerTo(error: unknown) {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  const handler = http().handler(() => Promise.reject(error))
  const { statusCode, headers, body } = await handler(Object({ routeKey: 'GET /joke' }), lambdaContext('List'))
  return { statusCode, headers, body: JSON.parse(body), isLogged: log.mock.calls.length > 0 }
}

const one = { field: 'joke', detail: 'is required.' }
const two = { field: 'category', detail: 'must be one.' }
const three = { field: 'x', detail: 'is not accepted here.' }
const noJoke = 'No joke has this id. GET /joke lists the existing ones.'
const wasRemoved = 'This joke was removed by the operators of the service, so it cannot be added again.'
const failure = 'Something went wrong on our side. Please try again.'

describe('an error of the client', () => {
  it.each([
    [new InvalidInput([one]), 400, 'Bad Request', 'joke is required.', { errors: [one] }],
    [
      new InvalidInput([one, two, three]),
      400,
      'Bad Request',
      'joke is required. And 2 more, see errors.',
      { errors: [one, two, three] },
    ],
    [new UnknownJoke(), 404, 'Not Found', noJoke, {}],
    [new DuplicateJoke('id-1', 'listed'), 409, 'Conflict', 'This joke already exists.', { id: 'id-1' }],
    [new DuplicateJoke('id-1', 'removed'), 409, 'Conflict', wasRemoved, {}],
  ])('is a problem document and not logged: %s', async (error, status, title, detail, members) => {
    expect(await answerTo(error)).toEqual({
      statusCode: status,
      headers: { 'content-type': 'application/problem+json' },
      body: { type: 'about:blank', title, status, detail, ...members },
      isLogged: false,
    })
  })
})

it('invalid input has a message of all its faults', () => {
  expect(new InvalidInput([one, two]).message).toBe('joke is required. category must be one.')
})

describe('an error of the service', () => {
  it.each([
    [new Unavailable('Try again.'), 503, 'Service Unavailable', 'Try again.', { 'retry-after': '1' }],
    [new Error('the password is 1234'), 500, 'Internal Server Error', failure, {}],
  ])(
    'is logged, and its problem document reveals nothing internal: %s',
    async (error, status, title, detail, retry) => {
      expect(await answerTo(error)).toEqual({
        statusCode: status,
        headers: { 'content-type': 'application/problem+json', ...retry },
        body: { type: 'about:blank', title, status, detail },
        isLogged: true,
      })
    },
  )
})
