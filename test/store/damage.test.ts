/** Items that are damaged, edited by hand, or of another version. Requests never fail because of them. */
import { NumberValue } from '@aws-sdk/lib-dynamodb'
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest'
import { identify } from '../../shared/joke.ts'
import { parseListing } from '../../shared/listing.ts'
import type { Item } from '../../shared/store/item.ts'
import { listJokes, thumbsUpJoke } from '../../shared/store/jokes.ts'
import { readItem } from '../../shared/store/reads.ts'
import { put, toItem } from '../support/access.ts'
import { numberedJoke } from '../support/numberedJoke.ts'
import { idsOf, startService } from '../support/service.ts'

const service = await startService()
const { store } = service
const proper = (await service.addTexts('A proper damsel', 'Another damsel', 'A third damsel')).toSorted()
afterAll(service.stop)
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}))
afterEach(() => void vi.restoreAllMocks())

const text = { joke: 'A damaged damsel', punchline: '' }
const id = identify(text)
const joke = { ...numberedJoke(0), ...text, id }

let time = Date.now()

/** The item of the joke as the next version, with other attributes. An `undefined` value removes an attribute. */
function editedBy(changes: object): Item {
  time = Math.max(time + 1, Date.now())
  const item = toItem({ ...store, now: () => time }, joke)
  const attributes = Object.entries({ ...item, ...changes })
  return Object.fromEntries(attributes.filter(([, value]) => value !== undefined))
}

it.each([
  ['no setup', { joke: undefined }],
  ['an invalid date', { dateAdded: 'yesterday' }],
  ['a count that JavaScript rounds', { thumbsUp: NumberValue.from('9007199254740993.5') }],
  ['a number as its punchline', { punchline: 7 }],
  ['an unknown feed', { feed: 'Listed' }],
  ['no feed', { feed: undefined }],
  ['no revision', { rev: undefined }],
  ['a text as its number of edits', { edits: 'x' }],
])('listings skip a joke with %s', async (_, changes) => {
  await put(store, editedBy(changes))
  // Another container loads the joke, and this one had no earlier version of it.
  const inClassic = { sortBy: 'thumbsDown', category: 'Classic' }
  for (const query of [{}, { sortBy: 'thumbsUp' }, inClassic, { searchString: 'damsel' }, { sortBy: 'random' }])
    expect([query, idsOf(await service.jokes(query))]).toEqual([query, proper])
  expect(await service.jokes({ id })).toEqual([])
})

it('a damaged joke is logged once for each version', async () => {
  await put(store, editedBy({ joke: undefined }))
  for (let listing = 0; listing < 3; listing++) await service.jokes()
  const faults = expect.arrayContaining([expect.any(String)])
  expect(vi.mocked(console.error).mock.calls).toEqual([[{ skippedItem: id, faults }]])
})

it('an edit by hand shows with a higher revision and time', async () => {
  const category = 'KnockKnock'
  const item = editedBy({ category })
  await put(store, item)
  expect(await service.jokes({ category })).toMatchObject([{ joke: joke.joke }])
  await put(store, { ...item, joke: 'Edited without a revision' })
  expect(await service.jokes({ category })).toMatchObject([{ joke: joke.joke }])
  await put(store, { ...editedBy({ category }), joke: 'Edited as documented' })
  expect(await service.jokes({ category })).toMatchObject([{ joke: 'Edited as documented' }])
})

it.each([
  ['a joke without its setup', { joke: undefined }, 404],
  ['a joke without a counter of upvotes', { thumbsUp: undefined }, 404],
  ['a joke with a text as its revision', { rev: 'x' }, 404],
  ['a joke in an unknown feed', { feed: 'gone' }, 404],
  ['a joke without a revision', { rev: undefined }, 404],
  ['a joke with an invalid date', { dateAdded: 'yesterday' }, 200],
])('an upvote of %s is counted only if the response is 200', async (_, damage, expected) => {
  const damaged = editedBy(damage)
  await put(store, damaged)
  // `service.thumbUp` would throw, because openapi.json does not describe damaged jokes.
  const { status } = await fetch(`${service.url}/thumbsUp/${id}`, { method: 'POST' })
  expect(status).toBe(expected)
  const counted = { ...damaged, thumbsUp: 1, rev: Number(damaged.rev) + 1, changedAt: expect.any(String) }
  expect(await readItem(store, id)).toEqual(status === 200 ? counted : damaged)
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
  expect(console.error).not.toHaveBeenCalledWith(expect.objectContaining({ skippedItem: newer.id }))
})
