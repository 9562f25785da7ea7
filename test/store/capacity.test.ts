/** Calls that requests make, whatever the number of jokes. */
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { CACHE } from '../../shared/store/limits.ts'
import { load } from '../support/access.ts'
import { numberedJokes } from '../support/numberedJoke.ts'
import { startService } from '../support/service.ts'

const service = await startService({ attemptMs: 60_000, operationMs: 60_000 })
const { store } = service
const jokes = numberedJokes(3_000)
const [{ id } = { id: '' }] = jokes

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

/** Returns the calls and their capacity units since the last call of this function. */
function used() {
  const result = usage
  usage = { calls: 0, units: 0 }
  return result
}

beforeAll(async () => {
  // On a busy machine, a refresh may take longer than the limit.
  vi.spyOn(CACHE, 'refreshMs', 'get').mockReturnValue(60_000)
  await load(store, jokes)
  await service.jokes()
  // Until the jokes just written are older than what each refresh reads again.
  await setTimeout(2_100)
  await service.jokes()
  used()
})
afterAll(async () => {
  vi.restoreAllMocks()
  await service.stop()
})

it('a warm listing reads at most one unit in two calls', async () => {
  store.cache.invalidate()
  await service.jokes({ sortBy: 'random', category: 'School', numberofJokes: '250' })
  const { calls, units } = used()
  expect([calls, units <= 1]).toEqual([2, true])
})

it('a warm listing makes two more calls once a minute', async () => {
  using _aMinuteLater = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000)
  await service.jokes()
  expect(used().calls).toBe(4)
  store.cache.invalidate()
  await service.jokes()
  expect(used().calls).toBe(2)
})

it('adding and upvoting a joke makes one call each, and adding an existing joke two', async () => {
  const joke = { joke: 'A joke of some words', category: 'Classic' }
  for (const [request, status, calls] of [
    [() => service.create(joke), 201, 1],
    [() => service.create(joke), 409, 2],
    [() => service.thumbUp(id), 200, 1],
  ] as const)
    expect([(await request()).status, used().calls]).toEqual([status, calls])
})
