/** What clients are told of errors, and what only the log is. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { lambdaContext } from '../infra/local/server.ts'
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

const faults = [
  { field: 'joke', detail: 'is required.' },
  { field: 'category', detail: 'must be one.' },
  { field: 'x', detail: 'is not accepted here.' },
]

describe('an error', () => {
  it.each([
    [
      'one fault',
      new InvalidInput(faults.slice(0, 1)),
      400,
      'Bad Request',
      'joke is required.',
      { errors: faults.slice(0, 1) },
    ],
    [
      'three faults',
      new InvalidInput(faults),
      400,
      'Bad Request',
      'joke is required. And 2 more, see errors.',
      { errors: faults },
    ],
    [
      'no such joke',
      new UnknownJoke(),
      404,
      'Not Found',
      'No joke has this id. GET /joke lists the existing ones.',
      {},
    ],
    ['an equal joke', new DuplicateJoke('id-1'), 409, 'Conflict', 'This joke already exists.', { id: 'id-1' }],
    [
      'a removed joke',
      new DuplicateJoke(),
      409,
      'Conflict',
      'This joke was removed by the operators of the service, so it cannot be added again.',
      {},
    ],
  ])('of the client, %s, is a problem document and not logged', async (_, error, status, title, detail, members) => {
    expect(await answerTo(error)).toEqual({
      statusCode: status,
      headers: { 'content-type': 'application/problem+json' },
      body: { type: 'about:blank', title, status, detail, ...members },
      isLogged: false,
    })
  })

  it('of the database is a 503 that says what follows and when to retry, and is logged', async () => {
    expect(await answerTo(new Unavailable('Try again.'))).toEqual({
      statusCode: 503,
      headers: { 'content-type': 'application/problem+json', 'retry-after': '1' },
      body: { type: 'about:blank', title: 'Service Unavailable', status: 503, detail: 'Try again.' },
      isLogged: true,
    })
  })

  it('of the service itself is a 500 that says nothing of the inside, and is logged', async () => {
    expect(await answerTo(new Error('the password is 1234'))).toEqual({
      statusCode: 500,
      headers: { 'content-type': 'application/problem+json' },
      body: {
        type: 'about:blank',
        title: 'Internal Server Error',
        status: 500,
        detail: 'Something went wrong on our side. Please try again.',
      },
      isLogged: true,
    })
  })
})
