import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { getItems, writeItems } from '../shared/store/connection/batches.ts'
import { signalsOf, stubbedStore } from './support/stubbedStore.ts'

beforeEach(() => {
  vi.useFakeTimers({ fakeNodeBuiltins: true })
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
})
afterEach(() => void vi.useRealTimers().restoreAllMocks())

const { signal } = new AbortController()

/** Makes a store that gives these answers in turn. Records its calls and their times in milliseconds. */
function answeredInTurn(...answers: object[]) {
  const start = Date.now()
  const times: number[] = []
  const { store, calls } = stubbedStore(() => {
    times.push(Date.now() - start)
    return answers.shift() ?? {}
  })
  return { store, times, inputs: () => calls.map(({ input }) => input), signals: signalsOf(store) }
}

/** Runs all timers until the work ends. */
async function finished<Result>(work: Promise<Result>): Promise<Result> {
  const [result] = await Promise.all([work, vi.runAllTimersAsync()])
  return result
}

const ids = Array.from({ length: 250 }, (_, number) => `id${number}`)
const keys = ids.map((id) => ({ id }))
const puts = keys.map((Item) => ({ PutRequest: { Item } }))

const CONSISTENT = { ConsistentRead: true }
const read = (Keys: object[]) => ({ RequestItems: { Jokes: { Keys, ...CONSISTENT } }, ReturnConsumedCapacity: 'TOTAL' })
const write = (requests: object[]) => ({ RequestItems: { JokeWords: requests } })

it('getItems reads up to 100 items per call', async () => {
  const answer = (start: number) => ({
    Responses: { Jokes: keys.slice(start, start + 100) },
    ConsumedCapacity: [{ CapacityUnits: 1.5 }, { CapacityUnits: 1 }, {}],
  })
  const { store, inputs, signals } = answeredInTurn(answer(0), answer(100), answer(200))
  expect(await getItems(store, [], CONSISTENT, signal)).toEqual({ items: [], units: 0 })
  expect(await getItems(store, ids, CONSISTENT, signal)).toEqual({ items: keys, units: 7.5 })
  expect(inputs()).toEqual([read(keys.slice(0, 100)), read(keys.slice(100, 200)), read(keys.slice(200))])
  expect(signals()).toEqual([signal, signal, signal])
})

it('writeItems writes up to 25 items per call', async () => {
  const { store, inputs, signals } = answeredInTurn()
  await writeItems(store, 'JokeWords', puts.slice(0, 60), signal)
  expect(inputs()).toEqual([write(puts.slice(0, 25)), write(puts.slice(25, 50)), write(puts.slice(50, 60))])
  expect(signals()).toEqual([signal, signal, signal])
})

describe('unprocessed items', () => {
  it('unprocessed keys are read again consistently, after growing random waits', async () => {
    const [first = {}, second = {}] = keys
    const { store, inputs, times } = answeredInTurn(
      { Responses: { Jokes: [first] }, UnprocessedKeys: { Jokes: { Keys: [second] } } },
      { UnprocessedKeys: { Jokes: { Keys: [second] } } },
      { Responses: { Jokes: [second] }, UnprocessedKeys: {} },
    )
    const found = await finished(getItems(store, ['id0', 'id1'], CONSISTENT, signal))
    expect(found).toEqual({ items: [first, second], units: 0 })
    expect(inputs()).toEqual([read([first, second]), read([second]), read([second])])
    expect(times).toEqual([0, 50, 50 + 100])
  })

  it('unprocessed writes are retried, with waits of at most 3.2 seconds', async () => {
    const left = { UnprocessedItems: { JokeWords: puts.slice(3, 5) } }
    const { store, inputs, times } = answeredInTurn(...Array(8).fill(left), { UnprocessedItems: { JokeWords: [] } })
    await finished(writeItems(store, 'JokeWords', puts.slice(0, 5), signal))
    expect(inputs()).toEqual([write(puts.slice(0, 5)), ...Array(8).fill(write(puts.slice(3, 5)))])
    // The mocked random number halves the longest waits.
    expect(times).toEqual([0, 50, 150, 350, 750, 1_550, 3_150, 4_750, 6_350])
  })

  it('unprocessed writes are given up when the signal aborts', async () => {
    const { store, inputs } = answeredInTurn({ UnprocessedItems: { JokeWords: puts.slice(0, 1) } })
    const stop = new AbortController()
    const writing = writeItems(store, 'JokeWords', puts.slice(0, 1), stop.signal)
    const failed = expect(writing).rejects.toHaveProperty('name', 'AbortError')
    await vi.advanceTimersByTimeAsync(10)
    expect(vi.getTimerCount()).toBe(1)
    stop.abort()
    await failed
    expect(inputs()).toHaveLength(1)
  })
})
