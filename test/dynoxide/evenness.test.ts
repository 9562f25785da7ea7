import { expect, it, vi } from 'vitest'
import { parseListing } from '../../shared/listing.ts'
import { internals, load } from '../support/access.ts'
import { numberedJokes } from '../support/numberedJoke.ts'
import { startService } from '../support/service.ts'

it('random listings draw every one of 200 jokes between half and twice its share of 10,000 draws', async () => {
  const service = await startService()
  const jokes = numberedJokes(200)
  await load(jokes)
  // Fixed random numbers: with real ones, the test would fail once in a hundred runs.
  const { mockRestore } = vi.spyOn(Math, 'random').mockImplementation(sequence(1))
  const { listJokes } = await internals()
  const listing = parseListing({ sortBy: 'random', numberofJokes: '25' })
  const drawn = new Map(jokes.map(({ id }) => [id, 0]))
  for (let request = 0; request < 400; request++) {
    for (const { id } of (await listJokes(listing)).jokes) drawn.set(id, (drawn.get(id) ?? 0) + 1)
  }
  mockRestore()
  expect(Math.min(...drawn.values())).toBeGreaterThanOrEqual(25)
  expect(Math.max(...drawn.values())).toBeLessThanOrEqual(100)
  await service.stop()
})

/** A generator of repeatable pseudo-random numbers from 0 to 1 (mulberry32). */
function sequence(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let bits = Math.imul(state ^ (state >>> 15), 1 | state)
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
}
