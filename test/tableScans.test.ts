/** Writes of additions, and table scans of commands. Other tests check their results on a database. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import * as v from 'valibot'
import { expect, it, vi } from 'vitest'
import { DuplicateJoke } from '../shared/errors.ts'
import { wordsOfJoke } from '../shared/joke.ts'
import { entriesFor, entryKeyOf } from '../shared/store/indexEntries.ts'
import { type Item, toItem } from '../shared/store/item.ts'
import { addJoke } from '../shared/store/jokes.ts'
import { changeState, findByState, TRANSITIONS } from '../shared/store/operators/removal.ts'
import { type Part, reindex, sweep } from '../shared/store/operators/tableScans.ts'
import { numberedJoke, numberedJokes } from './support/numberedJoke.ts'
import { type Answer, stubbedStore } from './support/stubbedStore.ts'

const joke = numberedJoke(1)
const entries = entriesFor(entryKeyOf(joke), wordsOfJoke(joke))
const prefixes = entries.map(({ prefix }) => prefix)
const stored = toItem(joke, 'listed', 'request#1')
const { shelf: _, ...unlisted } = stored
const waiting = { ...unlisted, state: 'waiting' }

const Written = v.object({
  RequestItems: v.optional(
    v.object({ JokeWords: v.array(v.object({ PutRequest: v.object({ Item: v.object({ prefix: v.string() }) }) })) }),
  ),
  Item: v.optional(v.unknown()),
})

/** Adds the joke to a store with these answers. Returns the outcome, and what was put: prefixes of entries, and items. */
async function add(answer: Answer) {
  const { store, calls } = stubbedStore(answer)
  const outcome = await addJoke(store, joke).catch((error: unknown) => error)
  const put = calls.flatMap(({ input }) => {
    const { RequestItems, Item } = v.parse(Written, input)
    return RequestItems?.JokeWords.map(({ PutRequest }) => PutRequest.Item.prefix) ?? Item ?? []
  })
  return { outcome, put }
}

