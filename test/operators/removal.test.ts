/** Waiting, removed and erased jokes, as clients see them. */
import * as v from 'valibot'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { UnknownJoke } from '../../shared/errors.ts'
import { identify, Joke } from '../../shared/joke.ts'
import { SORT_FIELDS } from '../../shared/listing.ts'
import { changeState, findRecord, TRANSITIONS } from '../../shared/store/operators/removal.ts'
import { sweep } from '../../shared/store/operators/tableScans.ts'
import { emptyTables, itemsOf, put, toStored, writeOrphans } from '../support/access.ts'
import { startService } from '../support/service.ts'

const service = await startService()
const { store } = service
afterAll(service.stop)

const text = { joke: 'An offensive joke', punchline: 'about ornithologists', category: 'Classic' }
const ORDERS = [...SORT_FIELDS, 'random'].map((sortBy) => ({ sortBy }))
const LISTINGS = [...ORDERS, { category: 'Classic' }, { searchString: 'ornithologists' }]
const OLD = '2026-01-01T00:00:00.000Z'

let joke: Joke
beforeEach(async () => {
  store.approval = false
  await emptyTables(store)
  await service.add(text, { ...text, joke: 'A harmless joke' })
  joke = v.parse(Joke, (await service.thumbUp(identify(text))).body)
})

/** Returns the listings that show a joke, and the answers to adding and upvoting it. */
async function traces({ id, joke, punchline }: Joke) {
  const again = await service.create({ joke, punchline, category: 'School' })
  const shownBy: object[] = []
  for (const query of [...LISTINGS, { id }]) {
    const shown = (await service.pages(query)).flat().map((each) => each.joke)
    if (shown.includes(joke)) shownBy.push(query)
    expect(shown.includes('A harmless joke')).toBe(!('id' in query))
  }
  return { shownBy, upvote: (await service.thumbUp(id)).status, again: again.body }
}

const listed = ({ id }: Joke) => ({ shownBy: [...LISTINGS, { id }], upvote: 200, again: { status: 409, id } })

const REMOVED = {
  shownBy: [],
  upvote: 404,
  again: {
    type: 'about:blank',
    title: 'Conflict',
    status: 409,
    code: 'removed',
    detail: 'This joke was removed by the operators of the service, so it cannot be added again.',
  },
}

it('a waiting joke appears in no listing until it is approved', async () => {
  store.approval = true
  const [waiting = joke] = await service.add({ ...text, joke: 'A patient joke' })
  const { id } = waiting
  const detail = 'This joke was added before, and waits for approval by the operators of the service.'
  expect(await traces(waiting)).toEqual({ ...REMOVED, again: { ...REMOVED.again, code: 'waiting', detail } })
  expect(JSON.stringify(await itemsOf(store, store.wordsTable))).not.toContain(id)
  await changeState(store, id, TRANSITIONS.approve)
  expect(await service.jokes({ id })).toEqual([waiting])
  expect(await traces(waiting)).toMatchObject(listed(waiting))
})

it('a removed joke appears in no listing until its removal is undone', async () => {
  await changeState(store, joke.id, TRANSITIONS.remove)
  expect(await traces(joke)).toEqual(REMOVED)
  expect(await findRecord(store, joke.id)).toMatchObject({ state: 'removed', joke })
  await changeState(store, joke.id, TRANSITIONS.undo)
  await expect(changeState(store, joke.id, TRANSITIONS.erase)).rejects.toThrow(UnknownJoke)
  expect(await service.jokes({ id: joke.id })).toEqual([joke])
  expect(await traces(joke)).toMatchObject(listed(joke))
})

it('an erased joke leaves only its id, which blocks adding it again', async () => {
  // The loser of two simultaneous requests leaves entries with another date and category.
  await writeOrphans(store, { ...joke, category: 'School', dateAdded: OLD })
  // Somebody has added attributes by hand.
  await put(store, store.jokesTable, { ...toStored(joke).item, 'review-note': 'No.', read_state: 'yes' })
  await changeState(store, joke.id, TRANSITIONS.remove)
  await changeState(store, joke.id, TRANSITIONS.erase)
  for await (const _ of sweep(store, new Set([joke.id])));
  expect(await traces(joke)).toEqual(REMOVED)
  const items = [...(await itemsOf(store, store.jokesTable)), ...(await itemsOf(store, store.wordsTable))]
  const left = items.filter((item) => JSON.stringify(item).includes(joke.id))
  const [removedAt, erasedAt] = Array(2).fill(expect.any(String))
  expect(left).toEqual([{ id: joke.id, state: 'erased', removedAt, erasedAt }])
  expect(await findRecord(store, joke.id)).toEqual({ id: joke.id, state: 'erased' })
  await expect(changeState(store, joke.id, TRANSITIONS.undo)).rejects.toThrow(UnknownJoke)
  for (const id of [joke.id, 'A'.repeat(22)])
    await expect(changeState(store, id, TRANSITIONS.remove)).rejects.toThrow(UnknownJoke)
})

it('a search ignores entries of an equal text with other words', async () => {
  const equal = { ...joke, joke: 'An off-ensive joke', dateAdded: OLD }
  await put(store, store.jokesTable, toStored({ ...joke, dateAdded: OLD }).item)
  for (const each of [{ ...joke, dateAdded: OLD }, equal]) await writeOrphans(store, each)
  expect(await service.jokes({ searchString: 'ensive' })).toEqual([])
  expect(await service.jokes({ searchString: 'offensive' })).toHaveLength(1)
})
