/** What reindex and restore read and write, call by call. What they bring about is tested with the operators' commands. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import * as v from 'valibot'
import { beforeEach, expect, it, vi } from 'vitest'
import { type Item, toItem, wordsOfJoke } from '../shared/store/item.ts'
import { reindex, restore } from '../shared/store/upkeep.ts'
import { placeOf, rowsOf } from '../shared/store/wordLists.ts'
import { numberedJoke } from './support/numberedJoke.ts'
import { type Answer, stubbedStore } from './support/stubbedStore.ts'

const joke = numberedJoke(1)
const words = wordsOfJoke(joke)
const stored = toItem(joke, words, 'request#1')
const erased = { id: 'E'.repeat(22), removedAt: joke.dateAdded, erasedAt: joke.dateAdded }
const damaged = { ...stored, id: 'D'.repeat(22), thumbsUp: 'many' }
const ownRow = (words: string[]) => ({ prefix: `@${joke.id}`, entry: placeOf(joke), words: ` ${words.join(' ')}` })

beforeEach(() => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  return () => log.mockRestore()
})

/** Works on a store whose scan returns an item, and which now holds another of the joke, or none. */
async function work(
  scanned: Item,
  current: Item | undefined,
  how: Parameters<typeof restore>[2] | boolean,
  answer: Answer = () => ({}),
) {
  const { store, calls } = stubbedStore((name, input) => {
    if (name === 'Scan') return { Items: [scanned] }
    if (name === 'GetItem') return { Item: current }
    if (name === 'Query') return { Items: [ownRow(words)] }
    return answer(name, input)
  })
  const pages = await all(typeof how === 'boolean' ? reindex(store, how) : restore(store, 'Backup', how))
  return { changed: pages.map(({ changed }) => changed), changes: calls.flatMap(changeOf), calls }
}

async function all<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const found: Value[] = []
  for await (const value of values) found.push(value)
  return found
}

const Change = v.object({
  RequestItems: v.optional(v.object({ JokeWords: v.unknown() })),
  UpdateExpression: v.optional(v.string()),
  Item: v.optional(v.unknown()),
})

/** What a call changes: rows, an attribute, or an item. */
function changeOf({ input }: { input: object }): unknown[] {
  const { RequestItems, UpdateExpression, Item } = v.parse(Change, input)
  return [RequestItems?.JokeWords ?? UpdateExpression ?? Item].filter((change) => change !== undefined)
}

/** Rows of words as they are written, 25 in each call. */
function puts(words: string[]): object[][] {
  const requests = [ownRow(words), ...rowsOf(joke, words)].map((Item) => ({ PutRequest: { Item } }))
  const batches = Array.from({ length: Math.ceil(requests.length / 25) }, (_, number) =>
    requests.slice(1 + 25 * number, 26 + 25 * number),
  )
  return [requests.slice(0, 1), ...batches]
}

const deletes = (...prefixes: string[]) =>
  prefixes.map((prefix) => ({ DeleteRequest: { Key: { prefix, entry: placeOf(joke) } } }))

const NEW_ROWS_FIRST = ['SET held = :held', ...puts(words)]
const OLD_ROWS_LAST = [deletes('z', 'zo', 'zoo'), 'REMOVE held']
const existing = { existing: true, newer: false }
const missing = { existing: false, newer: false }

it('a joke is reindexed between writing the rows of today and deleting those of earlier words', async () => {
  const item = { ...stored, words: `${stored.words} zoo` }
  const { changed, changes, calls } = await work(item, item, false)
  expect([changed, changes]).toEqual([[1], [...NEW_ROWS_FIRST, 'SET words = :words', ...OLD_ROWS_LAST]])
  const values = { ':words': stored.words, ':held': expect.anything() }
  expect(calls).toContainEqual(
    expect.objectContaining({ input: expect.objectContaining({ ExpressionAttributeValues: values }) }),
  )
})

it('a joke is replaced between writing its rows and deleting those that it has no more', async () => {
  const { changed, changes } = await work(stored, { ...stored, joke: 'zoo', punchline: '', words: ' zoo' }, existing)
  expect([changed, changes]).toEqual([
    [1],
    [...NEW_ROWS_FIRST, { ...stored, held: expect.anything() }, ...OLD_ROWS_LAST],
  ])
})

it('a lost joke is restored after its rows, with its words, if it is still lost', async () => {
  const { changed, changes, calls } = await work({ ...stored, words: ' old' }, undefined, missing)
  expect([changed, changes]).toEqual([[1], [...puts(words), stored]])
  expect(calls[0]).toMatchObject({ name: 'Scan', input: { TableName: 'Backup', ConsistentRead: true } })
  expect(calls.at(-1)?.input).toHaveProperty('ConditionExpression', 'attribute_not_exists(id)')
})

it('a joke that was edited meanwhile gets the words of its text by then', async () => {
  const edited = { ...stored, joke: 'zebra' }
  expect((await work({ ...stored, words: '' }, edited, false)).changes).toEqual(
    expect.arrayContaining(puts(wordsOfJoke(edited))),
  )
})

it('a joke whose stored words are incomplete is reindexed, because its other words may have changed', async () => {
  const wordy = { ...joke, joke: Array.from({ length: 200 }, (_, number) => `word${number}`).join(' ') }
  const item = toItem(wordy, wordsOfJoke(wordy), 'request#1')
  expect((await work(item, item, false)).changed).toEqual([1])
})

it.each<[title: string, ...Parameters<typeof work>]>([
  ['a reindex leaves a joke whose stored words are those of today', stored, stored, false],
  ['a reindex leaves a damaged joke', damaged, damaged, true],
  ['a restore leaves a damaged joke', damaged, undefined, missing],
])('%s', async (_, scanned, current, how) => {
  const { changed, changes } = await work(scanned, current, how)
  expect([changed, changes.filter((change) => !/held/.test(String(change)))]).toEqual([[0], []])
  expect(vi.mocked(console.error).mock.calls).toEqual(
    scanned === damaged ? [[expect.objectContaining({ skippedItem: damaged.id })]] : [],
  )
})

it('a restore writes an erased joke as it was', async () => {
  expect((await work(erased, undefined, missing)).changes).toEqual([erased])
})

it('a reindex changes nothing of a joke that was removed meanwhile, and fails if the database does', async () => {
  const { shelf, ...removed } = stored
  const failing = (error: Error) =>
    work({ ...stored, words: '' }, { ...removed, removedFrom: shelf }, false, () => {
      throw error
    })
  const { changed, calls } = await failing(new ConditionalCheckFailedException({ $metadata: {}, message: '' }))
  expect([changed, calls.map(({ name }) => name)]).toEqual([[0], ['Scan', 'UpdateItem', 'GetItem']])
  await expect(failing(new Error('no table'))).rejects.toThrow('no table')
})

it('a reindex reads the table consistently from an id on, page by page, and says after each where to continue', async () => {
  const pages = [{ Items: [erased], LastEvaluatedKey: { id: erased.id } }, { Items: [erased] }].values()
  const { store, calls } = stubbedStore(() => pages.next().value ?? {})
  expect(await all(reindex(store, false, 'A'))).toEqual([
    { items: 1, changed: 0, lastId: erased.id },
    { items: 1, changed: 0 },
  ])
  const scan = (id: string) =>
    expect.objectContaining({ TableName: 'Jokes', ConsistentRead: true, ExclusiveStartKey: { id } })
  expect(calls.map(({ input }) => input)).toEqual([scan('A'), scan(erased.id)])
})