const isPut = expect.objectContaining({ id: joke.id, createdBy: expect.stringMatching(/^unknown#/) })

it.each<[title: string, current: Item | undefined, state: string, put: unknown[]]>([
  ['exists writes nothing', stored, '', []],
  ['is listed before the put leaves its entries', undefined, 'listed', [...prefixes, isPut]],
  ['is removed before the put leaves its entries', undefined, 'removed', [...prefixes, isPut]],
])('adding a joke that %s', async (_, current, state, put) => {
  const { outcome, ...done } = await add((name) => {
    if (name === 'PutItem')
      throw new ConditionalCheckFailedException({ $metadata: {}, message: '', Item: { state: { S: state } } })
    return current ? { Item: current } : {}
  })
  expect(outcome).toBeInstanceOf(DuplicateJoke)
  expect(done).toEqual({ put })
})

it.each([
  ['throttled', Object.assign(new Error(), { name: 'ThrottlingException' })],
  ['not answered in time', Object.assign(new Error(), { name: 'AbortError' })],
])('a joke is added even if the optional read before is %s', async (_, error) => {
  const { outcome, put } = await add(vi.fn<Answer>().mockReturnValue({}).mockThrowOnce(error))
  expect([outcome, put]).toEqual([expect.objectContaining({ id: joke.id }), [...prefixes, isPut]])
})

it('adding a joke writes nothing if the read before is refused', async () => {
  expect(await add(vi.fn<Answer>().mockThrow(new Error('no table')))).toEqual({
    outcome: new Error('no table'),
    put: [],
  })
})

it('findByState returns jokes by their current state, not by the index', async () => {
  const other = { ...stored, id: 'O'.repeat(22) }
  const { store, calls } = stubbedStore((name) =>
    name === 'Query' ? { Items: [{ id: joke.id }, { id: other.id }] } : { Responses: { Jokes: [waiting, other] } },
  )
  const pages = await Array.fromAsync(findByState(store, 'waiting'))
  expect(pages).toEqual([[{ id: joke.id, joke, state: 'waiting', requestId: 'request' }]])
  expect(calls[1]).toMatchObject({ input: { RequestItems: { Jokes: { ConsistentRead: true } } } })
})

it('a removal restarts if the joke is approved before its update', async () => {
  const failed = new ConditionalCheckFailedException({ $metadata: {}, message: '' })
  const update = vi.fn<Answer>().mockReturnValue({}).mockThrowOnce(failed)
  const { store } = stubbedStore((name, input) => {
    if (name === 'GetItem') return { Item: update.mock.calls.length === 0 ? waiting : stored }
    return name === 'UpdateItem' ? update(name, input) : {}
  })
  await changeState(store, joke.id, TRANSITIONS.remove)
  expect(update).toHaveBeenCalledTimes(2)
})

it('a reindex continues after an id', async () => {
  const [first, second] = ['1', '2'].map((digit) => ({ id: digit.repeat(22), state: 'erased' }))
  const pages = [{ Items: [first], LastEvaluatedKey: { id: first?.id } }, { Items: [second] }].values()
  const { store, calls } = stubbedStore(() => pages.next().value ?? {})
  expect(await Array.fromAsync(reindex(store, false, 'A'))).toEqual([
    { items: 1, changed: 0, lastId: first?.id },
    { items: 1, changed: 0, lastId: second?.id },
  ])
  expect(calls).toMatchObject(
    ['A', first?.id].map((id) => ({
      input: { TableName: 'Jokes', ConsistentRead: true, Limit: 100, ExclusiveStartKey: { id } },
    })),
  )
})

/** The parts up to an error, followed by the error. */
async function partsOf(parts: AsyncIterable<Part>) {
  const done: Part[] = []
  try {
    for await (const part of parts) done.push(part)
  } catch (error) {
    return [...done, error]
  }
  return done
}

it('a failed part reports its changes, but no id to continue after', async () => {
  const items = numberedJokes(3).map((numbered) => ({ ...toItem(numbered, 'listed', 'request#1'), words: '' }))
  const { store, calls } = stubbedStore((name, input) => {
    const { id } = v.parse(v.object({ Key: v.optional(v.object({ id: v.string() }), { id: '' }) }), input).Key
    if (name === 'GetItem' && id === items[1]?.id) throw new Error('no right')
    return name === 'Scan' ? { Items: items } : { Item: items.find((item) => item.id === id) }
  })
  expect(await partsOf(reindex(store, false))).toEqual([{ items: 3, changed: 2 }, new Error('no right')])
  for (const { name, input } of calls) if (name === 'GetItem') expect(input).toMatchObject({ ConsistentRead: true })
})

it('a sweep keeps entries whose joke may be on its way', async () => {
  const entriesOfAge = (id: string, seconds: number) =>
    entriesFor(entryKeyOf({ ...joke, id, dateAdded: new Date(Date.now() - seconds * 1_000).toISOString() }), ['zoo'])
  const unknownId = 'U'.repeat(22)
  const orphans = [...entriesOfAge(joke.id, 50), ...entriesOfAge(unknownId, 70)]
  const found = [...entries, ...entriesOfAge(unknownId, 50), ...orphans]
  const { store, calls } = stubbedStore((name, input) => {
    if (name === 'Scan') return { Items: found }
    if (name === 'BatchGetItem') return { Responses: { Jokes: [waiting] } }
    return JSON.stringify(input).includes(unknownId) ? {} : { Item: stored }
  })
  expect(await partsOf(sweep(store))).toEqual([{ items: found.length, changed: orphans.length }])
  const reads = (ids: string[], ConsistentRead: boolean) => [
    { input: { TableName: 'JokeWords', ConsistentRead: true, Limit: 2_000 } },
    { input: { RequestItems: { Jokes: { Keys: ids.map((id) => ({ id })), ConsistentRead } } } },
  ]
  expect(calls.splice(0).slice(0, 2)).toMatchObject(reads([joke.id, unknownId], false))
  await partsOf(sweep(store, new Set([unknownId])))
  expect(calls.slice(0, 2)).toMatchObject(reads([unknownId], true))
})
