/** What additions and operators' commands write, and in which order. What they bring about is tested on a database. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import * as v from 'valibot'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { DuplicateJoke, JOKE_MAY_HAVE_BEEN_ADDED, UnknownJoke } from '../shared/errors.ts'
import { type Item, toItem, wordsOfJoke } from '../shared/store/item.ts'
import { addJoke } from '../shared/store/jokes.ts'
import { LIMITS } from '../shared/store/limits.ts'
import { approveJoke, eraseJoke, removeJoke, undoRemoval } from '../shared/store/operators/removal.ts'
import { reindex, restore } from '../shared/store/operators/upkeep.ts'
import type { Store } from '../shared/store/store.ts'
import { placeOf, rowsOf } from '../shared/store/wordLists.ts'
import { numberedJoke } from './support/numberedJoke.ts'
import { type Answer, type Call, signalsOf, stubbedStore } from './support/stubbedStore.ts'

beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}))
afterEach(() => void vi.restoreAllMocks())

const joke = numberedJoke(1)
const words = wordsOfJoke(joke)
const stored = toItem(joke, words, 'request#1')
const erased = { id: 'E'.repeat(22), removedAt: joke.dateAdded, erasedAt: joke.dateAdded }
const { shelf, ...unlisted } = stored
const removed = { ...unlisted, removedFrom: shelf }
const damaged = { ...stored, thumbsUp: 'many' }
const wordy = Array.from({ length: 200 }, (_, number) => `word${number}`).join(' ')
const wordyItem = toItem({ ...joke, joke: wordy }, wordsOfJoke({ ...joke, joke: wordy }), '')
const missing = { existing: false, newer: false }

/** Runs a command on a store that now holds an item of the joke, or none. */
async function run<Result>(current: Item | undefined, command: (store: Store) => Promise<Result>, answer?: Answer) {
  const { store, calls } = stubbedStore((name, input) => {
    if (name === 'GetItem') return { Item: current }
    if (name === 'Query') return { Items: [{ prefix: `@${joke.id}`, entry: placeOf(joke), words: stored.words }] }
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

const newRows = (words: string[]) => [`+@${joke.id}`, ...rowsOf(joke, words).map(({ prefix }) => `+${prefix}`)]
const HOLD = 'SET held = :held'
const NEW_ROWS_FIRST = [HOLD, ...newRows(words)]
const OLD_ROWS_LAST = ['-z', '-zo', '-zoo', 'REMOVE held']
const ALL_ROWS = [...rowsOf(joke, words).map(({ prefix }) => `-${prefix}`), `-@${joke.id}`]
const NOTHING = [HOLD, 'REMOVE held']
const isPut = expect.objectContaining({ id: joke.id })
const isListing = expect.stringMatching('^SET shelf = ')

it.each<[title: string, current: Item | undefined, meanwhile: string, changes: unknown[]]>([
  ['exists writes nothing', stored, '', []],
  ['is listed meanwhile leaves its rows', undefined, 'shelf', [...newRows(words), isPut]],
  ['is removed meanwhile takes back its rows', undefined, 'removedFrom', [...newRows(words), isPut, ...ALL_ROWS]],
])('adding a joke that %s', async (_, current, meanwhile, expected) => {
  const add = (store: Store) => addJoke(store, joke).catch((error: unknown) => error)
  const { result, changes } = await run(current, add, (name) => {
    if (name !== 'PutItem') return {}
    throw new ConditionalCheckFailedException({ $metadata: {}, message: '', Item: { [meanwhile]: { S: 'School' } } })
  })
  expect(result).toBeInstanceOf(DuplicateJoke)
  expect(changes).toEqual(expected)
})

it.each<[title: string, command: typeof removeJoke, item: Item, changes: unknown[]]>([
  ['removing again deletes rows', removeJoke, removed, [HOLD, ...ALL_ROWS, 'REMOVE held']],
  ['erasing deletes rows first', eraseJoke, removed, [HOLD, ...ALL_ROWS, isPut, 'REMOVE held']],
  ['erasing again changes nothing', eraseJoke, erased, NOTHING],
  ['approving again changes nothing', approveJoke, stored, NOTHING],
  ['a damaged joke gets no rows', undoRemoval, { ...removed, thumbsUp: 'many' }, [HOLD, isListing]],
])('%s, in half of the time for which the joke is held', async (_, command, item, expected) => {
  const { signal } = new AbortController()
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(signal)
  const { changes, calls, signals } = await run(item, (store) => command(store, String(item.id)))
  expect(changes).toEqual(expected)
  expect(calls[1]).toMatchObject({ name: 'GetItem', input: { ConsistentRead: true } })
  expect(signals).toEqual(calls.map(({ name }) => (name === 'GetItem' ? undefined : signal)))
  expect(timeout.mock.calls).toEqual([[LIMITS.holdMs / 2]])
})

const approve = (store: Store) => approveJoke(store, joke.id)

it('what the database does not let finish can be repeated', async () => {
  const answer = vi.fn<Answer>().mockThrow(Object.assign(new Error(), { name: 'ThrottlingException' }))
  await expect(run(stored, approve, answer)).rejects.toThrow(`The work on the joke ${joke.id} was not finished: run`)
  await expect(run(undefined, (store) => addJoke(store, joke), answer)).rejects.toThrow(JOKE_MAY_HAVE_BEEN_ADDED)
})

it('a change that is refused has been made already, unless half of that time is over', async () => {
  const start = Date.now()
  const now = vi.spyOn(Date, 'now').mockReturnValue(start)
  const release = (milliseconds: number) =>
    run(stored, approve, (name) => {
      if (now.mock.calls.length < 2) return {}
      now.mockReturnValue(start + milliseconds)
      throw new ConditionalCheckFailedException({ $metadata: {}, message: name })
    })
  await release(LIMITS.holdMs / 2)
  now.mockClear().mockReturnValue(start)
  await expect(release(LIMITS.holdMs / 2 + 1)).rejects.toThrow(UnknownJoke)
})

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
  const { changed, changes, calls, signals } = await work({ ...stored, words: ' old' }, undefined, missing)
  expect([changed, changes]).toEqual([1, [...newRows(words), stored]])
  expect(calls[0]).toMatchObject({ name: 'Scan', input: { TableName: 'Backup', ConsistentRead: true } })
  expect(signals.at(-1)).toBeInstanceOf(AbortSignal)
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
  ['a restore leaves a damaged joke that exists', damaged, { existing: true, newer: false }],
])('%s', async (_, scanned, how) => {
  const { changed, changes } = await work(scanned, how === missing ? undefined : scanned, how)
  expect([changed, changes]).toEqual([0, []])
  expect(console.error).toHaveBeenCalledTimes(scanned === damaged ? 1 : 0)
})

it('a reindex changes nothing of a joke that was damaged or removed meanwhile, and fails if the database does', async () => {
  const { changes } = await work({ ...stored, words: '' }, damaged, false)
  expect(changes).toEqual(NOTHING)
  const failing = (error: Error) => work({ ...stored, words: '' }, removed, false, vi.fn<Answer>().mockThrow(error))
  const { changed, calls } = await failing(new ConditionalCheckFailedException({ $metadata: {}, message: '' }))
  expect([changed, calls.map(({ name }) => name)]).toEqual([0, ['Scan', 'UpdateItem', 'GetItem']])
  await expect(failing(new Error('no table'))).rejects.toThrow('no table')
})

it('a reindex reads the table consistently from an id on, page by page, and says after each where to continue', async () => {
  const pages = [{ Items: [erased], LastEvaluatedKey: { id: erased.id } }, { Items: [erased] }].values()
  const { store, calls } = stubbedStore(() => pages.next().value ?? {})
  expect(await Array.fromAsync(reindex(store, false, 'A'))).toEqual([
    { items: 1, changed: 0, lastId: erased.id },
    { items: 1, changed: 0 },
  ])
  expect(calls).toMatchObject(
    ['A', erased.id].map((id) => ({ input: { TableName: 'Jokes', ConsistentRead: true, ExclusiveStartKey: { id } } })),
  )
})
