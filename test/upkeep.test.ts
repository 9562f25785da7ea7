/** What reindex and restore read and write, call by call. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import * as v from 'valibot'
import { beforeEach, describe, expect, it, vi } from 'vitest'
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
const own = { prefix: `@${joke.id}`, entry: placeOf(joke), words: stored.words }

beforeEach(() => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  return () => log.mockRestore()
})

/**
 * A store whose scans return these pages.
 *
 * @param current what is stored of the joke now; absent: nothing
 */
function storeWith(pages: { Items?: Item[]; LastEvaluatedKey?: Item }[], current?: Item, answer: Answer = () => ({})) {
  const next = pages.values()
  return stubbedStore((name, input) => {
    if (name === 'Scan') return next.next().value ?? {}
    if (name === 'GetItem') return { Item: current }
    if (name === 'Query') return { Items: [own] }
    return answer(name, input)
  })
}

async function all<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const found: Value[] = []
  for await (const value of values) found.push(value)
  return found
}

/** What the calls change, in their order. */
function changes({ calls }: ReturnType<typeof storeWith>): unknown[] {
  const Write = v.object({ RequestItems: v.object({ JokeWords: v.unknown() }) })
  const Update = v.object({ UpdateExpression: v.string() })
  const Put = v.object({ Item: v.unknown() })
  return calls.flatMap(({ name, input }): unknown[] => {
    if (name === 'BatchWriteItem') return [v.parse(Write, input).RequestItems.JokeWords]
    if (name === 'UpdateItem') return [v.parse(Update, input).UpdateExpression]
    if (name === 'PutItem') return [v.parse(Put, input).Item]
    return []
  })
}

const puts = (rows: Item[]) => rows.map((Item) => ({ PutRequest: { Item } }))
const deletes = (rows: Item[]) => rows.map((Key) => ({ DeleteRequest: { Key } }))

describe('reindex', () => {
  it('reads the table consistently, page by page, and says after each where to continue', async () => {
    const stubbed = storeWith([{ Items: [stored], LastEvaluatedKey: { id: joke.id } }, { Items: [erased] }])
    expect(await all(reindex(stubbed.store, false))).toEqual([
      { items: 1, changed: 0, lastId: joke.id },
      { items: 1, changed: 0 },
    ])
    const scan = { TableName: 'Jokes', ConsistentRead: true }
    expect(stubbed.calls.map(({ input }) => input)).toEqual([
      expect.objectContaining({ ...scan, ExclusiveStartKey: undefined }),
      expect.objectContaining({ ...scan, ExclusiveStartKey: { id: joke.id } }),
    ])
    expect(console.error).not.toHaveBeenCalled()
  })

  it('continues after an id', async () => {
    const { store, calls } = storeWith([])
    await all(reindex(store, false, 'A'))
    expect(calls[0]?.input).toHaveProperty('ExclusiveStartKey', { id: 'A' })
  })

  it('writes the rows of today, then the words, and only then deletes the rows of earlier words', async () => {
    const item = { ...stored, words: `${stored.words} zoo` }
    const stubbed = storeWith([{ Items: [item] }], item)
    expect(await all(reindex(stubbed.store, false))).toEqual([{ items: 1, changed: 1 }])
    const rows = rowsOf(joke, words)
    expect(changes(stubbed)).toEqual([
      'SET held = :held',
      puts([own]),
      ...batchesOf(puts(rows)),
      'SET words = :words',
      deletes(['z', 'zo', 'zoo'].map((prefix) => ({ prefix, entry: placeOf(joke) }))),
      'REMOVE held',
    ])
    expect(stubbed.calls).toContainEqual({
      name: 'UpdateItem',
      input: expect.objectContaining({
        ExpressionAttributeValues: { ':words': stored.words, ':held': expect.anything() },
      }),
    })
  })

  it('looks again at a joke whose stored words are incomplete, because its other words may have changed', async () => {
    const wordy = { ...joke, joke: Array.from({ length: 200 }, (_, number) => `word${number}`).join(' ') }
    const item = toItem(wordy, wordsOfJoke(wordy), 'request#1')
    const stubbed = storeWith([{ Items: [item] }], item)
    expect(await all(reindex(stubbed.store, false))).toEqual([{ items: 1, changed: 1 }])
    expect(changes(stubbed).flat()).toEqual(expect.arrayContaining(puts(rowsOf(wordy, wordsOfJoke(wordy)))))
  })

  it('writes all rows if asked', async () => {
    const stubbed = storeWith([{ Items: [stored] }], stored)
    expect(await all(reindex(stubbed.store, true))).toEqual([{ items: 1, changed: 1 }])
    expect(changes(stubbed).flat()).toEqual(expect.arrayContaining(puts(rowsOf(joke, words))))
  })

  it('writes the words of the text that the joke has by then', async () => {
    const edited = { ...stored, joke: 'zebra' }
    const stubbed = storeWith([{ Items: [{ ...stored, words: '' }] }], edited)
    await all(reindex(stubbed.store, false))
    expect(changes(stubbed).flat()).toEqual(expect.arrayContaining(puts(rowsOf(joke, wordsOfJoke(edited)))))
  })

  it('changes nothing of a joke that was removed meanwhile', async () => {
    const { shelf, ...removed } = stored
    const stubbed = storeWith([{ Items: [{ ...stored, words: '' }] }], { ...removed, removedFrom: shelf }, (name) => {
      if (name === 'UpdateItem') throw new ConditionalCheckFailedException({ $metadata: {}, message: '' })
      return {}
    })
    expect(await all(reindex(stubbed.store, false))).toEqual([{ items: 1, changed: 0 }])
    expect(stubbed.calls.map(({ name }) => name)).toEqual(['Scan', 'UpdateItem', 'GetItem'])
  })

  it('skips damaged jokes, and logs them', async () => {
    const stubbed = storeWith([{ Items: [damaged] }])
    expect(await all(reindex(stubbed.store, true))).toEqual([{ items: 1, changed: 0 }])
    expect(changes(stubbed)).toEqual([])
    expect(console.error).toHaveBeenCalledWith(expect.objectContaining({ skippedItem: damaged.id }))
  })

  it('fails if the database does', async () => {
    const { store } = storeWith([{ Items: [{ ...stored, words: '' }] }], stored, () => {
      throw new Error('no table')
    })
    await expect(all(reindex(store, false))).rejects.toThrow('no table')
  })
})

