/**
 * Items of other versions of the service. A newer version, with one more category and field, runs in parallel during each
 * deploy, and leaves its items after a rollback.
 */
import { afterAll, afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { parseListing, SORT_FIELDS } from '../../shared/listing.ts'
import { listJokes, upvoteJoke } from '../../shared/store/jokes.ts'
import { changeState, TRANSITIONS } from '../../shared/store/operators/removal.ts'
import { reindex, sweep } from '../../shared/store/operators/tableScans.ts'
import { itemsOf, put, toStored } from '../support/access.ts'
import { numberedJoke, numberedJokes } from '../support/numberedJoke.ts'
import { idsOf, startService } from '../support/service.ts'

const service = await startService()
const { store } = service
const known = numberedJokes(12)
const newer = { ...numberedJoke(50), category: 'Tech' }
const { id } = newer

for (const joke of [...known, newer]) {
  const { item, rows } = toStored(joke)
  await put(store, store.wordsTable, ...rows)
  await put(store, store.jokesTable, { ...item, unknownToThisVersion: 'yes' })
}
const log = vi.spyOn(console, 'error')
// No item was skipped as damaged.
afterEach(() => expect(log).not.toHaveBeenCalled())
afterAll(async () => {
  log.mockRestore()
  await service.stop()
})

const list = async (query: Record<string, string>) => (await listJokes(store, parseListing(query))).jokes

it('a joke of an unknown category can be found and upvoted', async () => {
  for (const query of [{ id }, { searchString: 'road 50' }, { searchString: 'road 50', sortBy: 'random' }])
    expect(await list(query)).toEqual([newer])
  expect(await list({ sortBy: 'random' })).toContainEqual(newer)
  expect(await upvoteJoke(store, id)).toEqual({ ...newer, thumbsUp: newer.thumbsUp + 1 })
})

it.each(SORT_FIELDS)('paging by %s shows the jokes of known categories', async (sortBy) => {
  expect(idsOf((await service.pages({ sortBy, numberofJokes: '5' })).flat())).toEqual(idsOf(known))
})

it('a joke of the first version can be listed, searched and upvoted', async () => {
  const { store, stop } = await startService()
  onTestFinished(stop)
  const { item, rows } = toStored(numberedJoke(1))
  const { id, joke, punchline, category, thumbsUp, thumbsDown, dateAdded, state, shelf, words, createdBy } = item
  const first = { id, joke, punchline, category, thumbsUp, thumbsDown, dateAdded, state, shelf, words, createdBy }
  await put(store, store.wordsTable, ...rows)
  await put(store, store.jokesTable, first)
  const queries = [...SORT_FIELDS, 'random'].flatMap((sortBy) => [{ sortBy }, { sortBy, searchString: 'road' }])
  for (const query of [{ id }, ...queries])
    expect((await listJokes(store, parseListing(query))).jokes).toMatchObject([{ id }])
  expect(await upvoteJoke(store, id)).toMatchObject({ id, thumbsUp: thumbsUp + 1 })
})

it('a joke of an unknown category cannot be added again in a known one', async () => {
  const { joke, punchline } = newer
  const answer = await service.create({ joke, punchline, category: 'Classic' })
  expect(answer).toMatchObject({ status: 409, body: { detail: 'This joke already exists.', id } })
})

it.each(SORT_FIELDS)('a cursor of another version continues its listing by %s', async (sortBy) => {
  const query = { sortBy, numberofJokes: '4' }
  const cursor = await service.cursor(query)
  const [fingerprint, { plan, positions }] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  const { 'Word game': position, ...others } = positions
  const Tech = position ?? ['x', 'y']
  const cursorAt = (positions: object) =>
    Buffer.from(JSON.stringify([fingerprint, { plan, positions }])).toString('base64url')
  const rest = idsOf((await service.pages(query)).slice(1).flat())
  const continued = (positions: object) =>
    service.jokes({ ...query, cursor: cursorAt(positions), numberofJokes: '250' })
  expect(idsOf(await continued({ ...positions, Tech }))).toEqual(rest)
  // A category that the other version does not know is listed from its beginning.
  expect(idsOf(await continued(others))).toEqual(expect.arrayContaining(rest))
  // The other version continues its own category at the same position.
  const next = await service.cursor({ ...query, cursor: cursorAt({ ...positions, Tech }), numberofJokes: '1' })
  expect(JSON.parse(Buffer.from(next, 'base64url').toString())[1].positions).toMatchObject({ Tech })
})

it('commands on a joke of an unknown category keep its unknown fields', async () => {
  const stored = async () => (await itemsOf(store, store.jokesTable)).find((item) => item.id === id)
  const before = await stored()
  for await (const _ of reindex(store, true));
  for await (const _ of sweep(store));
  await changeState(store, id, TRANSITIONS.remove)
  expect(await list({ searchString: 'road 50' })).toEqual([])
  await changeState(store, id, TRANSITIONS.undo)
  expect(await stored()).toEqual(before)
  expect(await list({ searchString: 'road 50' })).toHaveLength(1)
  await changeState(store, id, TRANSITIONS.remove)
  await changeState(store, id, TRANSITIONS.erase)
  expect(JSON.stringify(await itemsOf(store, store.wordsTable))).not.toContain(id)
})
