/** Effects of a restore on jokes in any state, from a table or from a file that backup wrote. */
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { readItem } from '../../shared/store/reads.ts'
import { emptyTable, itemsOf, put, toItem } from '../support/access.ts'
import { numberedJoke, numberedJokes } from '../support/numberedJoke.ts'
import { operate, temporaryFolder } from '../support/process.ts'
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

it('a backup of 1,000 jokes in all states, which only its owner can read, is restored whole', async () => {
  const items = numberedJokes(1_000).map((each, number) => {
    const jokeState = (['listed', 'waiting', 'removed', 'erased'] as const)[number % 4]
    if (jokeState === 'erased') return { ...erased, id: each.id }
    return { ...toItem(backup, each, jokeState), ...OLD, stateBefore: 'listed', byHand: [number, { a: null }] }
  })
  await put(backup, ...items)
  const file = join(temporaryFolder(), 'jokes.jsonl')
  expect((await operate(backup, 'backup', file)).stderr).toContain('\n1000 jokes written.\n')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  for (const restored of [1000, 0])
    expect((await operate(store, 'restore', file)).stdout).toBe(`1000 jokes read, ${restored} restored.\n`)
  const byId = (all: object[]) => new Map(all.map((item) => [Object(item).id, { ...item, rev: 0, changedAt: '' }]))
  expect(byId(await itemsOf(store))).toEqual(byId(items))
})

it.each([`{"id":"${joke.id}","jokeState":"lost"}`, '{"id":"x"'])('a restore refuses a file with %s', async (line) => {
  const file = join(temporaryFolder(), 'jokes.jsonl')
  writeFileSync(file, `${JSON.stringify(listed)}\n${line}\n`)
  const stderr = expect.stringMatching(/has no whole joke in line 2, so nothing was restored\.\n$/)
  expect(await operate(store, 'restore', file)).toMatchObject({ code: 1, stderr })
  expect(await itemsOf(store)).toEqual([])
})
