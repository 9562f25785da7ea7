/** Calls that requests make, whatever the number of jokes. */
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { CACHE } from '../../shared/store/limits.ts'
import { put, toItem } from '../support/access.ts'
import { numberedJokes } from '../support/numberedJoke.ts'
import { startService } from '../support/service.ts'

const service = await startService({ attemptMs: 60_000, operationMs: 60_000 })
const { store } = service
const jokes = numberedJokes(3_000)
const [{ id } = { id: '' }] = jokes
const joke = { joke: 'A joke of some words', category: 'Classic' }

let usage = { calls: 0, units: 0 }
for (const client of [store.database, store.databaseOnce])
  client.middlewareStack.add(
    (next) => async (args) => {
      Object.assign(args.input, { ReturnConsumedCapacity: 'TOTAL' })
      usage.calls += 1
      const result = await next(args)
      usage.units += Object(result.output).ConsumedCapacity.CapacityUnits
      return result
    },
    { step: 'initialize' },
  )

beforeEach(() => {
  usage = { calls: 0, units: 0 }
})
beforeAll(async () => {
  // On a busy machine, a refresh may take longer than the limit. Each listing refreshes.
  vi.spyOn(CACHE, 'refreshMs', 'get').mockReturnValue(60_000)
  vi.spyOn(CACHE, 'freshMs', 'get').mockReturnValue(0)
  // Older than what a refresh reads again.
  const longAgo = { now: () => Date.now() - CACHE.lateMs - 1_000 }
  await put(store, ...jokes.map((joke) => toItem(longAgo, joke)))
  await service.jokes()
})
afterAll(async () => {
  vi.restoreAllMocks()
  await service.stop()
})

it('a warm listing reads at most one unit in one call', async () => {
  await service.jokes({ sortBy: 'random', category: 'School', numberofJokes: '250' })
  expect([usage.calls, usage.units <= 1]).toEqual([1, true])
})

it.each([
  ['adding', 201, 1, () => service.create(joke)],
  ['adding again', 409, 2, () => service.create(joke)],
  ['upvoting', 200, 1, () => service.thumbUp(id)],
])('%s a joke gets %i, and makes %i call(s)', async (_, status, calls, request) => {
  expect([(await request()).status, usage.calls]).toEqual([status, calls])
})
