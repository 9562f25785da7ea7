/** Calls that requests make, whatever the number of jokes. */
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { CACHE } from '../../shared/store/limits.ts'
import { load } from '../support/access.ts'
import { meter } from '../support/meter.ts'
import { numberedJokes } from '../support/numberedJoke.ts'
import { startService } from '../support/service.ts'

const service = await startService({ attemptMs: 60_000, operationMs: 60_000 })
const { store } = service
const used = meter(store.database)
const jokes = numberedJokes(3_000)
const [{ id } = { id: '' }] = jokes

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
  const { calls, read, written } = used()
  expect([calls, read <= 1, written]).toEqual([2, true, 0])
})

it('a warm listing makes two more calls once a minute', async () => {
  using _aMinuteLater = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000)
  await service.jokes()
  expect(used().calls).toBe(4)
  store.cache.invalidate()
  await service.jokes()
  expect(used().calls).toBe(2)
})

it('adding a joke makes one call, and adding an existing joke two', async () => {
  const joke = { joke: 'A joke of some words', category: 'Classic' }
  expect((await service.create(joke)).status).toBe(201)
  expect(used()).toMatchObject({ calls: 1, read: 0 })
  expect((await service.create(joke)).status).toBe(409)
  expect(used()).toMatchObject({ calls: 2, read: 1 })
})

it('an upvote makes one call', async () => {
  expect((await service.thumbUp(id)).status).toBe(200)
  expect(used()).toMatchObject({ calls: 1, read: 0 })
})
