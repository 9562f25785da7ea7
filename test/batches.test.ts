import { beforeEach, describe, expect, it, vi } from 'vitest'
import { getItems, writeItems } from '../shared/store/batches.ts'

interface Call {
  input: {
    RequestItems: { Jokes: { Keys: object[] } & object[] }
  }
}

const { send, waitBefore } = vi.hoisted(() => ({
  send: vi.fn<(call: Call, options?: { abortSignal: AbortSignal }) => Promise<object>>(),
  waitBefore: vi.fn<(retry: number) => number>(() => 0),
}))
vi.mock('../shared/store/database.ts', () => ({ database: { send }, waitBefore }))
vi.mock('../shared/store/environment.ts', () => ({ JOKES_TABLE: 'Jokes' }))

beforeEach(() => {
  send.mockReset()
  waitBefore.mockClear()
})

/** What each call asked for. */
function requested() {
  return send.mock.calls.map(([{ input }]) => input.RequestItems.Jokes)
}

const { signal } = new AbortController()

describe('reading', () => {
  const ids = Array.from({ length: 250 }, (_, number) => `id${number}`)
  const keys = ids.map((id) => ({ id }))

  it('takes a call for each hundred items, and counts the units', async () => {
    send.mockImplementation(async ({ input: { RequestItems } }) => ({
      Responses: { Jokes: RequestItems.Jokes.Keys },
      ConsumedCapacity: [{ CapacityUnits: 1.5 }, { CapacityUnits: 1 }, {}],
    }))
    expect(await getItems(ids, { ConsistentRead: true }, signal)).toEqual({ items: keys, units: 7.5 })
    expect(requested()).toEqual([
      { ConsistentRead: true, Keys: keys.slice(0, 100) },
      { ConsistentRead: true, Keys: keys.slice(100, 200) },
      { ConsistentRead: true, Keys: keys.slice(200) },
    ])
    for (const [{ input }, options] of send.mock.calls) {
      expect(input).toHaveProperty('ReturnConsumedCapacity', 'TOTAL')
      expect(options).toEqual({ abortSignal: signal })
    }
  })

  it('of no items takes no call', async () => {
    expect(await getItems([], {})).toEqual({ items: [], units: 0 })
    expect(send).not.toHaveBeenCalled()
  })

  it('asks again for unprocessed keys, after longer and longer waits', async () => {
    const [first = {}, second = {}] = keys
    send
      .mockResolvedValueOnce({ Responses: { Jokes: [first] }, UnprocessedKeys: { Jokes: { Keys: [second] } } })
      .mockResolvedValueOnce({ UnprocessedKeys: { Jokes: { Keys: [second] } } })
      .mockResolvedValueOnce({ Responses: { Jokes: [second] }, UnprocessedKeys: {} })
    expect(await getItems(['id0', 'id1'], {})).toEqual({ items: [first, second], units: 0 })
    expect(requested()).toEqual([{ Keys: [first, second] }, { Keys: [second] }, { Keys: [second] }])
    expect(waitBefore.mock.calls).toEqual([[1], [2]])
  })
})

describe('writing', () => {
  const puts = Array.from({ length: 60 }, (_, number) => ({ PutRequest: { Item: { id: `id${number}` } } }))

  it('takes a call for each 25 items', async () => {
    send.mockResolvedValue({})
    await writeItems('Jokes', puts, signal)
    expect(requested()).toEqual([puts.slice(0, 25), puts.slice(25, 50), puts.slice(50)])
    for (const [, options] of send.mock.calls) expect(options).toEqual({ abortSignal: signal })
  })

  it('repeats unprocessed writes, after longer and longer waits', async () => {
    const left = puts.slice(3, 5)
    send
      .mockResolvedValueOnce({ UnprocessedItems: { Jokes: left } })
      .mockResolvedValueOnce({ UnprocessedItems: { Jokes: left } })
      .mockResolvedValueOnce({ UnprocessedItems: { Jokes: [] } })
    await writeItems('Jokes', puts.slice(0, 5))
    expect(requested()).toEqual([puts.slice(0, 5), left, left])
    expect(waitBefore.mock.calls).toEqual([[1], [2]])
    expect(send).toHaveBeenLastCalledWith(expect.anything(), undefined)
  })

  it('stops waiting when its time is up', async () => {
    send.mockResolvedValue({ UnprocessedItems: { Jokes: puts.slice(0, 1) } })
    waitBefore.mockReturnValueOnce(60_000)
    const stop = new AbortController()
    const writing = writeItems('Jokes', puts.slice(0, 1), stop.signal)
    await vi.waitFor(() => expect(waitBefore).toHaveBeenCalled())
    stop.abort()
    await expect(writing).rejects.toHaveProperty('name', 'AbortError')
  })

  it('fails as its call does', async () => {
    send.mockRejectedValue(new Error('no table'))
    await expect(writeItems('Jokes', puts)).rejects.toThrow('no table')
  })
})
