/** Calls that requests make, whatever the number of jokes. */
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { CACHE } from '../../shared/store/limits.ts'
import { load } from '../support/access.ts'
import { numberedJokes } from '../support/numberedJoke.ts'
import { startService } from '../support/service.ts'

const service = await startService({ attemptMs: 60_000, operationMs: 60_000 })
const { store } = service
const jokes = numberedJokes(3_000)
const [{ id } = { id: '' }] = jokes
const joke = { joke: 'A joke of some words', category: 'Classic' }

let usage = { calls: 0, units: 0 }
store.database.middlewareStack.add(
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
  // On a busy machine, a refresh may take longer than the limit.
  vi.spyOn(CACHE, 'refreshMs', 'get').mockReturnValue(60_000)
  await load(store, jokes)
  await service.jokes()
  // Until the jokes just written are older than what each refresh reads again.
  await setTimeout(2_100)
  await service.jokes()
})
afterAll(async () => {
  vi.restoreAllMocks()
  await service.stop()
})

it('a warm listing reads at most one unit in two calls', async () => {
  store.cache.invalidate()
  await service.jokes({ sortBy: 'random', category: 'School', numberofJokes: '250' })
  expect([usage.calls, usage.units <= 1]).toEqual([2, true])
})

it('a warm listing makes two more calls once a minute', async () => {
  using _aMinuteLater = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000)
  for (const calls of [4, 4 + 2]) {
    store.cache.invalidate()
    await service.jokes()
    expect(usage.calls).toBe(calls)
  }
})

it.each([
  ['adding', 201, 1, () => service.create(joke)],
  ['adding again', 409, 2, () => service.create(joke)],
  ['upvoting', 200, 1, () => service.thumbUp(id)],
])('%s a joke gets %i, and makes %i call(s)', async (_, status, calls, request) => {
  expect([(await request()).status, usage.calls]).toEqual([status, calls])
})
