/** Calls that requests make, whatever the number of jokes. */
import { afterAll, expect, it, vi } from 'vitest'
import { CACHE } from '../../shared/store/limits.ts'
import { putJokes } from '../support/access.ts'
import { numberedJokes } from '../support/numberedJoke.ts'
import { startService } from '../support/service.ts'

const service = await startService()
const { store } = service
// Reading all of them would take some 20 units.
const jokes = numberedJokes(300)
const [{ id } = { id: '' }] = jokes
const joke = { joke: 'A joke of some words', category: 'Classic' }

const usage = { calls: 0, units: 0 }
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

// Each listing refreshes.
vi.spyOn(CACHE, 'freshMs', 'get').mockReturnValue(0)
// Older than what a refresh reads again.
await putJokes({ ...store, now: () => Date.now() - CACHE.lateMs - 1_000 }, jokes)
await service.jokes()
afterAll(async () => {
  vi.restoreAllMocks()
  await service.stop()
})

it.each([
  ['a warm listing', 1, 1, 200, () => service.list({ sortBy: 'random', category: 'School' })],
  ['adding a joke', 1, 2, 201, () => service.create(joke)],
  ['adding it again', 2, 1, 409, () => service.create(joke)],
  ['an upvote', 1, 3, 200, () => service.thumbUp(id)],
])('%s makes %i call(s) that use at most %i unit(s)', async (_, calls, units, status, request) => {
  Object.assign(usage, { calls: 0, units: 0 })
  expect([(await request()).status, usage.calls]).toEqual([status, calls])
  expect(usage.units).toBeLessThanOrEqual(units)
})
