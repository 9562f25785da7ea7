/** What additions and operators' commands write, and in which order. What they bring about is tested on a database. */
import { once } from 'node:events'
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import * as v from 'valibot'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { DuplicateJoke } from '../shared/errors.ts'
import { wordsOfJoke } from '../shared/joke.ts'
import { type Item, toItem } from '../shared/store/item.ts'
import { addJoke } from '../shared/store/jokes.ts'
import { hold } from '../shared/store/operators/hold.ts'
import { approveJoke, eraseJoke, findByState, removeJoke, undoRemoval } from '../shared/store/operators/removal.ts'
import { reindex, restore, sweep } from '../shared/store/operators/wholeTables.ts'
import type { Store } from '../shared/store/store.ts'
import { placeOf, rowsAt } from '../shared/store/wordRows.ts'
import { numberedJoke } from './support/numberedJoke.ts'
import { type Answer, type Call, signalsOf, stubbedStore } from './support/stubbedStore.ts'

beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}))
afterEach(() => void vi.restoreAllMocks())

const joke = numberedJoke(1)
const words = wordsOfJoke(joke)
const stored = toItem(joke, 'listed', 'request#1')
const erased = { id: 'E'.repeat(22), state: 'erased', removedAt: joke.dateAdded, erasedAt: joke.dateAdded }
const { shelf: _, ...unlisted } = stored
const removed = { ...unlisted, state: 'removed' }
const waiting = { ...unlisted, state: 'waiting' }
const damaged = { ...stored, thumbsUp: 'many' }
const missing = { existing: false, newer: false }
const conditionFailed = (Item?: Record<string, { S: string }>) =>
  new ConditionalCheckFailedException({ $metadata: {}, message: '', ...(Item && { Item }) })

/** Runs a command on a store that now holds an item of the joke, or none. */
async function run<Result>(current: Item | undefined, command: (store: Store) => Promise<Result>, answer?: Answer) {
  const { store, calls } = stubbedStore((name, input) => {
    if (name === 'GetItem') return { Item: current }
    return answer?.(name, input) ?? {}
  })
  const signals = signalsOf(store)
  const result = await command(store)
  return { result, changes: calls.flatMap(changesOf), calls, signals: signals() }
}

/** Reindexes, or restores from, a table that holds an item. */
async function work(scanned: Item, current: Item | undefined, how: typeof missing | boolean, answer?: Answer) {
  const scan: Answer = (name, input) => (name === 'Scan' ? { Items: [scanned] } : (answer?.(name, input) ?? {}))
  const pages = (store: Store) => (typeof how === 'boolean' ? reindex(store, how) : restore(store, 'Backup', how))
  const { result, ...done } = await run(current, (store) => Array.fromAsync(pages(store)), scan)
  return { changed: result[0]?.changed, ...done }
}

const Row = v.object({ prefix: v.string() })
const Change = v.object({
  RequestItems: v.optional(v.record(v.string(), v.array(v.record(v.string(), v.record(v.string(), Row))))),
  UpdateExpression: v.optional(v.string()),
  Item: v.optional(v.unknown()),
})

/** What a call changes: `+road` and `-road` are rows of that list, others are an expression or an item. */
function changesOf({ input }: Call): unknown[] {
  const { RequestItems, UpdateExpression, Item } = v.parse(Change, input)
  const rows = RequestItems?.JokeWords?.map(({ PutRequest, DeleteRequest }) =>
    PutRequest ? `+${PutRequest.Item?.prefix}` : `-${DeleteRequest?.Key?.prefix}`,
  )
  return rows ?? [UpdateExpression ?? Item].filter((change) => change !== undefined)
}

const rows = (sign: '+' | '-', ofWords = words) =>
  rowsAt(placeOf(joke), ofWords).map(({ prefix }) => `${sign}${prefix}`)
const HOLD = 'SET held = :held'
const OLD_ROWS = ['-z', '-zo', '-zoo']
const isPut = expect.objectContaining({ id: joke.id })
const isListing = expect.stringMatching('^SET #state = :state, shelf')

