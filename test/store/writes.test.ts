/** How soon listings show the writes of jokes. */
import { expect, inject, it, vi } from 'vitest'
import { configOf } from '../../infra/local/localDatabase.ts'
import { parseListing } from '../../shared/listing.ts'
import { createJoke, listJokes, thumbsUpJoke } from '../../shared/store/jokes.ts'
import { openStore, type Store } from '../../shared/store/store.ts'
import { act } from '../../tools/changes.ts'
import { createStore } from '../support/service.ts'

const JOKE = { joke: 'Why did the chicken cross the road?', punchline: 'To be listed.', category: 'Classic' } as const

/** The upvotes of each joke that a store lists. */
async function votesIn(store: Store): Promise<number[]> {
  return (await listJokes(store, parseListing({}))).jokes.map(({ thumbsUp }) => thumbsUp)
}

it('another process lists a new joke, and an upvote and the removal of an old one, within two seconds', async () => {
  const store = await createStore()
  const other = openStore(store, configOf(inject('endpoint')))
  const expectSoon = (...expected: number[]) => expect.poll(() => votesIn(other), { timeout: 2_000 }).toEqual(expected)
  const { id } = await createJoke({ ...store, now: () => Date.now() - 3_600_000 }, JOKE)
  expect(await votesIn(other)).toEqual([0])
  await thumbsUpJoke(store, id)
  await expectSoon(1)
  await createJoke(store, { ...JOKE, joke: 'A new one' })
  await expectSoon(0, 1)
  await act(store, id, 'remove')
  await expectSoon(0)
})

it('the next listing of the same process shows a new joke and its upvote', async () => {
  // Time stands still, so the jokes in memory stay fresh until a write outdates them.
  using _now = vi.spyOn(Date, 'now').mockReturnValue(Date.now())
  const store = await createStore()
  expect(await votesIn(store)).toEqual([])
  const { id } = await createJoke(store, JOKE)
  expect(await votesIn(store)).toEqual([0])
  await thumbsUpJoke(store, id)
  expect(await votesIn(store)).toEqual([1])
})
