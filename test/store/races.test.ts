/** Simultaneous requests and commands on one joke: their calls to the database interleave at random. */
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { PROBLEMS, ProblemError } from '../../shared/errors.ts'
import type { Joke } from '../../shared/joke.ts'
import type { Item } from '../../shared/store/item.ts'
import { createJoke, putIfAbsent, thumbsUpJoke } from '../../shared/store/jokes.ts'
import { CACHE } from '../../shared/store/limits.ts'
import { readItem } from '../../shared/store/reads.ts'
import type { Store } from '../../shared/store/store.ts'
import { act } from '../../tools/changes.ts'
import { put, toItem } from '../support/access.ts'
import { jokeOf } from '../support/numberedJoke.ts'
import { createStore, openAgain } from '../support/service.ts'

const RUNS = Number(process.env.RUNS ?? 100)

/** The votes in a backup, more than any other joke has. */
const RESTORED_VOTES = 1_000_000

const OPERATIONS: Record<string, (store: Store, joke: Joke) => Promise<unknown>> = {
  create: (store, joke) => createJoke(store, { ...joke, category: 'Classic' }),
  thumbsUp: (store, { id }) => thumbsUpJoke(store, id),
  'thumbsUp again': (store, { id }) => thumbsUpJoke(store, id),
  approve: (store, { id }) => act(store, id, 'approve'),
  remove: (store, { id }) => act(store, id, 'remove'),
  undo: (store, { id }) => act(store, id, 'undo'),
  erase: (store, { id }) => act(store, id, 'erase'),
  restore: (store, joke) => putIfAbsent(store, { ...toItem(store, joke), thumbsUp: RESTORED_VOTES }),
}

/** The states of a joke before a race. A removed one also has the state before its removal. */
const BEFORE = ['listed', 'waiting', 'removed listed', 'removed waiting', 'missing']

/** Transitions of states by operations. An operation without one leaves the state. */
const TRANSITIONS: Record<string, Partial<Record<string, string>>> = {
  create: { missing: 'listed' },
  restore: { missing: 'listed' },
  approve: { waiting: 'listed' },
  remove: { listed: 'removed listed', waiting: 'removed waiting' },
  undo: { 'removed listed': 'listed', 'removed waiting': 'waiting' },
  erase: { 'removed listed': 'erased', 'removed waiting': 'erased' },
}

/** Returns the states in which operations may leave a joke, one after the other in some order. */
function statesAfter(state: string, names: string[]): Set<string> {
  if (names.length === 0) return new Set([state])
  const orders = names.map((name) => {
    const others = names.filter((other) => other !== name)
    return statesAfter(TRANSITIONS[name]?.[state] ?? state, others)
  })
  return new Set(orders.flatMap((states) => [...states]))
}

function nameOfState(item?: Item): string {
  const state = item ? item.jokeState : 'missing'
  return state === 'removed' ? `removed ${item?.stateBefore}` : `${state}`
}

/** Opens a second store on the same table. Its calls are made one after the other, in the order of the scheduler. */
function openInTurns(first: Store, scheduler: fc.Scheduler, afterCall: () => Promise<void>): Store {
  const store = openAgain(first)
  for (const client of [store.database, store.databaseOnce])
    client.middlewareStack.add(
      (next) => async (args) => {
        const ended = Promise.withResolvers<void>()
        const begin = (release: () => Promise<void>) => release().then(() => ended.promise)
        await scheduler.schedule(Promise.resolve(), 'call', undefined, begin)
        return next(args).finally(afterCall).finally(ended.resolve)
      },
      { step: 'initialize' },
    )
  return store
}

/** Whether a run did what it is for. Refusals are normal in a race. */
function succeeds(run?: Promise<unknown>): Promise<boolean> | undefined {
  return run?.then(
    () => true,
    (error) => {
      if (error instanceof ProblemError && PROBLEMS[error.code].status < 500) return false
      throw error
    },
  )
}

it('interleaved requests and commands leave a valid item and lose no upvote', async () => {
  const store = await createStore()
  const another = openAgain(store)
  using _eachListingRefreshes = vi.spyOn(CACHE, 'freshMs', 'get').mockReturnValue(0)
  let number = 0
  const names = fc.shuffledSubarray(Object.keys(OPERATIONS), { minLength: 2, maxLength: 5 })
  // The scheduler chooses once all calls that can begin are waiting.
  const scheduler = fc.scheduler({ act: (callNext) => setImmediate().then(callNext) })
  const property = fc.asyncProperty(fc.constantFrom(...BEFORE), names, scheduler, async (before, names, scheduler) => {
    number += 1
    const joke = jokeOf({ joke: `Race ${number}`, punchline: '' }, number)
    const { id, thumbsUp } = joke
    if (before !== 'missing') await put(store, toItem(store, joke, before.includes('listed') ? 'listed' : 'waiting'))
    if (before.startsWith('removed')) await act(store, id, 'remove')
    const versions: Item[] = []
    const inTurns = openInTurns(store, scheduler, async () => {
      const item = await readItem(store, id)
      if (item) versions.push(item)
    })
    const runs = names.map((name) => succeeds(OPERATIONS[name]?.(inTurns, joke)))
    const results = await scheduler.waitFor(Promise.all(runs))
    const upvotes = names.filter((name, index) => name.startsWith('thumbsUp') && results[index]).length

    // Each version that differs from the one before has a higher revision.
    for (const [index, item] of versions.entries()) {
      const earlier = versions[index - 1] ?? item
      if (JSON.stringify(item) !== JSON.stringify(earlier))
        expect(Number(item.rev)).toBeGreaterThan(Number(earlier.rev))
    }
    const last = versions.at(-1)
    expect(statesAfter(before, names)).toContain(nameOfState(last))
    expect(last?.joke === undefined).toBe(/missing|erased/.test(nameOfState(last)))
    const isRestored = Number(last?.thumbsUp) >= RESTORED_VOTES
    const atFirst = isRestored ? RESTORED_VOTES : before === 'missing' ? 0 : thumbsUp
    if (last?.joke !== undefined) expect(last.thumbsUp).toBe(atFirst + upvotes)
    const listed = (await another.cache.current()).all().find(({ joke }) => joke.id === id)
    expect(listed?.joke.thumbsUp).toBe(last?.jokeState === 'listed' ? last.thumbsUp : undefined)
  })
  await fc.assert(property, { numRuns: RUNS })
})