it.each<[title: string, current: Item | undefined, state: string, changes: unknown[]]>([
  ['exists writes nothing', stored, '', []],
  ['is listed meanwhile leaves its rows', undefined, 'listed', [...rows('+'), isPut]],
  ['is removed meanwhile leaves its rows', undefined, 'removed', [...rows('+'), isPut]],
])('adding a joke that %s', async (_, current, state, expected) => {
  const add = (store: Store) => addJoke(store, joke).catch((error: unknown) => error)
  const { result, changes } = await run(current, add, (name) => {
    if (name !== 'PutItem') return {}
    throw conditionFailed({ state: { S: state } })
  })
  expect(result).toBeInstanceOf(DuplicateJoke)
  expect(changes).toEqual(expected)
})

it.each([
  ['throttled', Object.assign(new Error(), { name: 'ThrottlingException' })],
  ['not answered in time', Object.assign(new Error(), { name: 'AbortError' })],
])('adding a joke does not fail if the read that saves work is %s', async (_, error) => {
  const { store, calls } = stubbedStore(vi.fn<Answer>().mockReturnValue({}).mockThrowOnce(error))
  expect(await addJoke(store, joke)).toMatchObject({ id: joke.id })
  const put = expect.objectContaining({ id: joke.id, createdBy: expect.stringMatching(/^unknown#/) })
  expect(calls.flatMap(changesOf)).toEqual([...rows('+'), put])
})

it('adding a joke fails, and writes nothing, if that read is refused', async () => {
  const { store, calls } = stubbedStore(vi.fn<Answer>().mockThrow(new Error('no table')))
  await expect(addJoke(store, joke)).rejects.toThrow('no table')
  expect(calls).toHaveLength(1)
})

it.each<[title: string, command: typeof removeJoke, item: Item, changes: unknown[]]>([
  ['removing again deletes rows', removeJoke, removed, [HOLD, ...rows('-'), HOLD]],
  ['erasing deletes rows first', eraseJoke, removed, [HOLD, ...rows('-'), isPut, HOLD]],
  ['erasing a damaged joke has no rows to delete', eraseJoke, { ...removed, words: 1 }, [HOLD, isPut, HOLD]],
  ['erasing again changes nothing', eraseJoke, erased, [HOLD, HOLD]],
  ['approving again changes nothing', approveJoke, stored, [HOLD, HOLD]],
  ['approving writes rows first', approveJoke, waiting, [HOLD, ...rows('+'), isListing, HOLD]],
  ['a damaged joke loses its rows', undoRemoval, { ...removed, thumbsUp: 'x' }, [HOLD, isListing, ...rows('-'), HOLD]],
])('%s, while it is held', async (_, command, item, expected) => {
  const { changes, calls, signals } = await run(item, (store) => command(store, String(item.id)))
  expect(changes).toEqual(expected)
  expect(calls[1]).toMatchObject({ name: 'GetItem', input: { ConsistentRead: true } })
  // All calls after those that take it end with the hold.
  expect(signals.slice(2)).toEqual(calls.slice(2).map(() => expect.any(AbortSignal)))
})

it('work whose hold is lost is done again', async () => {
  let updates = 0
  const loseSecond: Answer = (name) => {
    if (name === 'UpdateItem' && ++updates === 2) throw conditionFailed()
    return {}
  }
  const { changes } = await run(removed, (store) => removeJoke(store, joke.id), loseSecond)
  expect(changes).toEqual([HOLD, ...rows('-'), HOLD, HOLD, ...rows('-'), HOLD])
})

describe('a hold', () => {
  const heldFor = (limits: { holdMs: number }, answer: Answer = () => ({})) => {
    const get: Answer = (name, input) => (name === 'GetItem' ? { Item: stored } : answer(name, input))
    const { store, calls } = stubbedStore(get, limits)
    /** The times until which it was held. */
    const times = () =>
      calls.flatMap(({ input }) => Object(input).ExpressionAttributeValues?.[':held']?.slice(0, 16) ?? [])
    return { store, times }
  }

  it('is renewed while the work goes on, even if that fails at times', async () => {
    const answer = vi.fn<Answer>().mockReturnValue({}).mockReturnValueOnce({}).mockThrowOnce(new Error('Busy.'))
    const { store, times } = heldFor({ holdMs: 3_000 }, answer)
    let works = 0
    await hold(store, joke.id, ['listed'], async ({ signal }) => {
      works += 1
      // Without them, the signal aborts after half of the time.
      await vi.waitFor(() => expect(times().length).toBeGreaterThan(7), { timeout: 10_000 })
      signal.throwIfAborted()
    })
    expect(works).toBe(1)
    // Each time for longer, until it is released.
    expect(times().slice(0, -1)).toEqual(times().slice(0, -1).toSorted())
    expect(times().at(-1)).toBe('0'.repeat(16))
  })

  it('of another command is waited for', async () => {
    const answer = vi.fn<Answer>().mockReturnValue({}).mockThrowOnce(conditionFailed())
    const { store, times } = heldFor({ holdMs: 60_000 }, answer)
    const attempts = await hold(store, joke.id, ['listed'], async () => times().length)
    expect(attempts).toBe(2)
  })

  it('that another command has taken over ends the work at once, which is done again', async () => {
    const answer = vi.fn<Answer>().mockReturnValue({}).mockReturnValueOnce({}).mockThrowOnce(conditionFailed())
    const { store, times } = heldFor({ holdMs: 3_000 }, answer)
    const renewed: number[] = []
    await hold(store, joke.id, ['listed'], async ({ signal }) => {
      if (renewed.length > 0) return
      await once(signal, 'abort')
      renewed.push(times().length)
      signal.throwIfAborted()
    })
    expect(renewed).toEqual([2])
  })

  it('ends with work that fails, and with nothing left to renew it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { store } = heldFor({ holdMs: 60_000 })
    const failing = vi.fn().mockRejectedValueOnce(new Error('no table'))
    await expect(hold(store, joke.id, ['listed'], failing)).rejects.toThrow('no table')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('that took too long to take is taken again before any work', async () => {
    const start = Date.now()
    const now = vi.spyOn(Date, 'now').mockReturnValue(start)
    let taken = 0
    const { store } = heldFor({ holdMs: 100 }, () => {
      // The call is answered when half of the time is over.
      now.mockReturnValue(start + (++taken === 1 ? 50 : 60))
      return {}
    })
    const signals: boolean[] = []
    await hold(store, joke.id, ['listed'], async ({ signal }) => {
      signals.push(signal.aborted)
      signal.throwIfAborted()
    })
    expect(signals).toEqual([true, false])
  })

  it('that cannot be renewed ends the work, which is done again', async () => {
    let works = 0
    const answer = vi.fn<Answer>().mockReturnValue({})
    const { store } = heldFor({ holdMs: 100 }, answer)
    await hold(store, joke.id, ['listed'], async ({ signal }) => {
      if (++works > 1) return
      answer.mockThrow(new Error('The database is busy.'))
      await once(signal, 'abort')
      answer.mockReturnValue({})
      signal.throwIfAborted()
    })
    expect(works).toBe(2)
  })
})

it('the jokes in a state are found as they are now, whatever the index says', async () => {
  const other = { ...stored, id: 'O'.repeat(22) }
  const { store, calls } = stubbedStore((name) =>
    name === 'Query' ? { Items: [{ id: joke.id }, { id: other.id }] } : { Responses: { Jokes: [waiting, other] } },
  )
  const pages = await Array.fromAsync(findByState(store, 'waiting'))
  expect(pages).toEqual([[{ id: joke.id, joke, state: 'waiting', requestId: 'request' }]])
  expect(calls[1]).toMatchObject({ input: { RequestItems: { Jokes: { ConsistentRead: true } } } })
})

it('a joke is reindexed between writing the rows of today and deleting those of earlier words', async () => {
  const item = { ...stored, words: `${stored.words} zoo` }
  const { changed, changes, calls } = await work(item, item, false)
  expect([changed, changes]).toEqual([1, [HOLD, ...rows('+'), 'SET words = :words', ...OLD_ROWS, HOLD]])
  const values = calls.map(({ input }) => Object(input).ExpressionAttributeValues)
  expect(values).toContainEqual({ ':words': stored.words, ':token': expect.anything() })
})

it('a joke is replaced between writing its rows and deleting those that it has no more', async () => {
  const current = { ...stored, joke: 'zoo', punchline: '', words: ' zoo' }
  const { changed, changes } = await work(stored, current, { existing: true, newer: false })
  const replaced = { ...stored, held: expect.anything() }
  expect([changed, changes]).toEqual([1, [HOLD, ...rows('+'), replaced, ...OLD_ROWS, HOLD]])
})

it('a lost joke is restored before its rows, and listed after them; one that was not listed comes back as it was', async () => {
  const puts: Item[] = []
  const { store, calls } = stubbedStore((name, input) => {
    if (name === 'Scan') return { Items: [{ ...stored, words: ' old', held: 'once' }] }
    if (name === 'GetItem') return { Item: puts[0] }
    if (name === 'PutItem') puts.push(v.parse(v.object({ Item: v.record(v.string(), v.unknown()) }), input).Item)
    return {}
  })
  const [part] = await Array.fromAsync(restore(store, 'Backup', missing))
  const changes = [{ ...waiting, words: ' old' }, HOLD, ...rows('+'), isListing, '-o', '-ol', '-old', HOLD]
  expect([part?.changed, calls.flatMap(changesOf)]).toEqual([1, changes])
  expect(calls[0]).toMatchObject({ name: 'Scan', input: { TableName: 'Backup', ConsistentRead: true } })
  expect(calls[2]?.input).toHaveProperty('ConditionExpression', 'attribute_not_exists(id)')
  for (const item of [erased, removed, waiting])
    expect(await work(item, undefined, missing)).toMatchObject({ changed: 1, changes: [item] })
})

it('a lost joke that somebody adds again meanwhile, and that waits, is not listed by a restore', async () => {
  const reads = [undefined, { ...waiting, createdBy: 'another#2' }].values()
  const { store, calls } = stubbedStore((name) => {
    if (name === 'PutItem') throw conditionFailed()
    return name === 'Scan' ? { Items: [stored] } : { Item: reads.next().value }
  })
  const [part] = await Array.fromAsync(restore(store, 'Backup', missing))
  expect([part?.changed, calls.flatMap(changesOf)]).toEqual([0, [waiting]])
})

it('a restore that was interrupted goes on, but lists no other joke that waits', async () => {
  const { changes } = await work(stored, waiting, missing)
  expect(changes).toEqual([expect.anything(), HOLD, ...rows('+'), isListing, HOLD])
  expect((await work(stored, { ...waiting, createdBy: 'another#2' }, missing)).changes).toEqual([])
  expect((await work(waiting, waiting, missing)).changes).toEqual([])
})

it('a joke that was edited meanwhile gets the words of its text', async () => {
  const { changed, changes } = await work({ ...stored, words: '' }, { ...stored, joke: 'zebra' }, false)
  const expected = rows('+', wordsOfJoke({ ...joke, joke: 'zebra' }))
  expect([changed, changes]).toEqual([1, expect.arrayContaining(expected)])
})

it.each<[title: string, scanned: Item, how: typeof missing | boolean]>([
  ['a reindex leaves a joke whose stored words are those of today', stored, false],
  ['a reindex leaves a damaged joke', damaged, true],
  ['a reindex leaves an erased joke', erased, true],
  ['a restore leaves a damaged joke', damaged, missing],
  ['a restore leaves a damaged joke that exists', damaged, { existing: true, newer: false }],
])('%s', async (_, scanned, how) => {
  const { changed, changes } = await work(scanned, how === missing ? undefined : scanned, how)
  expect([changed, changes]).toEqual([0, []])
  expect(console.error).toHaveBeenCalledTimes(scanned === damaged ? 1 : 0)
})

it('a reindex changes nothing of a joke that was damaged or removed meanwhile, and fails if the database does', async () => {
  const { changes } = await work({ ...stored, words: '' }, damaged, false)
  expect(changes).toEqual([HOLD, HOLD])
  const { changed, changes: none } = await work({ ...stored, words: '' }, removed, false)
  expect([changed, none]).toEqual([0, [HOLD, HOLD]])
  const failing = (error: Error) => work({ ...stored, words: '' }, removed, false, vi.fn<Answer>().mockThrow(error))
  await expect(failing(new Error('no table'))).rejects.toThrow('no table')
})

it('a reindex reads the table consistently from an id on, and says after each part where to continue', async () => {
  const items = Array.from({ length: 150 }, (_, number) => ({ ...erased, id: String(number).padStart(22, '0') }))
  const pages = [{ Items: items, LastEvaluatedKey: { id: items.at(-1)?.id } }, { Items: [erased] }].values()
  const { store, calls } = stubbedStore(() => pages.next().value ?? {})
  expect(await Array.fromAsync(reindex(store, false, 'A'))).toEqual([
    { items: 100, changed: 0, lastId: items[99]?.id },
    { items: 50, changed: 0, lastId: items[149]?.id },
    { items: 1, changed: 0, lastId: erased.id },
    { items: 0, changed: 0 },
  ])
  expect(calls).toMatchObject(
    ['A', items[149]?.id].map((id) => ({
      input: { TableName: 'Jokes', ConsistentRead: true, ExclusiveStartKey: { id } },
    })),
  )
})

describe('a sweep', () => {
  const at = (dateAdded: string, id = joke.id) => ({
    prefix: 'chicke',
    entry: `${placeOf({ ...joke, dateAdded, id })}#chicken`,
  })
  const own = at(joke.dateAdded)
  const other = at('2020-01-01T00:00:00.000Z')
  const unknown = at(joke.dateAdded, 'U'.repeat(22))
  const now = Date.parse('2026-11-22T12:00:00Z')
  const recent = at(new Date(now - 59_000).toISOString())

  /** Word lists that have these rows, while the table had these items, of which one is now another. */
  function tablesOf(items: Item[], current: Item | undefined, rows: Item[], refusal: Error = conditionFailed()) {
    vi.spyOn(Date, 'now').mockReturnValue(now)
    return stubbedStore((name, input) => {
      if (name === 'Scan') return { Items: 'TableName' in input && input.TableName === 'Jokes' ? items : rows }
      if (name === 'GetItem') return { Item: current }
      if (name === 'UpdateItem' && current === undefined) throw refusal
      return {}
    })
  }

  /** Sweeps such word lists. Returns which rows it deletes. */
  async function swept(items: Item[], current: Item | undefined, rows: Item[], ids?: string[]) {
    const { store, calls } = tablesOf(items, current, rows)
    const parts = await Array.fromAsync(sweep(store, ids && new Set(ids)))
    const deleted = calls.flatMap(({ input }) => deletedBy(input))
    return { deleted, counted: parts.reduce((sum, { changed }) => sum + changed, 0), calls }
  }

  it.each<[title: string, items: Item[], current: Item | undefined, rows: Item[], deleted: Item[]]>([
    ['keeps the rows where a joke stands', [stored], stored, [own], []],
    ['deletes rows elsewhere', [stored], stored, [own, other], [other]],
    ['deletes rows of a removed joke', [removed], removed, [own], [own]],
    ['deletes rows of no joke', [], undefined, [own, unknown], [own, unknown]],
    ['keeps the rows of a joke that was brought back meanwhile', [removed], stored, [own, other], [other]],
    ['leaves damaged rows', [], undefined, [{ prefix: 'x', entry: 'y' }], []],
    ['leaves rows of the last minute', [], undefined, [recent], []],
  ])('%s', async (_, items, current, rows, deleted) => {
    expect(await swept(items, current, rows)).toMatchObject({ deleted, counted: deleted.length })
  })

  it('of tidy lists only reads both tables', async () => {
    const { calls } = await swept([stored], stored, [own])
    expect(calls.map(({ name }) => name)).toEqual(['Scan', 'Scan'])
  })

  it('fails, and deletes nothing, if the database refuses to hold a joke', async () => {
    const { store, calls } = tablesOf([], undefined, [own], new Error('no right'))
    await expect(Array.fromAsync(sweep(store))).rejects.toThrow('no right')
    expect(calls.map(({ name }) => name)).toEqual(['Scan', 'Scan', 'UpdateItem'])
  })

  it('of erased jokes deletes only their rows, also those of the last minute', async () => {
    const gone = { ...erased, id: joke.id }
    expect((await swept([], gone, [own, unknown, recent], [joke.id])).deleted).toEqual([own, recent])
  })
})

const Deletes = v.object({
  RequestItems: v.object({
    JokeWords: v.array(v.object({ DeleteRequest: v.object({ Key: v.record(v.string(), v.unknown()) }) })),
  }),
})

function deletedBy(input: object) {
  return v.is(Deletes, input) ? input.RequestItems.JokeWords.map(({ DeleteRequest }) => DeleteRequest.Key) : []
}
