/** Damaged items: requests skip and log them, and do not fail. */
import { NumberValue } from '@aws-sdk/lib-dynamodb'
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest'
import { identify, type Joke } from '../../shared/joke.ts'
import { itemsOf, load, put, toStored, writeOrphans } from '../support/access.ts'
import { numberedJoke } from '../support/numberedJoke.ts'
import { startService } from '../support/service.ts'

const service = await startService()
const { store } = service
await service.add(...[1, 2, 3].map((number) => ({ joke: `A proper damsel ${number}`, category: 'Classic' })))
afterAll(service.stop)
beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => {
  vi.restoreAllMocks()
})

const text = { joke: 'A damaged damsel', punchline: '' }
const id = identify(text)

it.each([
  ['no lead-in', { joke: undefined }],
  ['an invalid date', { dateAdded: 'yesterday' }],
  ['a date without milliseconds', { dateAdded: '2026-01-01T00:00:00Z' }],
  ['half an upvote', { thumbsUp: 0.5 }],
  ['a count that JavaScript rounds', { thumbsUp: NumberValue.from('9007199254740993.5') }],
  ['a number as its punchline', { punchline: 7 }],
])('a joke with %s is skipped', async (_, damage) => {
  const joke = { ...numberedJoke(0), ...text, id }
  const { item } = toStored(joke)
  const damaged = Object.fromEntries(Object.entries({ ...item, ...damage }).filter(([, value]) => value !== undefined))
  await writeOrphans(store, joke)
  await put(store, store.jokesTable, damaged)
  const queries: Record<string, string>[] = [
    {},
    { sortBy: 'thumbsUp' },
    { sortBy: 'thumbsDown', category: 'Classic' },
    { searchString: 'damsel' },
    { searchString: 'd' },
    { sortBy: 'random' },
    { id },
  ]
  for (const query of queries) {
    const jokes = await service.jokes(query)
    expect([query, jokes.length]).toEqual([query, 'id' in query ? 0 : 3])
    expect(jokes.map((joke) => joke.id)).not.toContain(id)
  }
  expect(console.error).toHaveBeenCalledWith({ skippedItem: id, faults: expect.arrayContaining([expect.any(String)]) })
})

it.each([
  ['dateAdded', '2026-01-01'],
  ['thumbsUp', 0.5],
])('the page after a joke with a damaged %s can be read', async (sortBy, value) => {
  const { item } = toStored({ ...numberedJoke(0), ...text, id, category: 'KnockKnock' })
  await put(store, store.jokesTable, { ...item, [sortBy]: value })
  // The damaged joke sorts between these two.
  const early = knockKnock(1, '2025', 0)
  const late = knockKnock(2, '2027', 1)
  await load(store, [early, late])
  const pages = await service.pages({ sortBy, sortOrder: 'asc', category: 'KnockKnock', numberofJokes: '1' })
  expect(pages).toEqual([[early], [late]])
})

it.each(['-1e30', '1e-120'])('jokes by upvotes can be read page by page around a count of %s', async (count) => {
  const { item } = toStored({ ...numberedJoke(0), ...text, id, category: 'KnockKnock' })
  const damaged = { ...item, thumbsUp: NumberValue.from(count) }
  await put(store, store.jokesTable, damaged)
  await load(store, [knockKnock(1, '2025', 0), knockKnock(2, '2027', 1)])
  const listed = await service.jokes({ sortBy: 'thumbsUp' })
  const pages = await service.pages({ sortBy: 'thumbsUp', numberofJokes: '1' })
  expect(pages.flat()).toEqual(listed)
})

function knockKnock(number: number, year: string, thumbsUp: number): Joke {
  return { ...numberedJoke(number), category: 'KnockKnock', dateAdded: `${year}-01-01T00:00:00.000Z`, thumbsUp }
}

it.each([
  ['a joke without its lead-in', { joke: undefined }, 404],
  ['a joke with a number as its lead-in', { joke: 7 }, 404],
  ['a joke with an invalid date', { dateAdded: 'yesterday' }, 200],
  ['a joke with a number as its punchline', { punchline: 7 }, 200],
])('an upvote of %s is counted only if the answer says so', async (_, damage, expected) => {
  const { item } = toStored({ ...numberedJoke(0), ...text, id })
  const damaged = Object.fromEntries(Object.entries({ ...item, ...damage }).filter(([, value]) => value !== undefined))
  await put(store, store.jokesTable, damaged)
  // The answer shows the damage, which openapi.json does not describe.
  const { status } = await fetch(`${service.url}/thumbsUp/${id}`, { method: 'POST' })
  expect(status).toBe(expected)
  const stored = (await itemsOf(store, store.jokesTable)).find((other) => other.id === id)
  expect(stored).toEqual(status === 200 ? { ...damaged, thumbsUp: 1 } : damaged)
})

it('a joke without a counter is not upvoted', async () => {
  await put(store, store.jokesTable, { id, shelf: 'Classic' })
  expect((await service.thumbUp(id)).status).toBe(404)
  expect(await service.jokes({ id })).toEqual([])
  expect(await itemsOf(store, store.jokesTable)).toContainEqual({ id, shelf: 'Classic' })
})

it('word rows of another date or category than their joke are skipped', async () => {
  const [joke] = await service.add({ joke: 'A gargoyle', category: 'Classic' })
  if (!joke) throw new Error('No joke was added.')
  await writeOrphans(store, { ...joke, category: 'School' }, { ...joke, dateAdded: '2026-01-01T00:00:00.000Z' })
  expect(await service.jokes({ searchString: 'gargoyle' })).toEqual([joke])
  expect(await service.jokes({ searchString: 'gargoyle', sortBy: 'thumbsUp' })).toEqual([joke])
  expect(await service.jokes({ searchString: 'gargoyle', category: 'School' })).toEqual([])
})

it('word rows without a joke are skipped', async () => {
  const entries = ['000000000#AAAAAAAAAAAAAAAAAAAAAA#Classic#orphan', '#', 'zzzzzzzzzzzz#x#y', 'orphanage']
  await put(store, store.wordsTable, ...entries.map((entry) => ({ prefix: 'orphan', entry })))
  const [joke] = await service.add({ joke: 'An orphan row', category: 'Classic' })
  expect(await service.jokes({ searchString: 'orphan' })).toEqual([joke])
})
