/**
 * Other versions of the service on the same tables. A newer version, with one more category or field, runs in parallel
 * during each deploy, and leaves its items after a rollback.
 */
import * as v from 'valibot'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { parseListing, SORT_FIELDS } from '../../shared/listing.ts'
import { nextPageOf } from '../../shared/nextLink.ts'
import { listJokes, thumbsUpJoke } from '../../shared/store/jokes.ts'
import { correct } from '../../shared/store/operators/correction.ts'
import { act } from '../../shared/store/operators/states.ts'
import { itemsOf, put, toItem } from '../support/access.ts'
import { startNewer } from '../support/newerVersion.ts'
import { numberedJoke, numberedJokes } from '../support/numberedJoke.ts'
import { idsOf, type Service, startService } from '../support/service.ts'

const service = await startService()
const { store } = service
const known = numberedJokes(12)
const newer = { ...numberedJoke(50), category: 'Tech' }
const { id } = newer

await put(store, ...[...known, newer].map((joke) => ({ ...toItem(store, joke), unknownToThisVersion: 'yes' })))
const log = vi.spyOn(console, 'error')
// No item was skipped as damaged.
afterEach(() => expect(log).not.toHaveBeenCalled())
afterAll(async () => {
  log.mockRestore()
  await service.stop()
})

const list = async (query: Record<string, string>) => (await listJokes(store, parseListing(query))).jokes

it('a joke of an unknown category works in all operations', async () => {
  for (const query of [{ id }, { searchString: 'road 50' }, { searchString: 'road 50', sortBy: 'random' }])
    expect(await list(query)).toEqual([newer])
  expect(await list({ sortBy: 'random' })).toContainEqual(newer)
  expect(await thumbsUpJoke(store, id)).toEqual({ ...newer, thumbsUp: newer.thumbsUp + 1 })
})

/** Adds a joke of the newer version, and returns its id. */
async function addTo(service: Service, joke: object) {
  const { status, body } = await service.create(joke)
  expect(status).toBe(201)
  return v.parse(v.object({ id: v.string() }), body)
}

describe('a newer version with the field flavour', async () => {
  const old = await startService()
  const newer = await startNewer(old.store)
  const versions = { old, newer }
  const pairs: [name: keyof typeof versions, other: keyof typeof versions][] = [
    ['old', 'newer'],
    ['newer', 'old'],
  ]
  const text = (number: number) => ({ joke: `Une blague ${number}`, category: 'Classic' })
  const salty = await addTo(newer, { ...text(1), flavour: 'salty' })
  const plain = await addTo(newer, text(2))
  const addedByOld = await old.add(text(3), text(4), text(5))
  const added = [salty, plain, ...addedByOld]
  const ids = added.map(({ id }) => id).toSorted()
  afterAll(async () => {
    await newer.stop()
    await old.stop()
  })

  const ORDERS = [...SORT_FIELDS, 'random'].map((sortBy) => ({ sortBy }))
  const LISTINGS = [...ORDERS, ...ORDERS.map((order) => ({ ...order, searchString: 'blague' })), { id: `${ids}` }]

  it.each(LISTINGS)('the listing %j of each version shows the jokes of both', async (query) => {
    for (const version of [old, newer]) expect(idsOf(await version.jokes(query))).toEqual(ids)
  })

  it.each(pairs)('a cursor of the %s version continues in the %s one', async (name, other) => {
    for (const query of LISTINGS.slice(0, -1)) {
      const first = await versions[name].list({ ...query, numberofJokes: '2' })
      const next = nextPageOf({ headers: first.headers, url: versions[other].url })
      const rest = await versions[other].jokes({ ...Object.fromEntries(next?.searchParams ?? []), numberofJokes: '9' })
      const shown = v.parse(v.array(v.object({ id: v.string() })), first.body)
      expect([...shown, ...rest].map(({ id }) => id).toSorted()).toEqual(ids)
    }
  })

  it('an upvote in the newer version returns the field, or its default', async () => {
    for (const { id } of added) {
      const flavour = id === salty.id ? 'salty' : 'plain'
      expect(await newer.thumbUp(id)).toMatchObject({ status: 200, body: { id, flavour } })
    }
  })

  it('commands of the old version keep the field', async () => {
    const { store } = old
    const { id } = salty
    const stored = async () => (await itemsOf(store)).find((item) => item.id === id)
    await act(store, id, 'remove')
    await act(store, id, 'undo')
    await correct(store, id, { joke: 'Une bonne blague 1' }, () => {})
    expect(await stored()).toMatchObject({ feed: 'listed', joke: 'Une bonne blague 1', flavour: 'salty' })
    // The newer version is another process, whose listings are some moments late.
    await expect.poll(async () => idsOf(await newer.jokes({ searchString: 'bonne' }))).toEqual([id])
  })
})
