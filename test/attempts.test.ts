/** Attempts of calls to the database: temporary faults, those without an effect, and repetitions. */
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { HttpResponse } from '@smithy/core/protocols'
import { expect, it, vi } from 'vitest'
import { ProblemError } from '../shared/errors.ts'
import type { ProblemCode } from '../shared/problem.ts'
import { call, hadNoEffect, withTimeLimit } from '../shared/store/attempts.ts'
import { LIMITS } from '../shared/store/limits.ts'
import { openStore } from '../shared/store/store.ts'

/** An error as the SDK throws it. */
function fault(name: string, members: object = {}): Error {
  return Object.assign(new Error(name), { name, ...members })
}

const broken = fault('Error', { code: 'ECONNRESET' })
const throttled = fault('ThrottlingException')
const failing = fault('InternalServerError', { $metadata: { httpStatusCode: 500 } })
const rejected = fault('ValidationException', { $metadata: { httpStatusCode: 400 } })
/** As the SDK throws it after correcting its clock. */
const expired = fault('InvalidSignatureException', { $metadata: { httpStatusCode: 400, clockSkewCorrected: true } })
const connectTimeout = fault('TimeoutError', {
  message: '@smithy/node-http-handler - the request socket did not establish a connection with the server',
})

it.each<[string, isTemporary: boolean, unknown]>([
  ['time is up', true, fault('AbortError')],
  ['DynamoDB throttles', true, fault('ProvisionedThroughputExceededException')],
  ['DynamoDB fails', true, failing],
  ['the call takes too long', true, fault('TimeoutError')],
  ['DynamoDB rejects the request', false, rejected],
  ['it has a programming error', false, new TypeError('x is not a function')],
])('an operation throws a ProblemError with the cause if %s: %s', async (_, isTemporary, cause) => {
  const outcomeOf = (error: unknown): ProblemCode => (error === cause ? 'not-counted' : 'bug')
  const thrown = await withTimeLimit(LIMITS, outcomeOf, () => Promise.reject(cause)).catch((error) => error)
  expect(thrown).toEqual(isTemporary ? new ProblemError('not-counted', {}, { cause }) : cause)
})

const TABLE = { jokesTable: 'Jokes' }
const NONE = { accessKeyId: 'none', secretAccessKey: 'none' }
const GET = new GetCommand({ TableName: 'Jokes', Key: { id: 'x' } })

it.each<[string, boolean, unknown]>([
  ['a throttled call', true, throttled],
  ['a connection that takes too long', true, connectTimeout],
  ['a call whose signature has expired', true, expired],
  ['an unknown host', true, fault('Error', { code: 'ENOTFOUND' })],
  ['a refused connection', true, fault('Error', { code: 'ECONNREFUSED' })],
  ['a broken connection', false, broken],
  ['an answer that takes too long', false, fault('TimeoutError')],
  ['another error with the words of a timeout', false, fault('Error', { message: connectTimeout.message })],
  ['an error of DynamoDB', false, failing],
  ['an error with a strange cause', false, fault('ThrottlingException', { cause: 'none' })],
])('hadNoEffect of %s is %s', (_, expected, error) => {
  expect(hadNoEffect(error)).toBe(expected)
})

/** A store whose calls fail with this error. `attempt` counts them. */
function failingStore(error: Error) {
  const store = openStore(TABLE, { region: 'none', credentials: NONE }, { ...LIMITS, firstWaitMs: 0 })
  const attempt = vi.fn<(args: unknown) => Promise<never>>().mockRejectedValue(error)
  store.database.middlewareStack.add(() => attempt, { step: 'deserialize', priority: 'low' })
  return { store, attempt }
}

it.each<[string, number, Error, ((error: unknown) => boolean)?]>([
  ['is throttled', 3, throttled],
  ['fails in DynamoDB', 3, failing],
  ['is rejected', 1, rejected],
  ['may have no effect twice, and is throttled', 3, throttled, hadNoEffect],
  ['may have no effect twice, and is rejected for a wrong time', 3, expired, hadNoEffect],
  ['may have no effect twice, and fails in DynamoDB', 1, failing, hadNoEffect],
])('a call that %s each time has %i attempt(s)', async (_, attempts, error, mayRepeat = () => true) => {
  const { store, attempt } = failingStore(error)
  // Earlier failures do not reduce the attempts, as the SDK's own retry quota would.
  const calls = 100
  for (let made = 0; made < calls; made++)
    await expect(call(store, (database) => database.send(GET), { mayRepeat })).rejects.toBe(error)
  expect(attempt).toHaveBeenCalledTimes(calls * attempts)
})

it('each attempt sends a request of its own', async () => {
  const { store, attempt } = failingStore(throttled)
  let number = 0
  const put = () => new PutCommand({ TableName: 'Jokes', Item: { id: `attempt ${++number}` } })
  await expect(call(store, (database) => database.send(put()))).rejects.toBe(throttled)
  const sent = attempt.mock.calls.map(([args]) => /attempt \d/.exec(JSON.stringify(args))?.[0])
  expect(sent).toEqual(['attempt 1', 'attempt 2', 'attempt 3'])
})

it('a call without time ends with the error of its last attempt', async () => {
  const { store } = failingStore(throttled)
  const stop = new AbortController()
  const send = async () => {
    stop.abort()
    throw throttled
  }
  await expect(call(store, send, { signal: stop.signal })).rejects.toBe(throttled)
})

it.each([
  [0.05, 3],
  [60, 1],
])('a call that should wait for %d seconds has %i attempt(s)', async (seconds, attempts) => {
  const asked = fault('ThrottlingException', {
    $response: new HttpResponse({ statusCode: 400, headers: { 'retry-after': String(seconds) } }),
  })
  const { store, attempt } = failingStore(asked)
  const start = Date.now()
  await expect(call(store, (database) => database.send(GET))).rejects.toBe(asked)
  expect(attempt).toHaveBeenCalledTimes(attempts)
  // A timer may fire a millisecond early.
  if (attempts > 1) expect(Date.now() - start).toBeGreaterThanOrEqual(2 * 50 - 2)
})
