/** Simultaneous commands on one joke: one runs between two calls of another, or their calls interleave. */
import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, inject, it, vi } from 'vitest'
import { configOf, createTables } from '../../infra/local/localDatabase.ts'
import { DuplicateJoke, UnknownJoke } from '../../shared/errors.ts'
import { StoredJoke, wordsOfJoke } from '../../shared/joke.ts'
import { entriesFor, entryKeyOf, timeOf } from '../../shared/store/indexEntries.ts'
import { type Item, stateOf, storedWordsOf, wordsIn } from '../../shared/store/item.ts'
import { addJoke, upvoteJoke } from '../../shared/store/jokes.ts'
import { LIMITS } from '../../shared/store/limits.ts'
import { CannotCorrect, correct } from '../../shared/store/operators/correction.ts'
import { changeState, TRANSITIONS, withAliases } from '../../shared/store/operators/removal.ts'
import { reindex, restore, sweep } from '../../shared/store/operators/tableScans.ts'
import { openStore, type Store } from '../../shared/store/store.ts'
import { emptyTable, itemsOf, put, toStored, writeOrphans } from '../support/access.ts'
import { jokeOf } from '../support/numberedJoke.ts'
import { createStore } from '../support/service.ts'

const RUNS = Number(process.env.RUNS ?? 60)

const joke = jokeOf({ joke: 'A-b', punchline: '' }, 1)
/** The backup has an equal joke with other words. */
const older = { ...joke, joke: 'A b', thumbsUp: 50, dateAdded: '2025-12-01T00:00:00.000Z' }
/** The joke of a request that lost a race, which has another entry key. */
const lost = { ...joke, dateAdded: '2025-01-01T00:00:00.000Z' }

type Run = (store: Store, backup: string) => Promise<unknown>
const COMMANDS: Record<string, Run> = {
  approve: (store) => changeState(store, joke.id, TRANSITIONS.approve),
  remove: (store) => changeState(store, joke.id, TRANSITIONS.remove),
  undo: (store) => changeState(store, joke.id, TRANSITIONS.undo),
  erase: async (store) => {
    await changeState(store, joke.id, TRANSITIONS.erase).finally(async () =>
      Array.fromAsync(sweep(store, await withAliases(store, [joke.id]))),
    )
  },
  correct: async (store) => {
    await correct(store, joke.id, { joke: 'C d', category: 'School' }, () => {})
    await Array.fromAsync(sweep(store, new Set([joke.id])))
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

/** The item of the joke in each state, with words of an earlier version of the code if it is listed. */
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
    const refusals = [UnknownJoke, DuplicateJoke, CannotCorrect]
    if (!refusals.some((refusal) => error instanceof refusal)) throw error
  })

const keyOf = ({ prefix, entry }: Item) => `${prefix} ${entry}`
const keysOf = (rows: Item[]) => rows.map(keyOf).toSorted()

/** Reads the item and its index entries, and computes the keys of the entries it should have. */
async function stored(store: Store) {
  const item = (await itemsOf(store, store.jokesTable)).find(({ id }) => id === joke.id)
  const rows = await itemsOf(store, store.wordsTable)
  const isListed = item !== undefined && stateOf(item) === 'listed'
  const expectedEntries = isListed ? entriesFor(entryKeyOf(v.parse(StoredJoke, item)), wordsIn(item)) : []
  return { item, isListed, rows, expectedKeys: keysOf(expectedEntries) }
}

/** Expects that a listed joke has all its index entries. */
async function checkEntries(store: Store): Promise<void> {
  const { rows, expectedKeys } = await stored(store)
  expect(keysOf(rows)).toEqual(expect.arrayContaining(expectedKeys))
}

/** Creates tables, a backup with the joke, and a second store that calls back before and after each call. */
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
    if (before?.shelf) await put(store, store.wordsTable, ...entriesFor(entryKeyOf(joke), wordsIn(before)))
  }
  return { store, backup, observed, calling, fill }
}

/**
 * Runs one command, and a whole other command before one of its calls. If the first one is killed, it ends there and is
 * repeated.
 *
 * @returns whether the interrupted command makes that many calls
 */
async function interrupt(
  { store, backup, observed, calling, fill }: Awaited<ReturnType<typeof start>>,
  before: Item | undefined,
  interrupted: Run,
  call: number,
  interrupting: Run,
  isKilled: boolean,
): Promise<boolean> {
  await fill(before)
  const killed = Promise.withResolvers<void>()
  let calls = 0
  let pause: Promise<unknown> | undefined
  calling.before = async () => {
    if (calls++ === call) {
      pause = complete(interrupting(store, backup))
      if (isKilled) pause.then(() => killed.resolve(), killed.reject)
    }
    await pause
    if (isKilled && pause) await new Promise(() => {})
  }
  await Promise.race([complete(interrupted(observed, backup)), killed.promise])
  if (isKilled && calls > call) {
    await complete(interrupted(store, backup))
    // Only a sweep finds entries whose words are no longer in the item.
    const isRefused = interrupted === COMMANDS.correct && interrupting === COMMANDS.remove
    if (interrupting === COMMANDS.erase || interrupted === COMMANDS.restore || isRefused)
      await COMMANDS.reindex?.(store, backup)
  }
  const { item, isListed, rows, expectedKeys } = await stored(store)
  expect(keysOf(rows.filter(({ entry }) => !String(entry).startsWith(entryKeyOf(lost))))).toEqual(expectedKeys)
  expect(item?.shelf).toBe(isListed ? item?.category : undefined)
  if (isListed && (interrupted === COMMANDS.reindex || (interrupting === COMMANDS.reindex && calls > call)))
    expect(item?.words).toBe(storedWordsOf(wordsOfJoke(v.parse(StoredJoke, item))))
  return calls > call
}

describe.each(Object.entries(BEFORE))('a joke that is %s', (_, before) => {
  it.concurrent.each(Object.entries(COMMANDS))('%s leaves the right entries if interrupted', async (_, command) => {
    const started = await start()
    for (const interrupting of [...Object.values(COMMANDS), checkEntries]) {
      for (const isKilled of [false, true]) {
        let call = 0
        while (await interrupt(started, before, command, call, interrupting, isKilled)) call += 1
      }
    }
  })
})

it('interleaved commands leave exactly the right data', async () => {
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

    const { item, rows, expectedKeys } = await stored(store)
    const isOfRace = ({ entry }: Item) => String(entry).startsWith(entryKeyOf(lost)) || String(entry) >= startedAt
    expect(keysOf(rows.filter((row) => !isOfRace(row) || expectedKeys.includes(keyOf(row))))).toEqual(expectedKeys)
    if (before?.joke && item?.dateAdded === joke.dateAdded) expect(item.thumbsUp).toBe(upvotes)
    // A sweep deletes entries of lost races once they are a minute old.
    using _later = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 61_000)
    await Array.fromAsync(sweep(store))
    const swept = await stored(store)
    expect([swept.item, keysOf(swept.rows)]).toEqual([item, expectedKeys])
  })
  await fc.assert(property, { numRuns: RUNS })
})
