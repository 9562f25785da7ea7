/** The read budget of a listing, and the limits of a page. */
import { expect, it } from 'vitest'
import { parseListing } from '../shared/listing.ts'
import { BudgetedReads } from '../shared/store/finding/budgetedReads.ts'
import { PageJokes } from '../shared/store/finding/page.ts'
import { listJokes } from '../shared/store/jokes.ts'
import { numberedJoke } from './support/numberedJoke.ts'
import { signalsOf, stubbedStore } from './support/stubbedStore.ts'

const { signal } = new AbortController()
const budget = { units: 10, calls: 4 }
/** The size of a row that takes half a unit. */
const ROW_BYTES = 4_096
const query = (Limit: number) => ({ TableName: 'Jokes', Limit })

/** Makes reads with that budget on a database that gives each call the same output. */
function readsOf(output = {}) {
  const { store, calls } = stubbedStore(() => output, { listing: budget })
  return { reads: new BudgetedReads(store, signal), calls, signals: signalsOf(store) }
}

/** The numbers of rows and of jokes that the remaining budget allows. */
const left = (reads: BudgetedReads) => [reads.affordableRows(ROW_BYTES, 1), reads.affordableJokes()].join(' ')

it('parallel queries share the remaining units equally', () => {
  const { reads } = readsOf()
  expect(left(reads)).toBe('20 6')
  expect([2, 3, 4, 5].map((queries) => reads.affordableRows(ROW_BYTES, queries))).toEqual([10, 6, 5, 0])
})

it('a call counts at its worst case in flight, then at its reported cost', async () => {
  const { reads, calls, signals } = readsOf({ Items: [], ConsumedCapacity: { CapacityUnits: 0.5 } })
  const reading = reads.query(ROW_BYTES, query(9))
  expect(left(reads)).toBe('11 3')
  await reading
  expect([left(reads), reads.spent]).toEqual(['19 6', { units: 0.5, calls: 1 }])
  expect(calls).toMatchObject([{ input: { Limit: 9, ReturnConsumedCapacity: 'TOTAL' } }])
  expect(signals()[0]).toBe(signal)
})

it('reading jokes spends the reported units', async () => {
  const { reads } = readsOf({ Responses: { Jokes: [] }, ConsumedCapacity: [{ CapacityUnits: 2.5 }] })
  for (const expected of ['15 5', '10 3', '5 1', '0 0']) {
    await reads.jokes([numberedJoke(1).id])
    expect(left(reads)).toBe(expected)
  }
})

it('a child budget spends from its parent', async () => {
  const { reads } = readsOf({ Items: [], ConsumedCapacity: { CapacityUnits: 2 } })
  const budget = { units: 4, calls: 2 }
  const child = reads.withBudget(budget)
  expect(left(child)).toBe('8 2')
  await child.query(ROW_BYTES, query(1))
  expect([left(child), left(reads)]).toEqual(['4 1', '16 5'])
  expect([reads.has(budget), child.has(budget)]).toEqual([true, false])
  expect(left(reads.withBudget(budget))).toBe('8 2')
  await reads.query(ROW_BYTES, query(1))
  expect([reads.has({ ...budget, units: 6 }), reads.has(budget)]).toEqual([true, true])
  expect([reads.has({ ...budget, units: 7 }), reads.has({ ...budget, calls: 3 })]).toEqual([false, false])
})

it('each valid id is read once', async () => {
  const [listed, removed] = [numberedJoke(1), numberedJoke(2)]
  const items = [
    { ...listed, state: 'listed', words: ' why chicken' },
    { ...removed, state: 'removed' },
  ]
  const { reads, calls } = readsOf({ Responses: { Jokes: items } })
  const ids = [listed.id, removed.id, listed.id, 'x']
  const found = await reads.jokes(ids, { ConsistentRead: true })
  expect(found).toEqual(new Map([[listed.id, { joke: listed, words: ' why chicken' }]]))
  const Keys = [{ id: listed.id }, { id: removed.id }]
  expect(calls).toMatchObject([{ input: { RequestItems: { Jokes: { Keys, ConsistentRead: true } } } }])
})

it('a listing by ids reads consistently', async () => {
  const [older, newer] = [
    { ...numberedJoke(1), thumbsUp: 2 },
    { ...numberedJoke(2), thumbsUp: 1 },
  ]
  const Jokes = [older, newer].map((joke) => ({ ...joke, state: 'listed', words: '' }))
  const { store, calls } = stubbedStore(() => ({ Responses: { Jokes } }))
  expect(await listJokes(store, parseListing({ id: `${older.id},${newer.id}` }))).toMatchObject({
    jokes: [newer, older],
  })
  expect(calls).toMatchObject([{ input: { RequestItems: { Jokes: { ConsistentRead: true } } } }])
})

it('a page takes distinct jokes up to its limit', () => {
  const joke = numberedJoke(1)
  const page = new PageJokes(2, 1_000)
  expect(
    [joke, { ...joke, thumbsUp: 9 }, numberedJoke(2), numberedJoke(3)].map((candidate) => page.add(candidate)),
  ).toEqual([true, true, true, false])
  expect(page.jokes).toEqual([joke, numberedJoke(2)])
})

it('a page is limited by its size as a JSON array', () => {
  const jokes = [numberedJoke(1), numberedJoke(2)]
  const bytes = Buffer.byteLength(JSON.stringify(jokes))
  const taken = (most: number) => {
    const page = new PageJokes(9, most)
    return jokes.map((joke) => page.add(joke))
  }
  expect([taken(bytes), taken(bytes - 1)]).toEqual([
    [true, true],
    [true, false],
  ])
})
