/** Effects of a restore on jokes in any state. */
import { afterAll, beforeEach, expect, it } from 'vitest'
import { identify } from '../../shared/joke.ts'
import type { Item } from '../../shared/store/item.ts'
import { readItem } from '../../shared/store/reads.ts'
import { emptyTable, itemsOf, put } from '../support/access.ts'
import { numberedJoke } from '../support/numberedJoke.ts'
import { operate } from '../support/process.ts'
import { createStore, startService } from '../support/service.ts'

const service = await startService()
const { store } = service
const backup = await createStore()
beforeEach(() => Promise.all([store, backup].map(emptyTable)))
afterAll(service.stop)

const restore = () => operate(store, 'restore', '--from', backup.jokesTable)
/** A version that is older than any that a container may hold. */
const OLD = { rev: 3, changedAt: '2026-01-01T00:00:00.000Z' }

const joke = numberedJoke(1)
const corrected = { ...joke, punchline: 'Corrected' }
const text = { joke: joke.joke, punchline: 'Corrected', category: 'School' }
const alias = { id: identify(text), of: joke.id, rev: 3 }
const listed = { createdBy: 'x#1', ...joke, feed: 'listed', ...OLD }
const removed = { ...listed, feed: 'removed', removedFrom: 'listed' }
const erased = { id: joke.id, feed: 'removed', ...OLD }

it.each<[title: string, saved: Item, current?: Item]>([
  ['brings back a lost joke', listed],
  ['brings back a joke that waits', { ...listed, feed: 'waiting' }],
  ['brings back a removed joke', removed],
  ['records that a joke was erased', erased],
  ['brings back a damaged joke', { ...listed, thumbsDown: 'many' }],
  ['leaves a joke that was changed since', listed, { ...listed, rev: 9, thumbsUp: 70 }],
  ['leaves a joke that was removed since', listed, removed],
  ['leaves a joke that was erased since', listed, erased],
])('a restore %s', async (_, saved, current) => {
  await put(backup, saved)
  if (current) await put(store, current)
  const start = Date.now()
  expect(await restore()).toMatchObject({ code: 0, stdout: `1 joke read, ${current ? 0 : 1} restored.\n` })
  const after = await readItem(store, joke.id)
  if (current) return expect(after).toEqual(current)
  const rev = Number(after?.rev)
  expect(after).toEqual({ ...saved, rev, changedAt: new Date(rev).toISOString() })
  expect(rev).toBeGreaterThanOrEqual(start)
  expect((await restore()).stdout).toBe('1 joke read, 0 restored.\n')
})

it('a restore names an item that it leaves out, because no version of the service writes it', async () => {
  await put(backup, { ...listed, feed: 'gone' })
  const stdout = `${joke.id}  left out. It is damaged.\n1 joke read, 0 restored.\n`
  expect(await restore()).toMatchObject({ code: 1, stdout })
  expect(await itemsOf(store)).toEqual([])
})

it('a restore brings back a corrected joke with its text', async () => {
  await put(backup, { ...listed, ...corrected }, alias)
  expect((await restore()).stdout).toBe('1 joke read, 1 restored.\n')
  expect(await service.jokes({ id: joke.id })).toEqual([corrected])
  expect(await service.create(text)).toMatchObject({ status: 409, body: { code: 'duplicate', id: joke.id } })
})

it('a restore leaves out a corrected joke whose text was added again', async () => {
  await service.add(text)
  await put(backup, { ...listed, ...corrected }, alias)
  const stdout = `${joke.id}  left out. The joke ${alias.id}, which is listed, has or had this text.\n1 joke read, 0 restored.\n`
  expect(await restore()).toMatchObject({ code: 1, stdout })
  expect(await readItem(store, joke.id)).toBeUndefined()
})
