import { expect, it, vi } from 'vitest'
import { lambdaContext } from '../infra/local/invocation.ts'
import { ProblemError } from '../shared/errors.ts'
import { http } from '../shared/http.ts'
import { nextLink, nextPageOf } from '../shared/nextLink.ts'

/** The response to a request that fails, with the number of lines it logs. */
async function answerTo(error: unknown) {
  using log = vi.spyOn(console, 'error').mockImplementation(() => {})
  const handler = http().handler(() => Promise.reject(error))
  const { statusCode, headers, body } = await handler(Object({ routeKey: 'GET /joke' }), lambdaContext('List'))
  const { 'content-type': mediaType } = headers
  return { statusCode, mediaType, ...JSON.parse(body), logged: log.mock.calls.length }
}

it('an unexpected error returns a 500 without details', async () => {
  const detail = 'Something went wrong on our side. Please report it to the operators of the service.'
  const problem = { type: 'about:blank', title: 'Internal Server Error', status: 500, code: 'bug', detail }
  const answer = { statusCode: 500, mediaType: 'application/problem+json', ...problem, logged: 1 }
  expect(await answerTo(new Error('the password is 1234'))).toEqual(answer)
})

it('a client error is not logged', async () => {
  const errors = [{ field: 'joke', code: 'required' as const, detail: 'is required.' }]
  expect(await answerTo(new ProblemError('invalid', { errors }))).toMatchObject({ statusCode: 400, errors, logged: 0 })
  expect(await answerTo(new ProblemError('unknown-joke'))).toMatchObject({ statusCode: 404, logged: 0 })
})

it('the URL of the next page keeps the path of the request', () => {
  const headers = new Headers({ link: nextLink('?cursor=Cd') })
  expect(nextPageOf({ headers, url: 'https://a.example/Stage/joke?cursor=Ab' })?.href).toBe(
    'https://a.example/Stage/joke?cursor=Cd',
  )
})
