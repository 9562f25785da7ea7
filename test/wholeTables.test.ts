/** What additions and operators' commands write, and in which order. What they bring about is tested on a database. */
import { isDeepStrictEqual } from 'node:util'
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import * as v from 'valibot'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DuplicateJoke } from '../shared/errors.ts'
import { wordsOfJoke } from '../shared/joke.ts'
import { type Item, toItem } from '../shared/store/item.ts'
import { addJoke } from '../shared/store/jokes.ts'
import { approveJoke, eraseJoke, findByState, removeJoke, undoRemoval } from '../shared/store/operators/removal.ts'
import { reindex, restore, sweep } from '../shared/store/operators/wholeTables.ts'
import type { Store } from '../shared/store/store.ts'
import { placeOf, rowsAt } from '../shared/store/wordRows.ts'
import { numberedJoke } from './support/numberedJoke.ts'
import { type Answer, type Call, stubbedStore } from './support/stubbedStore.ts'

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
    if (name === 'GetItem' && current) return { Item: current }
    return answer?.(name, input) ?? {}
  })
  const result = await command(store)
  return { result, changes: calls.flatMap(changesOf) }
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
const OLD_ROWS = ['-z', '-zo', '-zoo']
const isPut = expect.objectContaining({ id: joke.id })
const isListing = expect.stringMatching('^SET #state = :to, shelf')
const isRemoval = expect.stringMatching('^SET removedFrom')
const Values = v.object({ ExpressionAttributeValues: v.record(v.string(), v.unknown()) })

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

it.each<[title: string, command: (store: Store, id: string) => Promise<unknown>, item: Item, changes: unknown[]]>([
  ['removing again deletes rows', removeJoke, removed, [isRemoval, ...rows('-')]],
  ['erasing deletes rows first', eraseJoke, removed, [...rows('-'), isPut, ...rows('-')]],
  ['erasing a damaged joke has no rows to delete', eraseJoke, { ...removed, words: 1 }, [isPut]],
  ['erasing again changes nothing', eraseJoke, erased, []],
  ['approving again writes the rows again', approveJoke, stored, rows('+')],
  ['approving writes rows first', approveJoke, waiting, [...rows('+'), isListing, ...rows('+')]],
  ['a damaged joke loses its rows', undoRemoval, { ...removed, thumbsUp: 'x' }, [isListing, ...rows('-')]],
  [
    'undoing a removal from those that wait lists nothing',
    undoRemoval,
    { ...removed, removedFrom: 'waiting' },
    ['SET #state = :to REMOVE removedAt, removedFrom', ...rows('-')],
  ],
])('%s', async (_, command, item, expected) => {
  let current = item
  const { store, calls } = stubbedStore((name, input) => {
    if (name === 'PutItem') current = erased
    if (name === 'UpdateItem') {
      const { ':to': state } = v.parse(Values, input).ExpressionAttributeValues
      if (state === item.state) throw conditionFailed()
      current = { ...item, state }
    }
    return name === 'GetItem' ? { Item: current } : {}
  })
  await command(store, String(item.id))
  expect(calls.flatMap(changesOf)).toEqual(expected)
  for (const { name, input } of calls) if (name === 'GetItem') expect(input).toMatchObject({ ConsistentRead: true })
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
  let current = item
  const { changed, changes } = await work(item, undefined, false, (name) => {
    if (name === 'UpdateItem') current = stored
    return name === 'GetItem' ? { Item: current } : {}
  })
  expect([changed, changes]).toEqual([1, [...rows('+'), 'SET words = :words', ...rows('+'), ...OLD_ROWS]])
})

it('a joke is replaced between writing its rows and deleting those that it has no more', async () => {
  const zoo = { ...stored, joke: 'zoo', punchline: '', words: ' zoo' }
  let current = zoo
  const { changed, changes } = await work(stored, undefined, { existing: true, newer: false }, (name) => {
    if (name === 'PutItem') current = stored
    return name === 'GetItem' ? { Item: current } : {}
  })
  expect([changed, changes]).toEqual([1, [...rows('+'), stored, ...rows('+'), ...OLD_ROWS]])
})

