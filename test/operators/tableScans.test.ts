/** Effects of reindex, sweep and restore on a joke and its index entries, from any state. */
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, inject, it, vi } from 'vitest'
import { configOf, createTables } from '../../infra/local/localDatabase.ts'
import { UnknownJoke } from '../../shared/errors.ts'
import { entriesFor } from '../../shared/store/indexEntries.ts'
import type { Item } from '../../shared/store/item.ts'
import { changeState, findRecord, TRANSITIONS } from '../../shared/store/operators/removal.ts'
import { countJokes, type Part, reindex, restore, sweep } from '../../shared/store/operators/tableScans.ts'
import { emptyTable, emptyTables, itemsOf, put, toStored } from '../support/access.ts'
import { numberedJoke } from '../support/numberedJoke.ts'
import { createStore } from '../support/service.ts'

const store = await createStore()
const backup = `Backup-${randomUUID()}`
await createTables({ ...store, jokesTable: backup }, configOf(inject('endpoint')))
beforeEach(async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  await Promise.all([emptyTables(store), emptyTable({ ...store, jokesTable: backup }, backup)])
})

const joke = numberedJoke(1)
const { item: listed, rows } = toStored(joke)
const [row = { prefix: '', entry: '' }] = rows
const { shelf: _, ...unlisted } = listed
const removed = { ...unlisted, state: 'removed' }
const waiting = { ...unlisted, state: 'waiting' }
const erased = { id: joke.id, state: 'erased' }
const damaged = { ...listed, thumbsDown: 'many' }
const changed = { ...listed, joke: 'Zoo', thumbsUp: 70, words: ' zoo', language: 'en' }
const again = {
  ...listed,
  dateAdded: '2026-02-01T00:00:00.000Z',
  createdBy: 'another#2',
  punchline: 'Zoo',
  words: ' zoo',
}

const sorted = (rows: Item[]) => rows.map(({ prefix, entry }) => `${prefix} ${entry}`).toSorted()

/** Runs a command. Returns the item and the index entries afterwards, and the number of changes. */
async function outcome(current: Item | undefined, rows: Item[], command: () => AsyncGenerator<Part>) {
  if (current) await put(store, store.jokesTable, current)
  await put(store, store.wordsTable, ...rows)
  const parts = await Array.fromAsync(command())
  const [item] = await itemsOf(store, store.jokesTable)
  const left = sorted(await itemsOf(store, store.wordsTable))
  return { item, left, changed: parts.reduce((sum, part) => sum + part.changed, 0) }
}

const MISSING = { existing: false, newer: false }
const EXISTING = { existing: true, newer: false }
const NEWER = { existing: true, newer: true }

describe('restore', () => {
  it.each<[title: string, saved: Item, current: Item | undefined, how: typeof MISSING, item: Item | undefined]>([
    ['brings back a lost joke', { ...listed, words: ' zoo' }, undefined, MISSING, listed],
    ['brings back a joke that waited', waiting, undefined, MISSING, waiting],
    ['brings back a joke that was removed', removed, undefined, MISSING, removed],
    ['records that a joke was erased', erased, undefined, MISSING, erased],
    ['leaves a damaged joke', damaged, undefined, NEWER, undefined],
    ['finishes a joke after a kill', listed, waiting, MISSING, listed],
    ['leaves another joke that waits', listed, { ...waiting, createdBy: 'another#2' }, NEWER, undefined],
    ['leaves a joke that waited and still waits', waiting, waiting, NEWER, undefined],
    ['leaves a joke that exists with --missing', listed, changed, MISSING, undefined],
    ['overwrites a joke that exists', listed, changed, EXISTING, listed],
    ['overwrites a damaged joke that exists', listed, damaged, EXISTING, listed],
    ['leaves a joke that was added again', listed, again, EXISTING, undefined],
    ['overwrites a joke that was added again with --newer', listed, again, NEWER, listed],
    ['leaves a joke that was removed after the backup', listed, removed, NEWER, undefined],
    ['leaves a joke that was erased after the backup', listed, erased, NEWER, undefined],
    ['does not remove a joke', removed, listed, NEWER, undefined],
    ['does not damage a joke', damaged, listed, NEWER, undefined],
  ])('a restore %s', async (_, saved, current, how, item) => {
    await put(store, backup, saved)
    expect(await outcome(current, [], () => restore(store, backup, how))).toEqual({
      item: item ?? current,
      left: item?.shelf ? sorted(rows) : [],
      changed: item ? 1 : 0,
    })
  })
})