describe('restore', () => {
  const missing = { existing: false, newer: false }

  it('writes the rows of a lost joke, and then the joke with its words, if it is still lost', async () => {
    const stubbed = storeWith([{ Items: [{ ...stored, words: ' old' }] }])
    expect(await all(restore(stubbed.store, 'Backup', missing))).toEqual([{ items: 1, changed: 1 }])
    expect(changes(stubbed)).toEqual([puts([own]), ...batchesOf(puts(rowsOf(joke, words))), stored])
    expect(stubbed.calls[0]).toMatchObject({ name: 'Scan', input: { TableName: 'Backup', ConsistentRead: true } })
    expect(stubbed.calls.at(-1)?.input).toHaveProperty('ConditionExpression', 'attribute_not_exists(id)')
  })

  it('writes erased jokes as they were, without rows', async () => {
    const stubbed = storeWith([{ Items: [erased] }])
    expect(await all(restore(stubbed.store, 'Backup', missing))).toEqual([{ items: 1, changed: 1 }])
    expect(changes(stubbed)).toEqual([erased])
  })

  it('writes no damaged jokes, and logs them', async () => {
    const stubbed = storeWith([{ Items: [damaged] }])
    expect(await all(restore(stubbed.store, 'Backup', missing))).toEqual([{ items: 1, changed: 0 }])
    expect(changes(stubbed)).toEqual([])
    expect(console.error).toHaveBeenCalledOnce()
  })

  it('leaves jokes that exist unless told to replace them', async () => {
    const stubbed = storeWith([{ Items: [stored] }], { ...stored, thumbsUp: 7 })
    expect(await all(restore(stubbed.store, 'Backup', missing))).toEqual([{ items: 1, changed: 0 }])
    expect(changes(stubbed)).toEqual([])
  })

  it('replaces a joke that exists between writing its rows and deleting those that it has no more', async () => {
    const current = { ...stored, joke: 'zoo', punchline: '', words: ' zoo' }
    const stubbed = storeWith([{ Items: [stored] }], current)
    const outcome = await all(restore(stubbed.store, 'Backup', { existing: true, newer: false }))
    expect(outcome).toEqual([{ items: 1, changed: 1 }])
    expect(changes(stubbed)).toEqual([
      'SET held = :held',
      puts([own]),
      ...batchesOf(puts(rowsOf(joke, words))),
      { ...stored, held: expect.anything() },
      deletes(['z', 'zo', 'zoo'].map((prefix) => ({ prefix, entry: placeOf(joke) }))),
      'REMOVE held',
    ])
  })
  it('leaves a joke that was lost and added again since, unless told to replace it', async () => {
    const readded = { ...stored, dateAdded: new Date(Date.parse(stored.dateAdded) + 1).toISOString() }
    const replaced = async (newer: boolean) => {
      const stubbed = storeWith([{ Items: [stored] }], readded)
      const outcome = await all(restore(stubbed.store, 'Backup', { existing: true, newer }))
      return { outcome, names: stubbed.calls.map(({ name }) => name) }
    }
    const kept = await replaced(false)
    expect(kept.outcome).toEqual([{ items: 1, changed: 0 }])
    expect(kept.names).toEqual(['Scan', 'GetItem', 'UpdateItem', 'GetItem', 'UpdateItem'])
    expect((await replaced(true)).outcome).toEqual([{ items: 1, changed: 1 }])
  })
})

/** Requests as they are sent, 25 in each call. */
function batchesOf(requests: object[]): object[][] {
  return Array.from({ length: Math.ceil(requests.length / 25) }, (_, index) =>
    requests.slice(index * 25, index * 25 + 25),
  )
}
