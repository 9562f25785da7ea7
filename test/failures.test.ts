/** Calls to the database that fail: how often they are made, and when an upvote is certainly not counted. */
import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { expect, it, vi } from 'vitest'
import { thumbsUpJoke } from '../shared/store/jokes.ts'
import { LIMITS } from '../shared/store/limits.ts'
import { openStore } from '../shared/store/store.ts'

const NONE = { accessKeyId: 'none', secretAccessKey: 'none' }

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

// faults.test.ts tests that the service retries calls, but no upvotes.
it.each([
  ['database', 3],
  ['databaseOnce', 1],
] as const)('a call of %s that fails has %i attempt(s)', async (client, attempts) => {
  const store = openStore({ jokesTable: 'Jokes' }, { region: 'none', credentials: NONE })
  const error = Object.assign(new Error('No.'), { $metadata: { httpStatusCode: 500 } })
  const attempt = vi.fn<() => Promise<never>>().mockRejectedValue(error)
  store[client].middlewareStack.add(() => attempt, { step: 'deserialize', priority: 'low' })
  await expect(store[client].send(new GetCommand({ TableName: 'Jokes', Key: { id: 'x' } }))).rejects.toBe(error)
  expect(attempt).toHaveBeenCalledTimes(attempts)
})
