/** Calls to the database that fail: how often they are made, and when an upvote is certainly not counted. */
import { Agent } from 'node:http'
import { Socket } from 'node:net'
import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { expect, it, vi } from 'vitest'
import { thumbsUpJoke } from '../shared/store/jokes.ts'
import { LIMITS } from '../shared/store/limits.ts'
import { openStore } from '../shared/store/store.ts'

const NONE = { accessKeyId: 'none', secretAccessKey: 'none' }

function upvoteAt(endpoint: string, connectMs = LIMITS.connectMs) {
  const config = { region: 'none', endpoint, credentials: NONE }
  const store = openStore({ jokesTable: 'Jokes' }, config, { ...LIMITS, connectMs })
  return thumbsUpJoke(store, 'x'.repeat(22))
}

it.each([
  ['nobody listens', 'http://127.0.0.1:1'],
  ['the host is unknown', 'http://nowhere.invalid'],
])('an upvote is not counted if %s', async (_, endpoint) => {
  await expect(upvoteAt(endpoint)).rejects.toMatchObject({ code: 'not-counted' })
})

it('an upvote is not counted if the connection is not established in time', async () => {
  const socket = Object.assign(new Socket(), { connecting: true })
  using _connect = vi.spyOn(Agent.prototype, 'createConnection').mockReturnValue(socket)
  await expect(upvoteAt('http://127.0.0.1:1', 100)).rejects.toMatchObject({ code: 'not-counted' })
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
