/** Commands that work on the same joke at once: whole between two calls of another one, or call by call. */
import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, inject, it, vi } from 'vitest'
import { configOf, createTables } from '../../infra/local/localDatabase.ts'
import { DuplicateJoke, UnknownJoke } from '../../shared/errors.ts'
import { StoredJoke, wordsOfJoke } from '../../shared/joke.ts'
import { entriesAt, entryKeyOf, timeOf } from '../../shared/store/indexEntries.ts'
import { type Item, stateOf, storedWordsOf, wordsIn } from '../../shared/store/item.ts'
import { addJoke, upvoteJoke } from '../../shared/store/jokes.ts'
import { LIMITS } from '../../shared/store/limits.ts'
import { changeState, TRANSITIONS } from '../../shared/store/operators/removal.ts'
import { reindex, restore, sweep } from '../../shared/store/operators/tableScans.ts'
import { openStore, type Store } from '../../shared/store/store.ts'
import { emptyTable, itemsOf, put, toStored, writeOrphans } from '../support/access.ts'
import { jokeOf } from '../support/numberedJoke.ts'
import { createStore } from '../support/service.ts'

const RUNS = Number(process.env.RUNS ?? 60)

const joke = jokeOf({ joke: 'A-b', punchline: '' }, 1)
/** The backup has an equal joke with other words. */
const older = { ...joke, joke: 'A b', thumbsUp: 50, dateAdded: '2025-12-01T00:00:00.000Z' }
/** Of a request that lost a race: it has another place. */
const lost = { ...joke, dateAdded: '2025-01-01T00:00:00.000Z' }

type Run = (store: Store, backup: string) => Promise<unknown>
const COMMANDS: Record<string, Run> = {
  approve: (store) => changeState(store, joke.id, TRANSITIONS.approve),
  remove: (store) => changeState(store, joke.id, TRANSITIONS.remove),
  undo: (store) => changeState(store, joke.id, TRANSITIONS.undo),
  erase: async (store) => {
    await changeState(store, joke.id, TRANSITIONS.erase).finally(() =>
      Array.fromAsync(sweep(store, new Set([joke.id]))),
    )
  },
  reindex: async (store) => {
    await Array.fromAsync(reindex(store, true))
    await Array.fromAsync(sweep(store))
  },
  restore: (store, backup) => Array.fromAsync(restore(store, backup, { existing: true, newer: true })),
}
const CLIENTS: Record<string, Run> = {
  add: (store) => addJoke(store, joke),
  upvote: (store) => upvoteJoke(store, joke.id),
}

/** Items of the joke as a command may find it; words of earlier versions of the code are others. */
const { shelf, ...unlisted } = toStored(joke).item
const BEFORE: Record<string, Item | undefined> = {
  listed: { ...unlisted, shelf, words: ' old' },
  waiting: { ...unlisted, state: 'waiting' },
  'removed while it was listed': { ...unlisted, state: 'removed', removedFrom: 'listed' },
  'removed while it waited': { ...unlisted, state: 'removed', removedFrom: 'waiting' },
  erased: { id: joke.id, state: 'erased' },
  lost: undefined,
}

const complete = (run: Promise<unknown>) =>
  run.catch((error) => {
    if (!(error instanceof UnknownJoke || error instanceof DuplicateJoke)) throw error
  })

const keyOf = ({ prefix, entry }: Item) => `${prefix} ${entry}`
const keysOf = (rows: Item[]) => rows.map(keyOf).toSorted()

/** The item as it is, its rows, and those that it should have. */
async function stored(store: Store) {
  const [item] = await itemsOf(store, store.jokesTable)
  const rows = await itemsOf(store, store.wordsTable)
  const isListed = item !== undefined && stateOf(item) === 'listed'
  const right = isListed ? entriesAt(entryKeyOf(v.parse(StoredJoke, item)), wordsIn(item.words)) : []
  return { item, isListed, rows, right: keysOf(right) }
}

/** A joke is never listed without its rows. */
async function look(store: Store): Promise<void> {
  const { rows, right } = await stored(store)
  expect(keysOf(rows)).toEqual(expect.arrayContaining(right))
}

