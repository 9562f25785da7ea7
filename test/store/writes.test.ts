/** The promises of each write of a joke to readers of the changes. */
import { expect, inject, it, vi } from 'vitest'
import { configOf } from '../../infra/local/localDatabase.ts'
import { parseListing } from '../../shared/listing.ts'
import { createJoke, listJokes, thumbsUpJoke } from '../../shared/store/jokes.ts'
import { readItem } from '../../shared/store/reads.ts'
import { openStore } from '../../shared/store/store.ts'
import { act } from '../../tools/changes.ts'
import { createStore } from '../support/service.ts'

const JOKE = { joke: 'Why did the chicken cross the road?', punchline: 'To be listed.', category: 'Classic' } as const

it('a new joke has the revision of its time, which outranks earlier items, and an upvote has the next one', async () => {
  const time = Date.UTC(2027, 0, 1)
  const store = { ...(await createStore()), now: () => time }
  const { id } = await createJoke(store, JOKE)
  const added = await readItem(store, id)
  expect(added).toMatchObject({ changedAt: new Date(time).toISOString(), rev: time })
  await thumbsUpJoke({ ...store, now: () => time + 5_000 }, id)
  const changedAt = new Date(time + 5_000).toISOString()
  expect(await readItem(store, id)).toEqual({ ...added, thumbsUp: 1, changedAt, rev: time + 1 })
})

it('another process lists a new joke, its upvote and its removal within two seconds', async () => {
  const store = await createStore()
  const other = openStore(store, configOf(inject('endpoint')))
  const list = async () => (await listJokes(other, parseListing({}))).jokes.map(({ thumbsUp }) => thumbsUp)
  const expectSoon = (...expected: number[]) => expect.poll(list, { timeout: 2_000 }).toEqual(expected)
  expect(await list()).toEqual([])
  const { id } = await createJoke(store, JOKE)
  await expectSoon(0)
  await thumbsUpJoke(store, id)
  await expectSoon(1)
  await act(store, id, 'remove')
  await expectSoon()
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
