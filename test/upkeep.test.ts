/** What reindex and restore write, and in which order. What they bring about is tested with the operators' commands. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import * as v from 'valibot'
import { expect, it, vi } from 'vitest'
import { type Item, toItem, wordsOfJoke } from '../shared/store/item.ts'
import { reindex, restore } from '../shared/store/upkeep.ts'
import { placeOf, rowsOf } from '../shared/store/wordLists.ts'
import { numberedJoke } from './support/numberedJoke.ts'
import { type Answer, type Call, stubbedStore } from './support/stubbedStore.ts'

const joke = numberedJoke(1)
const words = wordsOfJoke(joke)
const stored = toItem(joke, words, 'request#1')
const erased = { id: 'E'.repeat(22), removedAt: joke.dateAdded, erasedAt: joke.dateAdded }
const damaged = { ...stored, id: 'D'.repeat(22), thumbsUp: 'many' }
const wordy = Array.from({ length: 200 }, (_, number) => `word${number}`).join(' ')
const wordyItem = toItem({ ...joke, joke: wordy }, wordsOfJoke({ ...joke, joke: wordy }), '')
const missing = { existing: false, newer: false }

/** Works on a store whose scan returns an item, and which now holds another of the joke, or none. */
async function work(scanned: Item, current: Item | undefined, how: typeof missing | boolean, answer?: Answer) {
  const { store, calls } = stubbedStore((name, input) => {
    if (name === 'Scan') return { Items: [scanned] }
    if (name === 'GetItem') return { Item: current }
    if (name === 'Query') return { Items: [{ prefix: `@${joke.id}`, entry: placeOf(joke), words: stored.words }] }
    return answer?.(name, input) ?? {}
  })
  const [page] = await Array.fromAsync(typeof how === 'boolean' ? reindex(store, how) : restore(store, 'Backup', how))
  return { changed: page?.changed, changes: calls.flatMap(changesOf), calls }
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

const newRows = (words: string[]) => [`+@${joke.id}`, ...rowsOf(joke, words).map(({ prefix }) => `+${prefix}`)]
const NEW_ROWS_FIRST = ['SET held = :held', ...newRows(words)]
const OLD_ROWS_LAST = ['-z', '-zo', '-zoo', 'REMOVE held']

it('a joke is reindexed between writing the rows of today and deleting those of earlier words', async () => {
  const item = { ...stored, words: `${stored.words} zoo` }
  const { changed, changes, calls } = await work(item, item, false)
  expect([changed, changes]).toEqual([1, [...NEW_ROWS_FIRST, 'SET words = :words', ...OLD_ROWS_LAST]])
  const values = calls.map(({ input }) => Object(input).ExpressionAttributeValues)
  expect(values).toContainEqual({ ':words': stored.words, ':held': expect.anything() })
})

it('a joke is replaced between writing its rows and deleting those that it has no more', async () => {
  const current = { ...stored, joke: 'zoo', punchline: '', words: ' zoo' }
  const { changed, changes } = await work(stored, current, { existing: true, newer: false })
  const replaced = { ...stored, held: expect.anything() }
  expect([changed, changes]).toEqual([1, [...NEW_ROWS_FIRST, replaced, ...OLD_ROWS_LAST]])
})

it('a lost joke is restored after its rows, with its words, if it is still lost, and an erased one as it was', async () => {
  const { changed, changes, calls } = await work({ ...stored, words: ' old' }, undefined, missing)
  expect([changed, changes]).toEqual([1, [...newRows(words), stored]])
  expect(calls[0]).toMatchObject({ name: 'Scan', input: { TableName: 'Backup', ConsistentRead: true } })
  expect(calls.at(-1)?.input).toHaveProperty('ConditionExpression', 'attribute_not_exists(id)')
  expect((await work(erased, undefined, missing)).changes).toEqual([erased])
})

it.each<[title: string, scanned: Item, current: Item, text: string]>([
  ['was edited meanwhile', { ...stored, words: '' }, { ...stored, joke: 'zebra' }, 'zebra'],
  ['has incomplete words, as others may have changed', wordyItem, wordyItem, wordy],
])('a joke that %s gets the words of its text', async (_, scanned, current, text) => {
  const { changed, changes } = await work(scanned, current, false)
  expect([changed, changes]).toEqual([1, expect.arrayContaining(newRows(wordsOfJoke({ ...joke, joke: text })))])
})

it.each<[title: string, scanned: Item, how: typeof missing | boolean]>([
  ['a reindex leaves a joke whose stored words are those of today', stored, false],
  ['a reindex leaves a damaged joke', damaged, true],
  ['a reindex leaves an erased joke', erased, true],
  ['a restore leaves a damaged joke', damaged, missing],
])('%s', async (_, scanned, how) => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  const { changed, changes } = await work(scanned, how === missing ? undefined : scanned, how)
  expect([changed, changes, log.mock.calls.length]).toEqual([0, [], scanned === damaged ? 1 : 0])
  log.mockRestore()
})

it('a reindex changes nothing of a joke that was removed meanwhile, and fails if the database does', async () => {
  const { shelf, ...removed } = stored
  const failing = (error: Error) =>
    work({ ...stored, words: '' }, { ...removed, removedFrom: shelf }, false, () => {
      throw error
    })
  const { changed, calls } = await failing(new ConditionalCheckFailedException({ $metadata: {}, message: '' }))
  expect([changed, calls.map(({ name }) => name)]).toEqual([0, ['Scan', 'UpdateItem', 'GetItem']])
  await expect(failing(new Error('no table'))).rejects.toThrow('no table')
})

it('a reindex reads the table consistently from an id on, page by page, and says after each where to continue', async () => {
  const pages = [{ Items: [erased], LastEvaluatedKey: { id: erased.id } }, { Items: [erased] }].values()
  const { store, calls } = stubbedStore(() => pages.next().value ?? {})
  const [first, second] = await Array.fromAsync(reindex(store, false, 'A'))
  expect([first, second]).toEqual([
    { items: 1, changed: 0, lastId: erased.id },
    { items: 1, changed: 0 },
  ])
  expect(calls).toMatchObject(
    ['A', erased.id].map((id) => ({ input: { TableName: 'Jokes', ConsistentRead: true, ExclusiveStartKey: { id } } })),
  )
})