/** Tables, a backup that has the joke, and another store of the same tables, which does something before each call. */
async function start() {
  const store = await createStore()
  const backup = `Backup-${randomUUID()}`
  await createTables({ ...store, jokesTable: backup }, configOf(inject('endpoint')))
  await put(store, backup, toStored(older).item)
  const calling = { before: async () => {}, after: () => {} }
  const observed = openStore(store, configOf(inject('endpoint')), {
    ...LIMITS,
    operationMs: 60_000,
    readExistingMs: 60_000,
  })
  for (const { middlewareStack } of [observed.database, observed.upvoteDatabase]) {
    middlewareStack.add(
      (next) => async (args) => {
        await calling.before()
        return next(args).finally(calling.after)
      },
      { step: 'initialize' },
    )
  }
  const fill = async (before: Item | undefined) => {
    await Promise.all([emptyTable(store, store.jokesTable), emptyTable(store, store.wordsTable)])
    await writeOrphans(store, lost)
    if (before) await put(store, store.jokesTable, before)
    if (before?.shelf) await put(store, store.wordsTable, ...entriesAt(entryKeyOf(joke), wordsIn(before.words)))
  }
  return { store, backup, observed, calling, fill }
}

/**
 * Runs `first`, and `other` whole before one of its calls.
 *
 * @returns whether it makes that many calls
 */
async function interrupt(
  { store, backup, observed, calling, fill }: Awaited<ReturnType<typeof start>>,
  before: Item | undefined,
  first: Run,
  call: number,
  other: Run,
  isKilled: boolean,
): Promise<boolean> {
  await fill(before)
  const killed = Promise.withResolvers<void>()
  let calls = 0
  let pause: Promise<unknown> | undefined
  calling.before = async () => {
    if (calls++ === call) {
      pause = complete(other(store, backup))
      if (isKilled) pause.then(() => killed.resolve(), killed.reject)
    }
    await pause
    if (isKilled && pause) await new Promise(() => {})
  }
  await Promise.race([complete(first(observed, backup)), killed.promise])
  if (isKilled && calls > call) {
    await complete(first(store, backup))
    // Once the words of a row are gone from the item, only looking at all rows finds it.
    if (other === COMMANDS.erase || first === COMMANDS.restore) await COMMANDS.reindex?.(store, backup)
  }
  const { item, isListed, rows, right } = await stored(store)
  expect(keysOf(rows.filter(({ entry }) => !String(entry).startsWith(entryKeyOf(lost))))).toEqual(right)
  expect(item?.shelf).toBe(isListed ? joke.category : undefined)
  if (isListed && (first === COMMANDS.reindex || (other === COMMANDS.reindex && calls > call)))
    expect(item?.words).toBe(storedWordsOf(wordsOfJoke(v.parse(StoredJoke, item))))
  return calls > call
}

describe.each(Object.entries(BEFORE))('a joke that is %s has all its rows and no other after', (_, before) => {
  it.concurrent.each(Object.entries(COMMANDS))('%s, whatever interrupts it before any call', async (_, first) => {
    const started = await start()
    for (const other of [...Object.values(COMMANDS), look]) {
      for (const isKilled of [false, true]) {
        let call = 0
        while (await interrupt(started, before, first, call, other, isKilled)) call += 1
      }
    }
  })
})

it('so it has after three to five commands and requests at once, call by call in any order, and keeps its upvotes', async () => {
  const { store, backup, observed, calling, fill } = await start()
  const states = fc.constantFrom(...Object.values(BEFORE))
  const chosen = fc.shuffledSubarray(Object.values({ ...COMMANDS, ...CLIENTS }), { minLength: 3, maxLength: 5 })
  const property = fc.asyncProperty(states, chosen, fc.infiniteStream(fc.nat()), async (before, runs, turns) => {
    await fill(before)
    const startedAt = timeOf(new Date())
    const waiting: (() => void)[] = []
    let running = 0
    let left = runs.length
    let upvotes = joke.thumbsUp
    calling.before = () => new Promise((resolve) => waiting.push(resolve))
    calling.after = () => void running--
    const runOne = async (run: Run) => {
      await complete(run(observed, backup).then(() => void (run === CLIENTS.upvote && upvotes++)))
      left -= 1
    }
    const done = Promise.all(runs.map(runOne))
    while (left > 0) {
      await setImmediate()
      if (running > 0) continue
      const [call] = waiting.splice((turns.next().value ?? 0) % waiting.length, 1)
      running += Number(call !== undefined)
      call?.()
    }
    await done
    calling.before = async () => {}

    const { item, rows, right } = await stored(store)
    const isOfRace = ({ entry }: Item) => String(entry).startsWith(entryKeyOf(lost)) || String(entry) >= startedAt
    expect(keysOf(rows.filter((row) => !isOfRace(row) || right.includes(keyOf(row))))).toEqual(right)
    if (before?.joke && item?.joke === joke.joke) expect(item.thumbsUp).toBe(upvotes)
    // What the loser of a race has written is left to a sweep, once it is not of the last minute.
    using _later = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 61_000)
    await Array.fromAsync(sweep(store))
    const swept = await stored(store)
    expect([swept.item, keysOf(swept.rows)]).toEqual([item, right])
  })
  await fc.assert(property, { numRuns: RUNS })
})
