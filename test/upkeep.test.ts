/** What reindex and restore write, page by page. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { UnknownJoke } from '../shared/errors.ts'
import { type Item, toItem, wordsOfJoke } from '../shared/store/item.ts'
import { reindex, restore } from '../shared/store/upkeep.ts'
import { toRows } from '../shared/store/wordIndex.ts'
import { numberedJoke } from './support/numberedJoke.ts'

const store = vi.hoisted(() => ({
  pages: vi.fn<(input: object) => object[]>(),
  getItems: vi.fn<(ids: string[], options: object) => Promise<{ items: Item[] }>>(),
  writeItems: vi.fn<(table: string, requests: object[]) => Promise<void>>(),
  updateItem: vi.fn<(id: string, condition: string, change: string, values: object) => Promise<void>>(),
  writeRows: vi.fn<(rows: object[]) => Promise<void>>(),
  deleteRows: vi.fn<(rows: object[]) => Promise<void>>(),
}))
const { pages, getItems, writeItems, updateItem, writeRows, deleteRows } = store

vi.mock('@aws-sdk/lib-dynamodb', () => ({
  paginateScan: async function* (_: object, input: object) {
    yield* store.pages(input)
  },
}))
vi.mock('../shared/store/database.ts', () => ({ database: undefined }))
vi.mock('../shared/store/environment.ts', () => ({ JOKES_TABLE: 'Jokes', WORDS_TABLE: 'JokeWords' }))
vi.mock('../shared/store/batches.ts', () => ({ ...store, MAX_WRITES: 25 }))
vi.mock('../shared/store/jokes.ts', () => store)
vi.mock('../shared/store/wordIndex.ts', async (original) => ({ ...(await original<object>()), ...store }))

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => vi.resetAllMocks())

const joke = numberedJoke(1)
const words = wordsOfJoke(joke)
const stored = toItem(joke, words, 'request#1')
const erased = { id: 'E'.repeat(22), removedAt: joke.dateAdded, erasedAt: joke.dateAdded }
const damaged = { ...stored, id: 'D'.repeat(22), thumbsUp: 'many' }

async function all<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const found: Value[] = []
  for await (const value of values) found.push(value)
  return found
}

describe('reindex', () => {
  it('reads the table consistently, page by page, and says after each where to continue', async () => {
    pages.mockReturnValue([{ Items: [stored], LastEvaluatedKey: { id: joke.id } }, { Items: [erased] }, {}])
    expect(await all(reindex(false))).toEqual([
      { items: 1, changed: 0, lastId: joke.id },
      { items: 1, changed: 0 },
      { items: 0, changed: 0 },
    ])
    expect(pages).toHaveBeenCalledWith({ TableName: 'Jokes', ConsistentRead: true, ExclusiveStartKey: undefined })
    expect(console.error).not.toHaveBeenCalled()
  })

  it('continues after an id', async () => {
    pages.mockReturnValue([])
    await all(reindex(false, 'A'))
    expect(pages).toHaveBeenCalledWith(expect.objectContaining({ ExclusiveStartKey: { id: 'A' } }))
  })

  it('adds rows of new words and deletes those of old ones, but writes no others', async () => {
    const [kept = '', ...added] = words
    pages.mockReturnValue([{ Items: [{ ...stored, words: ` ${kept} gone` }] }])
    expect(await all(reindex(false))).toEqual([{ items: 1, changed: 1 }])
    expect(writeRows.mock.calls).toEqual([[toRows(joke, added)]])
    expect(updateItem.mock.calls).toEqual([
      [joke.id, 'attribute_exists(joke)', 'SET words = :words', { ':words': stored.words }],
    ])
    expect(deleteRows.mock.calls).toEqual([[toRows(joke, ['gone'])]])
  })

  it('looks again at a joke whose filter words are incomplete, because its other words may have changed', async () => {
    const wordy = { ...joke, joke: Array.from({ length: 200 }, (_, number) => `word${number}`).join(' ') }
    const item = toItem(wordy, wordsOfJoke(wordy), 'request#1')
    pages.mockReturnValue([{ Items: [item] }])
    expect(await all(reindex(false))).toEqual([{ items: 1, changed: 1 }])
    expect(writeRows.mock.lastCall?.[0]).toEqual(expect.arrayContaining(toRows(wordy, ['word199'])))
  })

  it('writes all rows if asked', async () => {
    pages.mockReturnValue([{ Items: [stored] }])
    expect(await all(reindex(true))).toEqual([{ items: 1, changed: 1 }])
    expect(writeRows.mock.calls).toEqual([[toRows(joke, words)]])
  })

  it('deletes what it wrote if the joke was erased meanwhile', async () => {
    pages.mockReturnValue([{ Items: [{ ...stored, words: undefined }] }])
    updateItem.mockRejectedValue(new UnknownJoke())
    expect(await all(reindex(false))).toEqual([{ items: 1, changed: 0 }])
    expect(deleteRows.mock.calls).toEqual([[toRows(joke, words)]])
  })

  it('fails if the database does', async () => {
    pages.mockReturnValue([{ Items: [{ ...stored, words: undefined }] }])
    updateItem.mockRejectedValue(new Error('no table'))
    await expect(all(reindex(false))).rejects.toThrow('no table')
  })
})

describe('restore', () => {
  it('reads what exists consistently, 25 jokes at a time', async () => {
    const jokes = Array.from({ length: 50 }, (_, number) => toItem(numberedJoke(number), [], ''))
    pages.mockReturnValue([{ Items: jokes }])
    getItems.mockResolvedValue({ items: [] })
    expect(await all(restore('Backup', true))).toEqual([{ items: 50, changed: 50 }])
    const ids = jokes.map(({ id }) => id)
    const consistent = { ConsistentRead: true }
    expect(getItems.mock.calls).toEqual([
      [ids.slice(0, 25), consistent],
      [ids.slice(25), consistent],
    ])
    expect(pages).toHaveBeenCalledWith(expect.objectContaining({ TableName: 'Backup' }))
  })

  it('writes lost jokes with their words and rows, erased ones as they are, and no damaged ones', async () => {
    pages.mockReturnValue([{ Items: [{ ...stored, words: ' old' }, erased, damaged] }])
    getItems.mockResolvedValue({ items: [] })
    expect(await all(restore('Backup', true))).toEqual([{ items: 3, changed: 2 }])
    expect(writeRows.mock.calls).toEqual([[toRows(joke, words)]])
    expect(writeItems.mock.calls).toEqual([
      ['Jokes', [{ PutRequest: { Item: stored } }, { PutRequest: { Item: erased } }]],
    ])
    expect(console.error).toHaveBeenCalledTimes(1)
  })
})
