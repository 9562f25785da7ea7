/** Effects of a restore on jokes in any state. */
import { beforeEach, expect, it } from 'vitest'
import { readItem } from '../../shared/store/reads.ts'
import { emptyTable, put } from '../support/access.ts'
import { numberedJoke } from '../support/numberedJoke.ts'
import { operate } from '../support/process.ts'
import { createStore } from '../support/service.ts'

const store = await createStore()
const backup = await createStore()
beforeEach(() => Promise.all([store, backup].map(emptyTable)))

const restore = () => operate(store, 'restore', '--from', backup.jokesTable)
/** A version that is older than any that a container may hold. */
const OLD = { rev: 3, edits: 1, changedAt: '2026-01-01T00:00:00.000Z' }

const joke = numberedJoke(1)
const listed = { createdBy: 'x#1', ...joke, feed: 'jokes', jokeState: 'listed', ...OLD }
const removed = { ...listed, jokeState: 'removed', stateBefore: 'listed' }
const erased = { id: joke.id, feed: 'jokes', jokeState: 'erased', ...OLD }

it.each<[title: string, saved: object, current?: object]>([
  ['brings back a lost joke', listed],
  ['brings back a joke that waits', { ...listed, jokeState: 'waiting' }],
  ['brings back a removed joke', removed],
  ['records that a joke was erased', erased],
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
