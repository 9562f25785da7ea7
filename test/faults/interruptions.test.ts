/** Operators' commands that work on the same joke: another one runs between two calls, and the first goes on or is killed. */
import { randomUUID } from 'node:crypto'
import { describe, expect, inject, it } from 'vitest'
import { configOf, createTables } from '../../infra/local/localDatabase.ts'
import { UnknownJoke } from '../../shared/errors.ts'
import { type Item, stateOf, wordsIn } from '../../shared/store/item.ts'
import { approveJoke, eraseJoke, removeJoke, undoRemoval } from '../../shared/store/operators/removal.ts'
import { reindex, restore, sweep } from '../../shared/store/operators/wholeTables.ts'
import { openStore, type Store } from '../../shared/store/store.ts'
import { placeOf, rowsAt } from '../../shared/store/wordRows.ts'
import { emptyTable, itemsOf, put, toStored, writeOrphans } from '../support/access.ts'
import { jokeOf } from '../support/numberedJoke.ts'
import { createStore } from '../support/service.ts'

const joke = jokeOf({ joke: 'The e-mail', punchline: 'was late' }, 1)
/** Of a request that lost a race: it has another place. */
const lost = { ...joke, dateAdded: '2025-01-01T00:00:00.000Z' }

type Run = (store: Store, backup: string) => Promise<unknown>
const COMMANDS: Record<string, Run> = {
  approve: (store) => approveJoke(store, joke.id),
  remove: (store) => removeJoke(store, joke.id),
  undo: (store) => undoRemoval(store, joke.id),
  erase: async (store) => {
    await eraseJoke(store, joke.id).finally(() => Array.fromAsync(sweep(store, new Set([joke.id]))))
  },
  reindex: async (store) => {
    await Array.fromAsync(reindex(store, true))
    await Array.fromAsync(sweep(store))
  },
  restore: (store, backup) => Array.fromAsync(restore(store, backup, { existing: true, newer: true })),
}

/** Items of the joke as a command may find it; words of earlier versions of the code are others. */
const { shelf, ...unlisted } = toStored(joke).item
const listed = { ...unlisted, shelf, words: ' old' }
const BEFORE: Record<string, Item | undefined> = {
  listed,
  waiting: { ...unlisted, state: 'waiting' },
  'removed while it was listed': { ...unlisted, state: 'removed', removedFrom: 'listed' },
  'removed while it waited': { ...unlisted, state: 'removed', removedFrom: 'waiting' },
  lost: undefined,
}

const complete = (run: Promise<unknown>) =>
  run.catch((error) => {
    if (!(error instanceof UnknownJoke)) throw error
  })

/** Tables with the joke, in which one command interrupts another. */
async function start(before: Item | undefined) {
  const store = await createStore()
  const backup = `Backup-${randomUUID()}`
  await createTables({ ...store, jokesTable: backup }, configOf(inject('endpoint')))
  await put(store, backup, toStored(joke).item)
  const interrupted = openStore(store, configOf(inject('endpoint')))
  let beforeCall = async () => {}
  interrupted.database.middlewareStack.add((next) => async (args) => beforeCall().then(() => next(args)), {
    step: 'initialize',
  })

  /**
   * Runs `first`, and `other` whole before one of its calls.
   *
   * @returns whether it makes that many calls
   */
  return async (first: Run, call: number, other: Run, isKilled: boolean): Promise<boolean> => {
    await Promise.all([emptyTable(store, store.jokesTable), emptyTable(store, store.wordsTable)])
    await writeOrphans(store, lost)
    if (before) await put(store, store.jokesTable, before)
    if (before?.shelf) await put(store, store.wordsTable, ...rowsAt(placeOf(joke), wordsIn(before.words)))

    const killed = Promise.withResolvers<void>()
    let calls = 0
    let pause: Promise<unknown> | undefined
    beforeCall = async () => {
      if (calls++ === call) {
        pause = complete(other(store, backup))
        if (isKilled) pause.then(() => killed.resolve(), killed.reject)
      }
      await pause
      if (isKilled && pause) await new Promise(() => {})
    }
    await Promise.race([complete(first(interrupted, backup)), killed.promise])
    if (isKilled && calls > call) {
      await complete(first(store, backup))
      // Once the words of a row are gone from the item, only looking at all rows finds it.
      if (other === COMMANDS.erase || first === COMMANDS.restore) await COMMANDS.reindex?.(store, backup)
    }

    const [item] = await itemsOf(store, store.jokesTable)
    const rows = (await itemsOf(store, store.wordsTable)).filter(
      ({ entry }) => !String(entry).startsWith(placeOf(lost)),
    )
    const right = item?.shelf ? rowsAt(placeOf(joke), wordsIn(item.words)) : []
    const keysOf = (rows: Item[]) => rows.map(({ prefix, entry }) => `${prefix} ${entry}`).toSorted()
    expect(keysOf(rows)).toEqual(keysOf(right))
    expect(item === undefined || (item.shelf !== undefined) === (stateOf(item) === 'listed')).toBe(true)
    return calls > call
  }
}

describe.each(Object.entries(BEFORE))('a joke that is %s has all its rows and no other after', (_, before) => {
  it.concurrent.each(Object.entries(COMMANDS))('%s, whatever interrupts it before any call', async (_, first) => {
    const interrupt = await start(before)
    for (const other of Object.values(COMMANDS)) {
      for (const isKilled of [false, true]) {
        let call = 0
        while (await interrupt(first, call, other, isKilled)) call += 1
      }
    }
  })
})
