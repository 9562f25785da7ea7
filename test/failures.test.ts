/** Calls to the database that fail: how often they are made, and when an upvote is certainly not counted. */
import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { expect, it, vi } from 'vitest'
import { thumbsUpJoke } from '../shared/store/jokes.ts'
import { LIMITS } from '../shared/store/limits.ts'
import { openStore } from '../shared/store/store.ts'

const NONE = { accessKeyId: 'none', secretAccessKey: 'none' }

/** An error as the SDK throws it. */
function fault(name: string, members: object = {}): Error {
  return Object.assign(new Error(name), { name, ...members })
}

const broken = fault('Error', { code: 'ECONNRESET' })
const throttled = fault('ProvisionedThroughputExceededException')
const failing = fault('InternalServerError', { $metadata: { httpStatusCode: 500 } })
const rejected = fault('ValidationException', { $metadata: { httpStatusCode: 400 } })

it.each([
  ['nobody listens', 'http://127.0.0.1:1'],
  ['the host is unknown', 'http://nowhere.invalid'],
  ['the connection is not established in time', 'http://192.0.2.1'],
])('an upvote is not counted if %s', async (_, endpoint) => {
  const config = { region: 'none', endpoint, credentials: NONE }
  const store = openStore({ jokesTable: 'Jokes' }, config, { ...LIMITS, connectMs: 100 })
  const code = /0\.2\.1/.test(endpoint) ? /not-counted|unknown-outcome/ : /not-counted/
  await expect(thumbsUpJoke(store, 'x'.repeat(22))).rejects.toMatchObject({ code: expect.stringMatching(code) })
})

it.each<[client: 'database' | 'databaseOnce', string, number, Error]>([
  ['database', 'fails', 3, failing],
  ['database', 'loses its connection', 3, broken],
  ['database', 'is rejected', 1, rejected],
  ['databaseOnce', 'fails', 1, failing],
  ['databaseOnce', 'is throttled', 1, throttled],
])('a call of %s that %s has %i attempt(s)', async (client, _, attempts, error) => {
  const store = openStore({ jokesTable: 'Jokes' }, { region: 'none', credentials: NONE })
  const attempt = vi.fn<() => Promise<never>>().mockRejectedValue(error)
  store[client].middlewareStack.add(() => attempt, { step: 'deserialize', priority: 'low' })
  await expect(store[client].send(new GetCommand({ TableName: 'Jokes', Key: { id: 'x' } }))).rejects.toBe(error)
  expect(attempt).toHaveBeenCalledTimes(attempts)
})
