import * as v from 'valibot'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { getItems, writeItems } from '../shared/store/batches.ts'
import { signalsOf, stubbedStore } from './support/stubbedStore.ts'

beforeEach(() => {
  vi.useFakeTimers({ fakeNodeBuiltins: true })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const { signal } = new AbortController()

const WAITS = { firstWaitMs: 100 }

/** A store that gives these answers one after the other, and when each call came, in milliseconds. */
function answeredInTurn(...answers: object[]) {
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
  const start = Date.now()
  const times: number[] = []
  const stubbed = stubbedStore(() => {
    times.push(Date.now() - start)
    return answers.shift() ?? {}
  }, WAITS)
  return { ...stubbed, times }
}

/** Waits for what waits for timers. */
async function finished<Result>(work: Promise<Result>): Promise<Result> {
  const [result] = await Promise.all([work, vi.runAllTimersAsync()])
  return result
}

describe('reading', () => {
  const ids = Array.from({ length: 250 }, (_, number) => `id${number}`)
  const keys = ids.map((id) => ({ id }))

  const BatchGet = v.object({ RequestItems: v.object({ Jokes: v.object({ Keys: v.array(v.unknown()) }) }) })

  function read(Keys: object[], options = {}) {
    return {
      name: 'BatchGetItem',
      input: { RequestItems: { Jokes: { Keys, ...options } }, ReturnConsumedCapacity: 'TOTAL' },
    }
  }

  it('takes a call for each hundred items, and counts the units', async () => {
    const { store, calls } = stubbedStore((_, input) => ({
      Responses: { Jokes: v.parse(BatchGet, input).RequestItems.Jokes.Keys },
      ConsumedCapacity: [{ CapacityUnits: 1.5 }, { CapacityUnits: 1 }, {}],
    }))
    const signals = signalsOf(store)
    const consistent = { ConsistentRead: true }
    expect(await getItems(store, ids, consistent, signal)).toEqual({ items: keys, units: 7.5 })
    expect(calls).toEqual([
      read(keys.slice(0, 100), consistent),
      read(keys.slice(100, 200), consistent),
      read(keys.slice(200), consistent),
    ])
    expect(signals().map((each) => each === signal)).toEqual([true, true, true])
  })

  it('of no items takes no call', async () => {
    const { store, calls } = stubbedStore(() => ({}))
    expect(await getItems(store, [], {}, signal)).toEqual({ items: [], units: 0 })
    expect(calls).toEqual([])
  })

  it('asks again for unprocessed keys, after longer and longer waits', async () => {
    const [first = {}, second = {}] = keys
    const { store, calls, times } = answeredInTurn(
      { Responses: { Jokes: [first] }, UnprocessedKeys: { Jokes: { Keys: [second] } } },
      { UnprocessedKeys: { Jokes: { Keys: [second] } } },
      { Responses: { Jokes: [second] }, UnprocessedKeys: {} },
    )
    const found = await finished(getItems(store, ['id0', 'id1'], {}, signal))
    expect(found).toEqual({ items: [first, second], units: 0 })
    expect(calls).toEqual([read([first, second]), read([second]), read([second])])
    expect(times).toEqual([0, 50, 150])
  })

  it('asks for unprocessed keys as consistently as before', async () => {
    const [first = {}] = keys
    const { store, calls } = answeredInTurn({ UnprocessedKeys: { Jokes: { Keys: [first] } } })
    await finished(getItems(store, ['id0'], { ConsistentRead: true }, signal))
    expect(calls.at(-1)).toEqual(read([first], { ConsistentRead: true }))
  })
})

describe('writing', () => {
  const puts = Array.from({ length: 60 }, (_, number) => ({ PutRequest: { Item: { id: `id${number}` } } }))

  function write(requests: object[]) {
    return { name: 'BatchWriteItem', input: { RequestItems: { JokeWords: requests } } }
  }

  it('takes a call for each 25 items', async () => {
    const { store, calls } = stubbedStore(() => ({}))
    const signals = signalsOf(store)
    await writeItems(store, 'JokeWords', puts, signal)
    expect(calls).toEqual([write(puts.slice(0, 25)), write(puts.slice(25, 50)), write(puts.slice(50))])
    expect(signals().map((each) => each === signal)).toEqual([true, true, true])
  })

  it('repeats unprocessed writes, after longer and longer waits', async () => {
    const left = puts.slice(3, 5)
    const { store, calls, times } = answeredInTurn(
      { UnprocessedItems: { JokeWords: left } },
      { UnprocessedItems: { JokeWords: left } },
      { UnprocessedItems: { JokeWords: [] } },
    )
    await finished(writeItems(store, 'JokeWords', puts.slice(0, 5), signal))
    expect(calls).toEqual([write(puts.slice(0, 5)), write(left), write(left)])
    expect(times).toEqual([0, 50, 150])
  })

  it('waits no longer than 3.2 seconds before a retry', async () => {
    const unprocessed = Array.from({ length: 8 }, () => ({ UnprocessedItems: { JokeWords: puts.slice(0, 1) } }))
    const { store, times } = answeredInTurn(...unprocessed)
    await finished(writeItems(store, 'JokeWords', puts.slice(0, 1), signal))
    // Half of the longest waits.
    expect(times).toEqual([0, 50, 150, 350, 750, 1_550, 3_150, 4_750, 6_350])
  })

  it('stops waiting when its time is up', async () => {
    const { store, calls } = answeredInTurn({ UnprocessedItems: { JokeWords: puts.slice(0, 1) } })
    const stop = new AbortController()
    const writing = expect(writeItems(store, 'JokeWords', puts.slice(0, 1), stop.signal)).rejects.toHaveProperty(
      'name',
      'AbortError',
    )
    await vi.advanceTimersByTimeAsync(10)
    expect(vi.getTimerCount()).toBe(1)
    stop.abort()
    await writing
    expect(calls).toHaveLength(1)
  })

  it('fails as its call does', async () => {
    const { store } = stubbedStore(() => {
      throw new Error('no table')
    })
    await expect(writeItems(store, 'JokeWords', puts, signal)).rejects.toThrow('no table')
  })
})
