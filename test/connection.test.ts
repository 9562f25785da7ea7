/** Faults of the database: temporary ones, those without an effect, and retries. */
import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { ProblemError } from '../shared/errors.ts'
import type { ProblemCode } from '../shared/problem.ts'
import { hadNoEffect, retries, withTimeLimit } from '../shared/store/connection.ts'
import { LIMITS, PATIENT } from '../shared/store/limits.ts'
import { openStore } from '../shared/store/store.ts'
import { listen } from './support/listen.ts'

afterEach(() => vi.restoreAllMocks())

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

describe('an operation', () => {
  it.each<[string, isTemporary: boolean, unknown]>([
    ['time is up', true, fault('AbortError')],
    ['DynamoDB throttles', true, fault('ProvisionedThroughputExceededException')],
    ['DynamoDB fails', true, failing],
    ['the call takes too long', true, fault('TimeoutError')],
    ['DynamoDB rejects the request', false, rejected],
    ['it has a programming error', false, new TypeError('x is not a function')],
  ])('an operation throws a ProblemError if %s: %s', async (_, isTemporary, cause) => {
    const outcomeOf = (error: unknown): ProblemCode => (error === cause ? 'not-counted' : 'bug')
    const thrown = await withTimeLimit(LIMITS, outcomeOf, () => Promise.reject(cause)).catch((error) => error)
    expect(thrown).toEqual(isTemporary ? new ProblemError('not-counted', {}, { cause }) : cause)
    expect(isTemporary ? thrown.cause : thrown).toBe(cause)
  })
})

const TABLE = { jokesTable: 'Jokes' }
const NONE = { accessKeyId: 'none', secretAccessKey: 'none' }
const GET = new GetCommand({ TableName: 'Jokes', Key: { id: 'x' } })

const unconnected = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']

it.each<[string, boolean, unknown]>([
  ['a throttled call', true, throttled],
  ['a connection that takes too long', true, connectTimeout],
  ['a call whose signature has expired', true, expired],
  ...unconnected.map((code): [string, boolean, Error] => [code, true, fault('Error', { code })]),
  ['a broken connection', false, broken],
  ['an answer that takes too long', false, fault('TimeoutError')],
  ['another error with the words of a timeout', false, fault('Error', { message: connectTimeout.message })],
  ['an error of DynamoDB', false, failing],
  ['an error with a strange cause', false, fault('ThrottlingException', { cause: 'none' })],
])('hadNoEffect of %s is %s', (_, expected, error) => {
  expect(hadNoEffect(error)).toBe(expected)
})

it.each<['database' | 'upvoteDatabase', string, number, Error]>([
  ['database', 'is throttled', 3, throttled],
  ['database', 'fails in DynamoDB', 3, failing],
  ['database', 'is rejected', 1, rejected],
  ['upvoteDatabase', 'is throttled', 3, throttled],
  ['upvoteDatabase', 'is rejected for a wrong time', 3, expired],
  ['upvoteDatabase', 'fails in DynamoDB, perhaps after counting,', 1, failing],
])('a call through %s that %s each time has %i attempt(s)', async (client, _, attempts, error) => {
  const store = openStore(TABLE, { region: 'none', credentials: NONE }, { ...LIMITS, firstWaitMs: 0 })
  const attempt = vi.fn().mockRejectedValue(error)
  store[client].middlewareStack.add(() => attempt, { step: 'deserialize', priority: 'low' })
  // Earlier failures do not reduce the attempts, as the SDK's own retry quota would.
  const calls = 100
  for (let call = 0; call < calls; call++) await expect(store[client].send(GET)).rejects.toBe(error)
  expect(attempt).toHaveBeenCalledTimes(calls * attempts)
})

it('a retry of a command waits as long as the server asks', async () => {
  vi.spyOn(Date, 'now').mockReturnValue(0)
  const strategy = retries(PATIENT, () => true)
  const info = { errorType: 'THROTTLING', retryAfterHint: new Date(60_000) } as const
  const token = await strategy.refreshRetryTokenForRetry(await strategy.acquireInitialRetryToken(''), info)
  expect(token.getRetryDelay()).toBe(60_000)
})

it('a connection is reused unless idle for six seconds', async () => {
  const ports: (number | undefined)[] = []
  const { server, port } = await listen(({ socket }, response) => {
    ports.push(socket.remotePort)
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end('{}')
  })
  onTestFinished(() => void server.close())
  const config = { region: 'none', credentials: NONE, endpoint: `http://127.0.0.1:${port}` }
  const { database, upvoteDatabase } = openStore(TABLE, config)
  for (const client of [database, upvoteDatabase]) {
    await client.send(GET)
    await client.send(GET)
    const now = Date.now() + 6_000
    vi.spyOn(Date, 'now').mockReturnValue(now)
    await client.send(GET)
    vi.restoreAllMocks()
    const [first, second, third] = ports.splice(0)
    expect(second).toBe(first)
    expect(third).not.toBe(first)
    client.destroy()
  }
})
