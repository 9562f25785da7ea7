import { expect, it, vi } from 'vitest'
import { lambdaContext } from '../infra/local/invocation.ts'
import { InvalidInput, Unavailable, UnknownJoke, UPVOTE_NOT_COUNTED } from '../shared/errors.ts'
import { http } from '../shared/http.ts'
import { nextLink, nextPageOf } from '../shared/nextLink.ts'

/** The response to a request that fails, with the number of lines it logs. */
async function answerTo(error: unknown) {
  using log = vi.spyOn(console, 'error').mockImplementation(() => {})
  const handler = http().handler(() => Promise.reject(error))
  const { statusCode, headers, body } = await handler(Object({ routeKey: 'GET /joke' }), lambdaContext('List'))
  const { 'content-type': mediaType, 'retry-after': retryAfter } = headers
  return { statusCode, mediaType, retryAfter, ...JSON.parse(body), logged: log.mock.calls.length }
}

it('an unexpected error returns a 500 without details', async () => {
  const detail = 'Something went wrong on our side. Please report it to the operators of the service.'
  const problem = { type: 'about:blank', title: 'Internal Server Error', status: 500, code: 'bug', detail }
  const answer = { statusCode: 500, mediaType: 'application/problem+json', ...problem, logged: 1 }
  expect(await answerTo(new Error('the password is 1234'))).toEqual(answer)
})

it('a database fault returns a 503 with Retry-After', async () => {
  const answer = {
    statusCode: 503,
    code: 'not-counted',
    detail: 'The upvote was not counted. Try again.',
    retryAfter: '1',
    logged: 1,
  }
  expect(await answerTo(new Unavailable(UPVOTE_NOT_COUNTED))).toMatchObject(answer)
})

it('a client error is not logged', async () => {
  const errors = [1, 2, 3].map((number) => ({
    field: `field${number}`,
    code: 'invalid' as const,
    detail: 'is wrong.',
  }))
  const detail = 'field1 is wrong. And 2 more, see errors.'
  const error = new InvalidInput(errors)
  expect(error.message).toBe('field1 is wrong. field2 is wrong. field3 is wrong.')
  expect(await answerTo(error)).toMatchObject({ statusCode: 400, detail, errors, logged: 0 })
  expect(await answerTo(new UnknownJoke())).toMatchObject({ statusCode: 404, logged: 0 })
})

it('the URL of the next page keeps the path of the request', () => {
  const headers = new Headers({ link: nextLink('?cursor=Cd') })
  expect(nextPageOf({ headers, url: 'https://a.example/Stage/joke?cursor=Ab' })?.href).toBe(
    'https://a.example/Stage/joke?cursor=Cd',
  )
})
