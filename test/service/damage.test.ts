/** Damaged items: requests skip and log them, and do not fail. */
import { GetCommand, NumberValue, PutCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest'
import { identify, type Joke } from '../../shared/joke.ts'
import { internals, load } from '../support/access.ts'
import { numberedJoke } from '../support/numberedJoke.ts'
import { startService } from '../support/service.ts'

const service = await startService()
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
  ['an unknown category', { category: 'Politics' }],
  ['no lead-in', { joke: undefined }],
  ['an invalid date', { dateAdded: 'yesterday' }],
  ['a date without milliseconds', { dateAdded: '2026-01-01T00:00:00Z' }],
  ['half an upvote', { thumbsUp: 0.5 }],
  ['a count that JavaScript rounds', { thumbsUp: NumberValue.from('9007199254740993.5') }],
  ['a number as its punchline', { punchline: 7 }],
])('a joke with %s is skipped', async (_, damage) => {
  const { database, toStored, writeRows, JOKES_TABLE } = await internals()
  const { item, rows } = toStored({ ...numberedJoke(0), ...text, id })
  const damaged = Object.fromEntries(Object.entries({ ...item, ...damage }).filter(([, value]) => value !== undefined))
  await writeRows(rows)
  await database.send(new PutCommand({ TableName: JOKES_TABLE, Item: damaged }))
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
  expect((await service.thumbUp(id)).status).toBe(404)
  expect(console.error).toHaveBeenCalledWith({ skippedItem: id, faults: expect.arrayContaining([expect.any(String)]) })
})

it.each([
  ['dateAdded', '2026-01-01'],
  ['thumbsUp', 0.5],
])('the page after a joke with a damaged %s can be read', async (sortBy, value) => {
  const { database, toStored, JOKES_TABLE } = await internals()
  const { item } = toStored({ ...numberedJoke(0), ...text, id, category: 'KnockKnock' })
  await database.send(new PutCommand({ TableName: JOKES_TABLE, Item: { ...item, [sortBy]: value } }))
  // The damaged joke sorts between these two.
  const early = knockKnock(1, '2025', 0)
  const late = knockKnock(2, '2027', 1)
  await load([early, late])
  const pages = await service.pages({ sortBy, sortOrder: 'asc', category: 'KnockKnock', numberofJokes: '1' })
  expect(pages).toEqual([[early], [late]])
})

it.each(['-1e30', '1e-120'])('jokes by upvotes can be read page by page around a count of %s', async (count) => {
  const { database, toStored, JOKES_TABLE } = await internals()
  const { item } = toStored({ ...numberedJoke(0), ...text, id, category: 'KnockKnock' })
  const damaged = { ...item, thumbsUp: NumberValue.from(count) }
  await database.send(new PutCommand({ TableName: JOKES_TABLE, Item: damaged }))
  await load([knockKnock(1, '2025', 0), knockKnock(2, '2027', 1)])
  const listed = await service.jokes({ sortBy: 'thumbsUp' })
  const pages = await service.pages({ sortBy: 'thumbsUp', numberofJokes: '1' })
  expect(pages.flat()).toEqual(listed)
})

function knockKnock(number: number, year: string, thumbsUp: number): Joke {
  return { ...numberedJoke(number), category: 'KnockKnock', dateAdded: `${year}-01-01T00:00:00.000Z`, thumbsUp }
}

it('a joke without a counter is not upvoted', async () => {
  const { database, JOKES_TABLE } = await internals()
  await database.send(new PutCommand({ TableName: JOKES_TABLE, Item: { id, shelf: 'Classic' } }))
  expect((await service.thumbUp(id)).status).toBe(404)
  expect(await service.jokes({ id })).toEqual([])
  const { Item } = await database.send(new GetCommand({ TableName: JOKES_TABLE, Key: { id }, ConsistentRead: true }))
  expect(Item).toEqual({ id, shelf: 'Classic' })
})

it('word rows of another date or category than their joke are skipped', async () => {
  const { toStored, writeRows } = await internals()
  const [joke] = await service.add({ joke: 'A gargoyle', category: 'Classic' })
  if (!joke) throw new Error('No joke was added.')
  await writeRows(toStored({ ...joke, category: 'School' }).rows)
  await writeRows(toStored({ ...joke, dateAdded: '2026-01-01T00:00:00.000Z' }).rows)
  expect(await service.jokes({ searchString: 'gargoyle' })).toEqual([joke])
  expect(await service.jokes({ searchString: 'gargoyle', sortBy: 'thumbsUp' })).toEqual([joke])
  expect(await service.jokes({ searchString: 'gargoyle', category: 'School' })).toEqual([])
})

it('word rows without a joke are skipped', async () => {
  const { writeRows } = await internals()
  await writeRows([
    { prefix: 'or', entry: 'orphan#000000000#AAAAAAAAAAAAAAAAAAAAAA#Classic' },
    { prefix: 'or', entry: 'orphan#' },
    { prefix: 'or', entry: 'orphan#zzzzzzzzzzzz#x#y' },
    { prefix: 'or', entry: 'orphanage' },
  ])
  const [joke] = await service.add({ joke: 'An orphan row', category: 'Classic' })
  expect(await service.jokes({ searchString: 'orphan' })).toEqual([joke])
})
