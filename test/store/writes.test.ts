/** How soon listings show the writes of jokes. */
import { expect, it, vi } from 'vitest'
import { parseListing } from '../../shared/listing.ts'
import { createJoke, listJokes, thumbsUpJoke } from '../../shared/store/jokes.ts'
import type { Store } from '../../shared/store/store.ts'
import { act } from '../../tools/changes.ts'
import { createStore, openAgain, waitForRefreshes } from '../support/service.ts'

const JOKE = { joke: 'Why did the chicken cross the road?', punchline: 'To be listed.', category: 'Classic' } as const

waitForRefreshes()

/** The upvotes of each joke that a store lists. */
async function votesIn(store: Store): Promise<number[]> {
  return (await listJokes(store, parseListing({}))).jokes.map(({ thumbsUp }) => thumbsUp)
}

it.each<[written: string, write: (store: Store, id: string) => Promise<unknown>, votes: number[]]>([
  ['a new joke', (store) => createJoke(store, { ...JOKE, joke: 'A new one' }), [0, 0]],
  ['an upvote', thumbsUpJoke, [1]],
  ['a removal', (store, id) => act(store, id, 'remove'), []],
])('another process soon lists %s', async (_, write, votes) => {
  const store = await createStore()
  const other = openAgain(store)
  // Only a write that sets the time of the change brings an old joke among the changes.
  const { id } = await createJoke({ ...store, now: () => Date.now() - 3_600_000 }, JOKE)
  expect(await votesIn(other)).toEqual([0])
  await write(store, id)
  await expect.poll(() => votesIn(other)).toEqual(votes)
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
