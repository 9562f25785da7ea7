/** Reading the lists of the inverted index. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { parseListing } from '../../shared/listing.ts'
import { BudgetedReads } from '../../shared/store/finding/budgetedReads.ts'
import { openLists } from '../../shared/store/finding/invertedIndex.ts'
import { entriesFor, entryKeyOf, type IndexEntry } from '../../shared/store/indexEntries.ts'
import { prefixesOf } from '../../shared/words.ts'
import { emptyTables, put } from '../support/access.ts'
import { numberedJokes } from '../support/numberedJoke.ts'
import { createStore } from '../support/service.ts'

const { signal } = new AbortController()
const store = await createStore({ firstEntries: 1, entriesPerJoke: 1_000 })
const add = (...rows: IndexEntry[]) => put(store, store.wordsTable, ...rows)

beforeEach(() => emptyTables(store))
afterEach(() => vi.restoreAllMocks())

describe('the lists of a search', () => {
  const entryKey = entryKeyOf({ id: 'A'.repeat(22), dateAdded: '2026-01-01T00:00:00.000Z', category: 'Classic' })
  const otherKey = entryKeyOf({ id: 'B'.repeat(22), dateAdded: '2026-01-01T00:00:00.000Z', category: 'School' })

  /** Fills each list of a search with these entries. Returns the entry keys found, and the prefixes of the lists read. */
  async function search(query: Record<string, string>, ...entries: string[]) {
    await emptyTables(store)
    const listing = parseListing(query)
    const categories = listing.categories?.map((category) => `#${category}`) ?? []
    const lists = new Set([...(listing.searchWords ?? []).flatMap(prefixesOf), ...categories])
    await add(...[...lists].flatMap((prefix) => entries.map((entry) => ({ prefix, entry }))))
    const reads = new BudgetedReads(store, signal)
    const queries = vi.spyOn(reads, 'query')
    const candidates = await openLists(listing, reads).next(10)
    const read = queries.mock.calls.map(([, { ExpressionAttributeValues: values }]) => values?.[':prefix'])
    return { found: candidates.map(({ entryKey }) => entryKey), read: [...new Set(read)].toSorted() }
  }

  it('a search reads the lists of its words and of its only category', async () => {
    const { found, read } = await search({ searchString: 'chickens roa', category: 'Classic' }, entryKey, otherKey)
    expect([found, read]).toEqual([[entryKey], ['#Classic', 'chicke', 'roa']])
  })

  it('a search returns the newest entry keys first', async () => {
    expect((await search({ searchString: 'chick' }, entryKey, otherKey)).found).toEqual([otherKey, entryKey])
  })

  it('a search in several categories reads no list of a category', async () => {
    const several = { searchString: 'roa', categories: 'School,French humour' }
    expect(await search(several, entryKey, otherKey)).toEqual({ found: [otherKey], read: ['roa'] })
  })

  it('a joke with several entries in one list is found', async () => {
    // A joke may have two entries while it is reindexed. The page takes it once.
    const reindexed = await search({ searchString: 'chicken' }, `${entryKey}#chicken`, `${entryKey}#chickens`)
    expect(new Set(reindexed.found)).toEqual(new Set([entryKey]))
    const entries = ['#chicken', '#chicken,why', '#chickens'].map((words) => entryKey + words)
    const query = { searchString: 'chickens', sortOrder: 'asc', numberofJokes: '1' }
    expect((await search(query, ...entries)).found).toEqual([entryKey])
  })

  it('a search opens one list per distinct prefix', async () => {
    expect((await search({ searchString: 'chickenfe chicken' }, entryKey)).read).toEqual(['chicke'])
  })

  it('a search opens at most eight lists, those of its longest words', async () => {
    const words = 'a bb ccc dddd eeeee ffffff ggggggg hhhhhhhh iiiiiiiii'
    const longest = ['bb', 'ccc', 'dddd', 'eeeee', 'ffffff', 'gggggg', 'hhhhhh', 'iiiiii']
    expect((await search({ searchString: words })).read).toEqual(longest)
  })

  it.each([
    ['a joke with the word', 'chickens', '#chicken,chickens', true],
    ['a joke with a longer word', 'chicken', '#chickens', true],
    ['no joke with only a shorter word', 'chickens', '#chicken', false],
    ['a joke whose entry holds sixteen letters of the word', 'antidisestablishmentari', '#antidisestablish', true],
    ['a joke whose entry lacks some of its words', 'chickens', '#chicken,*', true],
    ['a joke with all words of one prefix', 'chickenfe chicken', '#chickenfeed', true],
    ['no joke with only one word of a prefix', 'chickenfe chickenx', '#chickenfeed', false],
  ])('a search finds %s', async (_, searchString, words, isFound) => {
    expect((await search({ searchString }, entryKey + words)).found).toEqual(isFound ? [entryKey] : [])
  })

  it('a search skips and logs damaged entries', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const damaged = ['0mj#x#Classic', '#', 'zzzzzzzzzzzz#x#y', 'chick']
    expect((await search({ searchString: 'chick' }, ...damaged, entryKey)).found).toEqual([entryKey])
    expect(log).toHaveBeenCalledTimes(damaged.length)
  })
})

it.each(['asc', 'desc'])('a list skips to the next entry of another list: %s', async (sortOrder) => {
  const jokes = numberedJokes(40)
  await add(
    ...jokes.flatMap((joke, number) => entriesFor(entryKeyOf(joke), number === 20 ? ['chick', 'road'] : ['chick'])),
  )
  const reads = new BudgetedReads(store, signal)
  const queries = vi.spyOn(reads, 'query')
  const lists = openLists(parseListing({ searchString: 'chick road', sortOrder, numberofJokes: '1' }), reads)
  expect(await lists.next(1)).toMatchObject([{ id: jokes[20]?.id }])
  expect(queries.mock.calls.map(([, { Limit }]) => Limit)).toEqual([2, 2, 4])
})

it('a list is read no further than the budget allows', async () => {
  await add(...numberedJokes(40).flatMap((joke) => entriesFor(entryKeyOf(joke), ['chick'])))
  const reads = new BudgetedReads(store, signal).withBudget({ units: 0.5, calls: 9 })
  const lists = openLists(parseListing({ searchString: 'chick' }), reads)
  expect((await lists.next(40)).length).toBeLessThan(40)
  expect(lists.hasEnded).toBe(false)
})
