/** Damaged items, which requests skip and log. */
import { NumberValue } from '@aws-sdk/lib-dynamodb'
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest'
import { identify, type Joke } from '../../shared/joke.ts'
import type { Item } from '../../shared/store/item.ts'
import { itemsOf, load, put, toStored, writeOrphans } from '../support/access.ts'
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

/** The item of the joke with other attributes. An `undefined` value removes an attribute. */
function damagedBy(damage: object): Item {
  const attributes = Object.entries({ ...toStored(joke).item, ...damage })
  return Object.fromEntries(attributes.filter(([, value]) => value !== undefined))
}

it.each([
  ['no setup', { joke: undefined }],
  ['an invalid date', { dateAdded: 'yesterday' }],
  ['a date without milliseconds', { dateAdded: '2026-01-01T00:00:00Z' }],
  ['half an upvote', { thumbsUp: 0.5 }],
  ['a count that JavaScript rounds', { thumbsUp: NumberValue.from('9007199254740993.5') }],
  ['a number as its punchline', { punchline: 7 }],
])('listings skip a joke with %s', async (_, damage) => {
  await writeOrphans(store, joke)
  await put(store, store.jokesTable, damagedBy(damage))
  const inClassic = { sortBy: 'thumbsDown', category: 'Classic' }
  for (const query of [{}, { sortBy: 'thumbsUp' }, inClassic, { searchString: 'damsel' }, { sortBy: 'random' }])
    expect([query, idsOf(await service.jokes(query))]).toEqual([query, proper])
  expect(await service.jokes({ id })).toEqual([])
  expect(console.error).toHaveBeenCalledWith({ skippedItem: id, faults: expect.arrayContaining([expect.any(String)]) })
})

it.each<[sortBy: string, value: unknown]>([
  ['dateAdded', '2026-01-01'],
  ['thumbsUp', 0.5],
  ['thumbsUp', NumberValue.from('-1e30')],
  ['thumbsUp', NumberValue.from('1e-120')],
])('paging continues after a joke with a damaged %s (%s)', async (sortBy, value) => {
  const category = 'KnockKnock'
  await put(store, store.jokesTable, damagedBy({ category, shelf: category, [sortBy]: value }))
  // Most of the damaged jokes sort between these two.
  const others = [2025, 2027].map((year, thumbsUp): Joke => {
    return { ...numberedJoke(year), category, dateAdded: `${year}-01-01T00:00:00.000Z`, thumbsUp }
  })
  await load(store, others)
  const pages = await service.pages({ sortBy, sortOrder: 'asc', category, numberofJokes: '1' })
  expect(pages.filter((page) => page.length > 0)).toEqual(others.map((joke) => [joke]))
  const all = await service.jokes({ sortBy })
  expect(idsOf((await service.pages({ sortBy, numberofJokes: '1' })).flat())).toEqual(idsOf(all))
})

it.each([
  ['a joke without its setup', { joke: undefined }, 404],
  ['a joke with a number as its setup', { joke: 7 }, 404],
  ['a joke without its category', { category: undefined }, 404],
  ['a joke without a counter of upvotes', { thumbsUp: undefined }, 404],
  ['a joke without a counter of downvotes', { thumbsDown: undefined }, 404],
  ['a joke without a date', { dateAdded: undefined }, 404],
  ['a joke with an invalid date', { dateAdded: 'yesterday' }, 200],
  ['a joke with a number as its punchline', { punchline: 7 }, 200],
])('an upvote of %s is counted only if the response is 200', async (_, damage, expected) => {
  const damaged = damagedBy(damage)
  await put(store, store.jokesTable, damaged)
  // `service.thumbUp` would throw, because openapi.json does not describe damaged jokes.
  const { status } = await fetch(`${service.url}/thumbsUp/${id}`, { method: 'POST' })
  expect(status).toBe(expected)
  const stored = (await itemsOf(store, store.jokesTable)).find((item) => item.id === id)
  expect(stored).toEqual(status === 200 ? { ...damaged, thumbsUp: 1 } : damaged)
})

it('searches skip index entries with another date or category than their joke', async () => {
  const [joke] = await service.add({ joke: 'A gargoyle', category: 'Classic' })
  if (!joke) throw new Error('No joke was added.')
  await writeOrphans(store, { ...joke, category: 'School' }, { ...joke, dateAdded: '2026-01-01T00:00:00.000Z' })
  expect(await service.jokes({ searchString: 'gargoyle' })).toEqual([joke])
  expect(await service.jokes({ searchString: 'gargoyle', sortBy: 'thumbsUp' })).toEqual([joke])
  expect(await service.jokes({ searchString: 'gargoyle', category: 'School' })).toEqual([])
})
