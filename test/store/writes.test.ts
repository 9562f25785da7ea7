/** The promises of each write of a joke to readers of the feeds. */
import { expect, it, vi } from 'vitest'
import { ProblemError } from '../../shared/errors.ts'
import { parseListing } from '../../shared/listing.ts'
import type { Item } from '../../shared/store/item.ts'
import { createJoke, listJokes, thumbsUpJoke } from '../../shared/store/jokes.ts'
import { readItem } from '../../shared/store/reads.ts'
import type { Store } from '../../shared/store/store.ts'
import { itemsOf } from '../support/access.ts'
import { createStore } from '../support/service.ts'

const JOKE = { joke: 'Why did the chicken cross the road?', punchline: 'To be listed.', category: 'Classic' } as const
const YEAR = Date.UTC(2027, 0, 1)

/** A store whose clock is set by the test. */
async function storeAt(time: number, approval = false): Promise<Store> {
  return { ...(await createStore()), approval, now: () => time }
}

async function itemOf(store: Store, id: string): Promise<Item> {
  const item = await readItem(store, id)
  if (!item) throw new Error('There is no item.')
  return item
}

it('an upvote raises the revision by 1, and sets the time of the change', async () => {
  const store = await storeAt(YEAR)
  const { id } = await createJoke(store, JOKE)
  const before = await itemOf(store, id)
  await thumbsUpJoke({ ...store, now: () => YEAR + 5_000 }, id)
  const changedAt = new Date(YEAR + 5_000).toISOString()
  expect(await itemOf(store, id)).toEqual({ ...before, thumbsUp: 1, changedAt, rev: Number(before.rev) + 1 })
})

it.each([
  [false, { feed: 'listed' }],
  [true, { feed: 'waiting' }],
])('a new joke is listed, or waits, with approval: %s', async (approval, expected) => {
  const store = await storeAt(YEAR, approval)
  const { id } = await createJoke(store, JOKE)
  const changedAt = new Date(YEAR).toISOString()
  expect(await itemOf(store, id)).toMatchObject({ ...expected, changedAt, rev: YEAR })
})

it('a new joke outranks each revision of an earlier item with its id', async () => {
  const store = await storeAt(YEAR)
  const { id } = await createJoke(store, JOKE)
  for (let vote = 0; vote < 3; vote++) await thumbsUpJoke(store, id)
  const { rev } = await itemOf(store, id)
  const later = await storeAt(YEAR + 1_000)
  await createJoke(later, JOKE)
  expect((await itemOf(later, id)).rev).toBeGreaterThan(Number(rev))
})

it('an upvote of an unknown id stores nothing', async () => {
  const store = await storeAt(YEAR)
  await expect(thumbsUpJoke(store, 'A'.repeat(22))).rejects.toThrow(new ProblemError('unknown-joke'))
  expect(await itemsOf(store)).toEqual([])
})

it('the next listing of the same process shows a new joke and its upvote', async () => {
  // Time stands still, so the jokes in memory stay fresh until a write outdates them.
  using _now = vi.spyOn(Date, 'now').mockReturnValue(Date.now())
  const store = await createStore()
  const list = async () => (await listJokes(store, parseListing({}))).jokes.map(({ thumbsUp }) => thumbsUp)
  expect(await list()).toEqual([])
  const { id } = await createJoke(store, JOKE)
  expect(await list()).toEqual([0])
  await thumbsUpJoke(store, id)
  expect(await list()).toEqual([1])
})
