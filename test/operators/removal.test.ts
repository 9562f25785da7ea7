/** Jokes that operators remove or erase. */
import * as v from 'valibot'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { UnknownJoke } from '../../shared/errors.ts'
import { identify, Joke } from '../../shared/joke.ts'
import { eraseJoke, findRecord, removeJoke, undoRemoval } from '../../shared/store/removal.ts'
import { emptyTables, itemsOf, put, toStored, writeOrphans } from '../support/access.ts'
import { startService } from '../support/service.ts'

const service = await startService()
const { store } = service
afterAll(service.stop)

const text = { joke: 'An offensive joke', punchline: 'about ornithologists', category: 'Classic' }
const ORDERS = ['dateAdded', 'thumbsUp', 'thumbsDown', 'random'].map((sortBy) => ({ sortBy }))
const LISTINGS = [...ORDERS, { category: 'Classic' }, { searchString: 'ornithologists' }]
const OLD = '2026-01-01T00:00:00.000Z'

let joke: Joke
beforeEach(async () => {
  await emptyTables(store)
  await service.add(text, { ...text, joke: 'A harmless joke' })
  joke = v.parse(Joke, (await service.thumbUp(identify(text))).body)
})

/** The listings that show the joke, and the answers to adding and upvoting it. */
async function traces() {
  const again = await service.create({ ...text, category: 'School' })
  const shownBy: object[] = []
  for (const query of [...LISTINGS, { id: joke.id }]) {
    const shown = (await service.pages(query)).flat().map((each) => each.joke)
    if (shown.includes(joke.joke)) shownBy.push(query)
    expect(shown.includes('A harmless joke')).toBe(!('id' in query))
  }
  return { shownBy, upvote: (await service.thumbUp(joke.id)).status, again: again.body }
}

const REMOVED = {
  shownBy: [],
  upvote: 404,
  again: {
    type: 'about:blank',
    title: 'Conflict',
    status: 409,
    detail: 'This joke was removed by the operators of the service, so it cannot be added again.',
  },
}

it('a removed joke appears in no listing, until its removal is undone: then it has its votes, and cannot be erased', async () => {
  await removeJoke(store, joke.id)
  expect(await traces()).toEqual(REMOVED)
  expect(await findRecord(store, joke.id)).toMatchObject({ state: 'removed', joke })
  await undoRemoval(store, joke.id)
  await expect(eraseJoke(store, joke.id)).rejects.toThrow(UnknownJoke)
  expect(await service.jokes({ id: joke.id })).toEqual([joke])
  const shownBy = [...LISTINGS, { id: joke.id }]
  expect(await traces()).toMatchObject({ shownBy, upvote: 200, again: { status: 409, id: joke.id } })
})

it('an erased joke leaves only its id, so that it cannot be added again, restored or removed', async () => {
  // The loser of two simultaneous requests leaves rows with another date and category.
  await writeOrphans(store, { ...joke, category: 'School', dateAdded: OLD })
  await removeJoke(store, joke.id)
  await eraseJoke(store, joke.id)
  expect(await traces()).toEqual(REMOVED)
  const items = [...(await itemsOf(store, store.jokesTable)), ...(await itemsOf(store, store.wordsTable))]
  const left = items.filter((item) => JSON.stringify(item).includes(joke.id))
  expect(left).toEqual([{ id: joke.id, removedAt: expect.any(String), erasedAt: expect.any(String) }])
  expect(await findRecord(store, joke.id)).toEqual({ id: joke.id, state: 'erased' })
  await expect(undoRemoval(store, joke.id)).rejects.toThrow(UnknownJoke)
  await expect(removeJoke(store, joke.id)).rejects.toThrow(UnknownJoke)
})

it('a removed joke leaves no rows of words that its item does not hold, or of another spelling', async () => {
  await emptyTables(store)
  const manyWords = Array.from({ length: 200 }, (_, index) => `ж${index}`).join(' ')
  const [many, stop] = await service.add(...[manyWords, 'Stop ‼'].map((joke) => ({ joke, category: 'Classic' })))
  if (!many || !stop) throw new Error('No joke was added.')
  expect(identify({ joke: 'Stop ‼️', punchline: '' })).toBe(stop.id)
  await writeOrphans(store, { ...stop, joke: 'Stop ‼️', dateAdded: OLD })
  for (const { id } of [many, stop]) await removeJoke(store, id)
  expect(await itemsOf(store, store.wordsTable)).toEqual([])
})

it('the record of a joke contains the id of the request that added it, if it is stored', async () => {
  const { id } = joke
  const { item } = toStored(joke)
  await put(store, store.jokesTable, { ...item, createdBy: 'request#1' })
  expect(await findRecord(store, id)).toEqual({ id, joke, state: 'listed', requestId: 'request' })
  await put(store, store.jokesTable, { ...item, createdBy: undefined })
  expect(await findRecord(store, id)).toEqual({ id, joke, state: 'listed' })
})

it.each([removeJoke, undoRemoval, eraseJoke])('$name rejects an unknown id', async (act) => {
  await expect(act(store, 'A'.repeat(22))).rejects.toThrow(UnknownJoke)
  expect(await findRecord(store, 'A'.repeat(22))).toBeUndefined()
})
