/** Operators' commands that work on the same joke at once, call by call in any order, and are killed between calls. */
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import { configOf, createTables } from '../../infra/local/localDatabase.ts'
import { Unavailable, UnknownJoke } from '../../shared/errors.ts'
import type { Joke } from '../../shared/joke.ts'
import { stateOf } from '../../shared/store/item.ts'
import { LIMITS } from '../../shared/store/limits.ts'
import { approveJoke, eraseJoke, removeJoke, undoRemoval } from '../../shared/store/operators/removal.ts'
import { reindex, restore, sweep } from '../../shared/store/operators/wholeTables.ts'
import { openStore, type Store } from '../../shared/store/store.ts'
import { placeOf } from '../../shared/store/wordRows.ts'
import { emptyTable, itemsOf, load, put, toStored, writeOrphans } from '../support/access.ts'
import { numberedJoke } from '../support/numberedJoke.ts'
import { createStore } from '../support/service.ts'

/**
 * A joke whose holder was killed is soon free again. Half of the time is for calls that the database carries out after
 * they were given up, also on a busy machine, and DynamoDB Local is slow.
 */
const limits = { ...LIMITS, holdMs: process.env.DYNAMODB_ENDPOINT ? 1_000 : 400 }

const joke = numberedJoke(1)
const other = numberedJoke(2)

const COMMANDS = {
  approve: (store: Store) => approveJoke(store, joke.id),
  remove: (store: Store) => removeJoke(store, joke.id),
  undo: (store: Store) => undoRemoval(store, joke.id),
  erase: async (store: Store) => {
    await eraseJoke(store, joke.id)
    await Array.fromAsync(sweep(store, new Set([joke.id])))
  },
  reindex: async (store: Store) => {
    await Array.fromAsync(reindex(store, true))
    await Array.fromAsync(sweep(store))
  },
  restore: (store: Store, backup: string) => Array.fromAsync(restore(store, backup, { existing: true, newer: true })),
}
type Command = keyof typeof COMMANDS
const NAMES: Command[] = ['approve', 'remove', 'undo', 'erase', 'reindex', 'restore']

/** For each call when it is made, in turns of the waiting ones, and whether its command is killed instead. */
const schedules = fc.array(fc.record({ turn: fc.nat(9), isKilled: fc.nat(14).map((chance) => chance === 0) }), {
  maxLength: 80,
})
type Schedule = { turn: number; isKilled: boolean }[]

/** Runs commands on the same tables, one call at a time. A killed one never ends. Returns those that ended well. */
async function interleave(store: Store, backup: string, commands: Command[], schedule: Schedule): Promise<Command[]> {
  const waiting: (() => Promise<unknown>)[] = []
  const succeeded: Command[] = []
  let changed = Promise.withResolvers<void>()
  let running = commands.length
  const end = () => {
    running -= 1
    changed.resolve()
  }
  const run = (command: Command) => {
    const own = openStore(store, configOf(inject('endpoint')), limits)
    let isKilled = false
    own.database.middlewareStack.add(
      (next) => (args) =>
        new Promise((resolve, reject) => {
          const call = async () => {
            if (isKilled) return
            isKilled = schedule.shift()?.isKilled ?? false
            if (isKilled) end()
            else await next(args).then(resolve, reject)
          }
          waiting.splice((schedule[0]?.turn ?? 0) % (waiting.length + 1), 0, call)
          changed.resolve()
        }),
      { step: 'initialize' },
    )
    const succeed = () => succeeded.push(command)
    const fail = (error: unknown) => {
      if (!(error instanceof UnknownJoke || error instanceof Unavailable)) throw error
    }
    return COMMANDS[command](own, backup).then(succeed, fail).finally(end)
  }
  const all = commands.map(run)
  while (running > 0) {
    const call = waiting.shift()
    if (call) await call()
    else await changed.promise
    changed = Promise.withResolvers()
  }
  // Those that were killed never settle.
  await Promise.race([Promise.all(all), Promise.resolve()])
  return succeeded
}

/** The joke's item, which of its rows are left, and which of a joke are missing. */
async function readTables(store: Store) {
  const item = (await itemsOf(store, store.jokesTable)).find(({ id }) => id === joke.id)
  const keys = (await itemsOf(store, store.wordsTable)).map(({ prefix, entry }) => `${prefix} ${entry}`)
  const left = keys.filter((key) => key.includes(joke.id))
  const missing = (of: Joke) => toStored(of).rows.filter(({ prefix, entry }) => !keys.includes(`${prefix} ${entry}`))
  return { item, left, missing }
}

/** A store with a backup of the joke, and what happens in each test. */
async function start(before: 'waiting' | 'listed' | 'removed' | 'lost') {
  // As long as a busy machine may need.
  const store = await createStore({ holdMs: 60_000 })
  const backup = `Backup-${randomUUID()}`
  await createTables({ ...store, jokesTable: backup }, configOf(inject('endpoint')))
  await put(store, backup, toStored(joke).item)
  await load(store, [other])
  /** Runs commands from the beginning, and returns how many calls of the schedule they did not make. */
  return async (commands: Command[], schedule: Schedule): Promise<number> => {
    // Also rows of a request that crashed before it could add the joke.
    await writeOrphans(store, joke, { ...joke, dateAdded: '2025-01-01T00:00:00.000Z' })
    const { shelf, ...unlisted } = toStored(joke).item
    const state = before === 'waiting' ? { state: before } : { shelf }
    await emptyTable(store, store.jokesTable)
    await put(store, store.jokesTable, toStored(other).item)
    if (before !== 'lost') await put(store, store.jokesTable, { ...unlisted, ...state })
    if (before === 'removed') await removeJoke(store, joke.id)
    const succeeded = await interleave(store, backup, commands, schedule)
    const { item, missing, left } = await readTables(store)
    expect(missing(other)).toEqual([])
    if (item && stateOf(item) === 'listed') expect(missing(joke)).toEqual([])
    if (item && stateOf(item) === 'erased' && succeeded.includes('erase')) expect(left).toEqual([])
    if (commands.length === 1 && succeeded.includes('reindex'))
      expect(left).toEqual(item?.shelf ? left.filter((key) => key.includes(placeOf(joke))) : [])
    // Whatever was killed, as if long ago, can be done to the end.
    if (item?.held) await put(store, store.jokesTable, { ...item, held: '0' })
    if (item && ['listed', 'waiting'].includes(stateOf(item))) await removeJoke(store, joke.id)
    await (item ? COMMANDS.erase(store) : COMMANDS.reindex(store))
    const end = await readTables(store)
    expect([end.item && stateOf(end.item), end.left]).toEqual([item && 'erased', []])
    return schedule.length
  }
}

describe.each(['waiting', 'listed', 'removed', 'lost'] as const)('a %s joke ends whole or erased:', (before) => {
  it.concurrent.each(NAMES)('%s killed after any of its calls', async (command) => {
    const run = await start(before)
    for (let calls = 1; ; calls++) {
      const schedule = Array.from({ length: calls + 1 }, (_, call) => ({ turn: 0, isKilled: call === calls }))
      // It has made all its calls before.
      if ((await run([command], schedule)) > 0) break
    }
  })

  it.concurrent('several commands at once, killed now and then', async () => {
    const run = await start(before)
    const commands = fc.array(fc.constantFrom(...NAMES), { minLength: 2, maxLength: 4 })
    const property = fc.asyncProperty(commands, schedules, async (commands, schedule) => {
      await run(commands, [...schedule])
    })
    await fc.assert(property, { numRuns: 12 })
  })
})
