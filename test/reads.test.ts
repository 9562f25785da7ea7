import { beforeEach, expect, it, vi } from 'vitest'
import { Reads } from '../shared/store/reads.ts'
import { numberedJoke } from './support/numberedJoke.ts'

const { send } = vi.hoisted(() => ({
  send: vi.fn<(call: { input: object }, options: object) => Promise<object>>(),
}))
vi.mock('../shared/store/database.ts', () => ({ database: { send } }))
vi.mock('../shared/store/environment.ts', () => ({ JOKES_TABLE: 'Jokes' }))
vi.mock('../shared/store/limits.ts', () => ({ MAX_READ_UNITS: 10 }))

beforeEach(() => {
  send.mockReset()
})

const { signal } = new AbortController()

it('at first, all units can be read: rows of up to 8,192 bytes a unit, jokes of one unit each', () => {
  const reads = new Reads(signal)
  expect(reads.affordableJokes()).toBe(10)
  expect(reads.affordableRows(8_192, 0)).toBe(10)
  expect(reads.affordableRows(1_000, 3)).toBe(57)
  expect(reads.affordableRows(1_000, 11)).toBe(0)
})

it('a query takes its units, and the signal that ends it', async () => {
  const reads = new Reads(signal)
  send.mockResolvedValue({ Items: [], ConsumedCapacity: { CapacityUnits: 2.5 } })
  expect(await reads.query({ TableName: 'Jokes' })).toHaveProperty('Items', [])
  expect(send).toHaveBeenCalledWith(
    expect.objectContaining({ input: { TableName: 'Jokes', ReturnConsumedCapacity: 'TOTAL' } }),
    { abortSignal: signal },
  )
  expect(reads.affordableJokes()).toBe(7)
  expect(reads.affordableRows(8_192, 0)).toBe(7)
})

it('reading jokes takes their units; ids in another form are not read, nor jokes that are not listed', async () => {
  const reads = new Reads(signal)
  const [listed, removed] = [numberedJoke(1), numberedJoke(2)]
  send.mockResolvedValue({
    Responses: { Jokes: [{ ...listed, shelf: listed.category }, removed] },
    ConsumedCapacity: [{ CapacityUnits: 12 }],
  })
  const ids = [listed.id, removed.id, listed.id]
  expect(await reads.jokes([...ids, 'x'], { ConsistentRead: true })).toEqual(new Map([[listed.id, listed]]))
  const Jokes = { Keys: [{ id: listed.id }, { id: removed.id }], ConsistentRead: true }
  expect(send.mock.calls).toEqual([
    [
      expect.objectContaining({ input: { RequestItems: { Jokes }, ReturnConsumedCapacity: 'TOTAL' } }),
      { abortSignal: signal },
    ],
  ])
  expect(reads.affordableJokes()).toBe(0)
  expect(reads.affordableRows(1, 0)).toBe(0)
})
