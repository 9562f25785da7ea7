/** Items that were edited by hand, or are of another version. */
import { afterAll, beforeEach, expect, it, vi } from 'vitest'
import { parseListing } from '../../shared/listing.ts'
import { listJokes, thumbsUpJoke } from '../../shared/store/jokes.ts'
import { readItem } from '../../shared/store/reads.ts'
import { put, toItem } from '../support/access.ts'
import { numberedJoke } from '../support/numberedJoke.ts'
import { idsOf, startService } from '../support/service.ts'

const service = await startService()
const { store } = service
const proper = await service.addTexts('A proper chicken')
afterAll(service.stop)
const log = vi.spyOn(console, 'error')
beforeEach(() => void log.mockReset().mockReturnValue())
afterAll(() => void vi.restoreAllMocks())

const joke = numberedJoke(0)
const { id } = joke

it.each<[title: string, edit: object, faults: object[]]>([
  ['a number as its setup', { joke: 7 }, [{ joke: [expect.any(String)] }]],
  ['an invalid date', { dateAdded: '2026-11-26T10:00:00+05' }, [{ dateAdded: [expect.any(String)] }]],
  ['an unknown state', { jokeState: 'Listed' }, []],
])('listings skip a joke with %s, and log its faults once', async (_, edit, faults) => {
  await put(store, { ...toItem(store, joke), ...edit })
  for (const query of [{}, { searchString: 'chicken' }, { sortBy: 'random' }])
    expect(idsOf(await service.jokes(query))).toEqual(proper)
  expect(log.mock.calls).toEqual(faults.map((faults) => [{ skippedItem: id, faults }]))
  expect(await service.jokes({ id })).toEqual([])
})

it('a joke with category and field of a newer version works in all operations', async () => {
  const newer = { ...numberedJoke(50), category: 'Tech' }
  const item = { ...toItem(store, newer), flavour: 'salty' }
  await put(store, item)
  for (const query of [{ id: newer.id }, { searchString: 'road 50' }])
    expect((await listJokes(store, parseListing(query))).jokes).toEqual([newer])
  const upvoted = { ...newer, thumbsUp: newer.thumbsUp + 1 }
  expect(await thumbsUpJoke(store, newer.id)).toEqual(upvoted)
  const written = { rev: item.rev + 1, changedAt: expect.any(String) }
  expect(await readItem(store, newer.id)).toEqual({ ...item, ...upvoted, ...written })
  expect(log).not.toHaveBeenCalled()
})

it('an upvote of a joke without a setup returns the 404 of an unknown joke', async () => {
  await put(store, { ...toItem(store, joke), joke: 7 })
  expect(await service.thumbUp(id)).toMatchObject({ status: 404, body: { code: 'unknown-joke' } })
  expect(log.mock.calls).toEqual([[{ skippedItem: id, faults: { joke: [expect.any(String)] } }]])
})