describe('reindex', () => {
  it.each<[title: string, current: Item, all: boolean, item: Item | undefined]>([
    ['updates outdated words', { ...listed, words: ' zoo' }, false, listed],
    ['leaves current words', listed, false, undefined],
    ['writes current words again with --all', listed, true, listed],
    ['leaves a damaged joke', { ...damaged, words: ' zoo' }, true, undefined],
    ['leaves a joke that waits', { ...waiting, words: ' zoo' }, true, undefined],
    ['leaves an erased joke', erased, true, undefined],
  ])('a reindex %s', async (_, current, all, item) => {
    expect(await outcome(current, [], () => reindex(store, all))).toEqual({
      item: item ?? current,
      left: item ? sorted(rows) : [],
      changed: item ? 1 : 0,
    })
  })
})

describe('sweep', () => {
  const zoo = { prefix: 'zoo', entry: row.entry }
  const elsewhere = entriesFor(`000000001#${joke.id}#Classic`, ['zoo'])
  const other = entriesFor(`000000001#${'U'.repeat(22)}#Classic`, ['zoo'])

  it.each<[title: string, current: Item | undefined, orphans: Item[], left: Item[], ids?: string[]]>([
    ['keeps the entries of a listed joke', listed, [], rows],
    ['deletes entries with other entry keys', listed, [...elsewhere, ...other], rows],
    ['deletes entries of words that a joke lacks', listed, [zoo], rows],
    ['deletes entries of a removed joke', removed, rows, []],
    ['deletes entries of a damaged joke', damaged, rows, []],
    ['deletes all entries without a joke', undefined, [...rows, ...other], []],
    ['for erased jokes deletes only their entries', erased, rows, other, [joke.id]],
    ['keeps the entries of a joke that was not erased', listed, elsewhere, [...rows, ...other], [joke.id]],
  ])('a sweep %s', async (_, current, orphans, left, ids) => {
    const found = [...left, ...orphans]
    expect(await outcome(current, found, () => sweep(store, ids && new Set(ids)))).toEqual({
      item: current,
      left: sorted(left),
      changed: orphans.length,
    })
  })

  it('a sweep leaves damaged entries', async () => {
    const rows = [{ prefix: 'x', entry: 'y' }]
    expect(await outcome(undefined, rows, () => sweep(store))).toMatchObject({ left: ['x y'], changed: 0 })
  })
})

it('countJokes counts a table of several pages', async () => {
  const items = Array.from({ length: 120 }, (_, index) => ({ id: `${index}`, text: 'x'.repeat(10_000) }))
  await put(store, store.jokesTable, ...items)
  expect(await countJokes(store, store.jokesTable)).toBe(120)
})

it('a damaged joke passes through all states unless it has none', async () => {
  const { dateAdded: _, ...undated } = { ...listed, thumbsDown: 'many' }
  await put(store, store.jokesTable, undated)
  for (const [change, state] of [
    [TRANSITIONS.remove, 'removed'],
    [TRANSITIONS.undo, 'listed'],
    [TRANSITIONS.remove, 'removed'],
    [TRANSITIONS.erase, 'erased'],
  ] as const) {
    await changeState(store, joke.id, change)
    expect(await findRecord(store, joke.id)).toMatchObject({ id: joke.id, state })
  }
  await put(store, store.jokesTable, { ...undated, state: undefined })
  await expect(changeState(store, joke.id, TRANSITIONS.erase)).rejects.toThrow(UnknownJoke)
})