it('a lost joke waits before it has rows, and is listed after them; one that was not listed comes back as it was', async () => {
  const puts: Item[] = []
  const { store, calls } = stubbedStore((name, input) => {
    if (name === 'Scan') return { Items: [stored] }
    if (name === 'GetItem') return { Item: puts[0] }
    if (name === 'PutItem') puts.push(v.parse(v.object({ Item: v.record(v.string(), v.unknown()) }), input).Item)
    return {}
  })
  const [part] = await Array.fromAsync(restore(store, 'Backup', missing))
  expect([part?.changed, calls.flatMap(changesOf).slice(0, 2 + rows('+').length)]).toEqual([
    1,
    [waiting, ...rows('+'), isListing],
  ])
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
  expect(changes).toEqual([expect.anything(), ...rows('+'), isListing, ...rows('-')])
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
  expect(changes).toEqual([])
  const { changed, changes: none } = await work({ ...stored, words: '' }, removed, false)
  expect([changed, none]).toEqual([0, []])
  const failing = (error: Error) => work({ ...stored, words: '' }, undefined, false, vi.fn<Answer>().mockThrow(error))
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
  const old = { prefix: 'zoo', entry: placeOf(joke) }
  const older = { prefix: 'chicke', entry: `${placeOf(joke)}#chicken,chickens` }
  const other = at('2020-01-01T00:00:00.000Z')
  const unknown = at(joke.dateAdded, 'U'.repeat(22))
  const now = Date.parse('2026-11-22T12:00:00Z')
  const recent = at(new Date(now - 59_000).toISOString())

  /** Sweeps word lists that have these rows, while the table had these items, of which one is now another. */
  async function swept(items: Item[], current: Item | undefined, rows: Item[], ids?: string[]) {
    vi.spyOn(Date, 'now').mockReturnValue(now)
    const { store, calls } = stubbedStore((name, input) => {
      if (name === 'Scan') return { Items: 'TableName' in input && input.TableName === 'Jokes' ? items : rows }
      if (name === 'GetItem') return { Item: current }
      return {}
    })
    const parts = await Array.fromAsync(sweep(store, ids && new Set(ids)))
    const deletes = calls.flatMap(({ input }) => deletedBy(input))
    // Settling also deletes what else the joke may have.
    const deleted = rows.filter((row) => deletes.some((key) => isDeepStrictEqual(key, row)))
    return { deleted, counted: parts.reduce((sum, { changed }) => sum + changed, 0), calls }
  }

  it.each<[title: string, items: Item[], current: Item | undefined, rows: Item[], deleted: Item[]]>([
    ['keeps the rows where a joke stands', [stored], stored, [own], []],
    ['deletes rows elsewhere', [stored], stored, [own, other], [other]],
    ['deletes rows of words that the joke lacks, at its place', [stored], stored, [own, old, older], [old, older]],
    ['deletes rows of a removed joke', [removed], removed, [own], [own]],
    ['deletes rows of no joke', [], undefined, [own, unknown], [own, unknown]],
    ['keeps the rows of a joke that was brought back meanwhile', [removed], stored, [own, other], [other]],
    ['leaves damaged rows', [], undefined, [{ prefix: 'x', entry: 'y' }], []],
    ['leaves rows of the last minute', [], undefined, [recent], []],
  ])('%s', async (_, items, current, rows, deleted) => {
    expect((await swept(items, current, rows)).deleted).toEqual(deleted)
  })

  it('of tidy lists only reads both tables', async () => {
    const { calls } = await swept([stored], stored, [own])
    expect(calls.map(({ name }) => name)).toEqual(['Scan', 'Scan'])
  })

  it('of erased jokes deletes only their rows, also those of the last minute', async () => {
    const gone = { ...erased, id: joke.id }
    expect(await swept([], gone, [own, unknown, recent], [joke.id])).toMatchObject({
      deleted: [own, recent],
      counted: 2,
    })
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
