/** Items that were edited by hand, or are of another version. */
import { afterAll, beforeEach, expect, it, vi } from 'vitest'
import { identify } from '../../shared/joke.ts'
import { parseListing } from '../../shared/listing.ts'
import { listJokes, thumbsUpJoke } from '../../shared/store/jokes.ts'
import { readItem } from '../../shared/store/reads.ts'
import { put, toItem } from '../support/access.ts'
import { numberedJoke } from '../support/numberedJoke.ts'
import { idsOf, startService } from '../support/service.ts'

const service = await startService()
const { store } = service
const proper = (await service.addTexts('A proper damsel', 'Another damsel', 'A third damsel')).toSorted()
afterAll(service.stop)
const log = vi.spyOn(console, 'error')
beforeEach(() => void log.mockReset().mockReturnValue())
afterAll(() => void vi.restoreAllMocks())

const text = { joke: 'A damaged damsel', punchline: '' }
const id = identify(text)
const joke = { ...numberedJoke(0), ...text, id }

let time = Date.now()

/** The item of the joke as the next version. */
function nextItem() {
  time = Math.max(time + 1, Date.now())
  return toItem({ now: () => time }, joke)
}

it.each([
  ['no setup', ({ joke: _, ...item }: ReturnType<typeof nextItem>) => item],
  ['an invalid date', (item: object) => ({ ...item, dateAdded: '2026-11-26T10:00:00+05' })],
  ['a number as its punchline', (item: object) => ({ ...item, punchline: 7 })],
  ['an unknown state', (item: object) => ({ ...item, jokeState: 'Listed' })],
])('listings skip a joke with %s', async (_, edit) => {
  await put(store, edit(nextItem()))
  const inClassic = { sortBy: 'thumbsDown', category: 'Classic' }
  for (const query of [{}, { sortBy: 'thumbsUp' }, inClassic, { searchString: 'damsel' }, { sortBy: 'random' }])
    expect([query, idsOf(await service.jokes(query))]).toEqual([query, proper])
  expect(await service.jokes({ id })).toEqual([])
})

it('a joke that is skipped is logged once for each version', async () => {
  await put(store, { ...nextItem(), joke: 7 })
  for (let listing = 0; listing < 3; listing++) await service.jokes()
  expect(log.mock.calls).toEqual([[{ skippedItem: id, faults: { joke: [expect.any(String)] } }]])
})

it('an edit by hand shows with a higher revision and time', async () => {
  const category = 'KnockKnock'
  await put(store, { ...nextItem(), category })
  expect(await service.jokes({ category })).toMatchObject([{ joke: joke.joke }])
  await put(store, { ...nextItem(), category, joke: 'Edited as documented' })
  expect(await service.jokes({ category })).toMatchObject([{ joke: 'Edited as documented' }])
})

it('a joke with category and field of a newer version works in all operations', async () => {
  const newer = { ...numberedJoke(50), category: 'Tech' }
  const item = { ...toItem(store, newer), flavour: 'salty' }
  await put(store, item)
  for (const query of [{ id: newer.id }, { searchString: 'road 50' }, { searchString: 'road 50', sortBy: 'random' }])
    expect((await listJokes(store, parseListing(query))).jokes).toEqual([newer])
  const upvoted = { ...newer, thumbsUp: newer.thumbsUp + 1 }
  expect(await thumbsUpJoke(store, newer.id)).toEqual(upvoted)
  const written = { rev: item.rev + 1, changedAt: expect.any(String) }
  expect(await readItem(store, newer.id)).toEqual({ ...item, ...upvoted, ...written })
  expect(log).not.toHaveBeenCalled()
})
