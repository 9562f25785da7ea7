import fc from 'fast-check'
import * as v from 'valibot'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { parseListing } from '../shared/listing.ts'
import { type Item, toItem, wordsOfJoke } from '../shared/store/item.ts'
import type { Limits } from '../shared/store/limits.ts'
import { Reads } from '../shared/store/reads.ts'
import {
  deleteRows,
  openLists,
  placeOf,
  rowsOf,
  takeBackRows,
  type WordRow,
  writeRows,
} from '../shared/store/wordLists.ts'
import { beginningsOf, wordsOf } from '../shared/words.ts'
import { numberedJoke, numberedJokes } from './support/numberedJoke.ts'
import { stubbedStore } from './support/stubbedStore.ts'

const joke = { id: 'A'.repeat(22), dateAdded: '2026-01-01T00:00:00.000Z', category: 'Classic' }
const place = `0${Date.parse(joke.dateAdded).toString(36)}#${joke.id}#Classic`
const { signal } = new AbortController()

afterEach(() => vi.restoreAllMocks())

describe('the place of a joke', () => {
  it('is its time in nine digits of base 36, its id and its category', () => {
    expect(placeOf(joke)).toBe(place)
    expect(place).toMatch(/^[0-9a-z]{9}#A{22}#Classic$/)
  })

  it('sorts by date until the year 5188', () => {
    const times = [0, 36, 36 ** 8 - 1, 36 ** 8, Date.parse('5188-04-22')]
    const places = times.map((time) => placeOf({ ...joke, dateAdded: new Date(time).toISOString() }))
    expect(places.toSorted()).toEqual(places)
  })
})

describe('the rows of a joke', () => {
  const entriesOf = (words: string[]) => new Map(rowsOf(joke, words).map(({ prefix, entry }) => [prefix, entry]))
  const letters = Array.from('abcdefghijklmn', (letter) => `chicke${letter}`)

  it.each<[string, words: string[], prefix: string, words: string]>([
    ['say which words begin with six letters', ['chicken', 'chick', 'chicke'], 'chicke', '#chicken,chicke'],
    ['say nothing of shorter words', ['chicken', 'chick'], 'chick', ''],
    ['have the first sixteen letters of a word', ['antidisestablishment'], 'antidi', '#antidisestablish'],
    ['have each of them once', ['antidisestablishing', 'antidisestablished'], 'antidi', '#antidisestablish'],
    ['have sixteen letters of four bytes', ['𐐨'.repeat(17)], '𐐨'.repeat(6), `#${'𐐨'.repeat(16)}`],
    ['have 120 bytes of words', [...letters, 'chickens'], 'chicke', `#${letters},chickens`],
    ['have a mark if there are more', [...letters, 'chickenss', 'chickenz'], 'chicke', `#${letters},*`],
    ['count bytes, not letters', [...letters, 'chickeéé'], 'chicke', `#${letters},*`],
  ])('%s', (_, words, prefix, expected) => {
    expect(entriesOf(words).get(prefix)).toBe(place + expected)
  })

  it('are one in each list, of its category and of the beginnings of its words, and small', () => {
    const letter = fc.constantFrom('a', 'b', '7', 'é', '漢', '𐐨')
    const words = fc.uniqueArray(fc.string({ unit: letter, minLength: 1, maxLength: 20 }), { maxLength: 40 })
    const pieces = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 3 }),
      fc.constantFrom(' ', '-', 'chicke', '#\uFE0F\u20E3'),
    )
    const text = fc.array(pieces, { maxLength: 20 }).map((all) => wordsOf(all.join('')))
    fc.assert(
      fc.property(fc.oneof(words, text), (words) => {
        const rows = rowsOf({ ...joke, category: 'French humour' }, words)
        const lists = new Set(['#French humour', ...words.flatMap(beginningsOf)])
        expect(rows.map(({ prefix }) => prefix).toSorted()).toEqual([...lists].toSorted())
        for (const { prefix, entry } of rows) expect(Buffer.byteLength(prefix + entry)).toBeLessThan(220)
      }),
    )
  })
})

/** What the store sends to the table. */
const BatchWrite = v.object({
  RequestItems: v.object({
    JokeWords: v.array(
      v.object({
        PutRequest: v.optional(v.object({ Item: v.looseObject({ prefix: v.string(), entry: v.string() }) })),
        DeleteRequest: v.optional(v.object({ Key: v.object({ prefix: v.string(), entry: v.string() }) })),
      }),
    ),
  }),
})
const Query = v.object({
  TableName: v.literal('JokeWords'),
  KeyConditionExpression: v.picklist([
    'prefix = :prefix',
    'prefix = :prefix AND entry > :after',
    'prefix = :prefix AND entry < :after',
  ]),
  ExpressionAttributeValues: v.object({ ':prefix': v.string(), ':after': v.optional(v.string()) }),
  ScanIndexForward: v.optional(v.boolean()),
  ConsistentRead: v.optional(v.boolean()),
  Limit: v.optional(v.number(), 1_000),
})

/** A table of word rows in memory, which records whether rows were ever left without one that leads to them. */
class WordsTable {
  readonly rows = new Map<string, Item & WordRow>()
  readonly queries: v.InferOutput<typeof Query>[] = []
  readonly store
  hasHadOrphans = false

  constructor(limits: Partial<Limits> = {}) {
    this.store = stubbedStore((name, input) => {
      return name === 'Query' ? this.query(v.parse(Query, input)) : this.write(v.parse(BatchWrite, input))
    }, limits).store
  }

  get keys(): string[] {
    return [...this.rows.keys()].toSorted()
  }

  add(...rows: WordRow[]): this {
    for (const row of rows) this.rows.set(keyOf(row), row)
    return this
  }

  private write({ RequestItems: { JokeWords: requests } }: v.InferOutput<typeof BatchWrite>) {
    const keys = requests
      .flatMap(({ PutRequest, DeleteRequest }) => PutRequest?.Item ?? DeleteRequest?.Key ?? [])
      .map(keyOf)
    if (new Set(keys).size < keys.length) throw new Error('DynamoDB rejects a batch that names a row twice.')
    for (const { PutRequest, DeleteRequest } of requests) {
      if (PutRequest) this.add(PutRequest.Item)
      if (DeleteRequest) this.rows.delete(keyOf(DeleteRequest.Key))
    }
    if (this.rows.size > 0 && !this.keys.some((key) => key.startsWith('@'))) this.hasHadOrphans = true
    return {}
  }

  private query(query: v.InferOutput<typeof Query>) {
    this.queries.push(query)
    const { KeyConditionExpression: condition, ExpressionAttributeValues: values, ScanIndexForward, Limit } = query
    const { ':prefix': prefix, ':after': after = '' } = values
    const list = [...this.rows.values()]
      .filter((row) => row.prefix === prefix)
      .filter(({ entry }) => (condition.includes('>') ? entry > after : !condition.includes('<') || entry < after))
      .toSorted((one, other) => (one.entry < other.entry === (ScanIndexForward ?? true) ? -1 : 1))
    const Items = list.slice(0, Limit)
    // DynamoDB gives a key after as many rows as asked for, also if none follow.
    return { Items, ...(Items.length === Limit && { LastEvaluatedKey: Items.at(-1) }) }
  }
}

function keyOf({ prefix, entry }: WordRow): string {
  return `${prefix} ${entry}`
}

describe('writing and deleting the rows of a joke', () => {
  const listed = numberedJoke(1)
  const earlier = { ...listed, dateAdded: '2025-12-31T23:59:59.999Z', category: 'School' as const }
  const words = wordsOfJoke(listed)
  const own = { prefix: `@${listed.id}`, entry: placeOf(listed) }
  let table: WordsTable
  beforeEach(() => {
    table = new WordsTable()
  })

  it('begins with the row that leads to the others, and ends with it where they are taken back', async () => {
    await writeRows(table.store, listed, words, signal)
    expect(table.keys).toEqual([own, ...rowsOf(listed, words)].map(keyOf).toSorted())
    expect(table.rows.get(keyOf(own))).toEqual({ ...own, words: ` ${words.join(' ')}` })
    await takeBackRows(table.store, listed, words, signal)
    expect([table.keys, table.hasHadOrphans]).toEqual([[], false])
  })

  it('writes none of the others if that row was not written', async () => {
    const { store, calls } = stubbedStore(() => {
      throw new Error('no table')
    })
    await expect(writeRows(store, listed, words, signal)).rejects.toThrow('no table')
    expect(calls).toHaveLength(1)
  })

  it('deletes those of all its places and spellings, of its stored words and of its text', async () => {
    const stored = [...words.slice(3), 'gone']
    for (const each of [words, stored, ['spelled']]) await writeRows(table.store, listed, each, signal)
    await writeRows(table.store, earlier, ['chickens', 'spelled'], signal)
    table.add(...rowsOf(earlier, words))
    await deleteRows(table.store, toItem(listed, stored, ''), signal)
    expect([table.keys, table.hasHadOrphans]).toEqual([[], false])
    expect(table.queries).toMatchObject([{ ConsistentRead: true }])
  })

  it('keeps rows that stay, and its own list with them, and replaces a row whose words have changed', async () => {
    await writeRows(table.store, listed, ['chicken', 'zebra'], signal)
    const kept = rowsOf(listed, ['chickens', 'spelled'])
    table.add(...kept)
    await deleteRows(table.store, { ...toItem(listed, ['chicken', 'zebra'], ''), joke: '' }, signal, kept)
    expect(table.keys).toEqual([own, ...kept].map(keyOf).toSorted())
  })
})

describe('the lists of a search', () => {
  const other = `${place.slice(0, 10)}${'B'.repeat(22)}#School`

  /** The places that a search finds if each list has these entries, and the lists that it reads. */
  async function search(query: Record<string, string>, ...entries: string[]) {
    const listing = parseListing(query)
    const lists = [...(listing.searchWords ?? []).flatMap(beginningsOf), `#${listing.category}`]
    const table = new WordsTable().add(...lists.flatMap((prefix) => entries.map((entry) => ({ prefix, entry }))))
    const candidates = await openLists(listing, new Reads(table.store, signal)).next(10)
    const read = table.queries.map(({ ExpressionAttributeValues }) => ExpressionAttributeValues[':prefix'])
    return { found: candidates.map((candidate) => candidate.place), read: read.toSorted() }
  }

  it('are those of the words and of the category, each read once, from the newest', async () => {
    const { found, read } = await search({ searchString: 'chickens roa', category: 'Classic' }, place, other)
    expect([found, read]).toEqual([[place], ['#Classic', 'chicke', 'roa']])
    expect((await search({ searchString: 'chick' }, place, other)).found).toEqual([other, place])
    // While a joke is reindexed, it may have two rows.
    expect((await search({ searchString: 'chicken' }, `${place}#chicken`, `${place}#chickens`)).found).toEqual([place])
  })

  it('are one for words that begin alike, and at most eight, of the longest words', async () => {
    expect((await search({ searchString: 'chickenfe chicken' }, place)).read).toEqual(['chicke'])
    const words = 'a bb ccc dddd eeeee ffffff ggggggg hhhhhhhh iiiiiiiii'
    const longest = ['bb', 'ccc', 'dddd', 'eeeee', 'ffffff', 'gggggg', 'hhhhhh', 'iiiiii']
    expect((await search({ searchString: words })).read).toEqual(longest)
  })

  it.each([
    ['a joke that has the word', 'chickens', '#chicken,chickens', true],
    ['a joke that has a longer word', 'chicken', '#chickens', true],
    ['no joke that has only a shorter word', 'chickens', '#chicken', false],
    ['a joke of whose word they hold sixteen letters', 'antidisestablishmentari', '#antidisestablish', true],
    ['a joke of which they do not hold all words', 'chickens', '#chicken,*', true],
    ['a joke that has all words that begin alike', 'chickenfe chicken', '#chickenfeed', true],
    ['no joke that has only one of these', 'chickenfe chickenx', '#chickenfeed', false],
  ])('contain %s', async (_, searchString, words, isFound) => {
    expect((await search({ searchString }, place + words)).found).toEqual(isFound ? [place] : [])
  })

  it('contain no damaged rows, which are logged', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    expect((await search({ searchString: 'chick' }, '0mj#x#Classic', place)).found).toEqual([place])
    expect(log).toHaveBeenCalledOnce()
  })
})

describe('reading the lists bit by bit', () => {
  /** Every joke has the first word, every seventh the second, and every tenth the third. */
  const jokes = numberedJokes(60)
  const rows = jokes.flatMap((joke, number) =>
    rowsOf(joke, ['chick', ...(number % 7 === 3 ? ['chickens'] : []), ...(number % 10 === 3 ? ['road'] : [])]),
  )
  const table = new WordsTable({ firstRows: 1, rowsPerJoke: 1_000 }).add(...rows)

  /** The numbers of the jokes that a search finds, if each page begins anew after this many. */
  async function find(query: Record<string, string>, pageSize: number): Promise<number[]> {
    const listing = parseListing({ ...query, numberofJokes: '1' })
    const found: number[] = []
    for (let start: string | undefined, hasEnded = false; !hasEnded; ) {
      const lists = openLists(listing, new Reads(table.store, signal), start)
      const page = await lists.next(pageSize)
      found.push(...page.map(({ id }) => jokes.findIndex((joke) => joke.id === id)))
      start = lists.resumeAfter
      hasEnded = lists.hasEnded
    }
    return found
  }

  it.each<[query: Record<string, string>, isWanted: (number: number) => boolean]>([
    [{ searchString: 'ch' }, () => true],
    [{ searchString: 'chick road' }, (number) => number % 10 === 3],
    [{ searchString: 'chickens' }, (number) => number % 7 === 3],
    [{ searchString: 'chickens road' }, (number) => number % 70 === 3],
    [{ searchString: 'chick', category: 'School' }, (number) => jokes[number]?.category === 'School'],
    [{ searchString: 'road', category: 'KnockKnock' }, (number) => number % 10 === 3],
    [{ searchString: 'road', category: 'School' }, () => false],
  ])(
    'finds each joke that stands in all of them once and in order, on pages of any size: %j',
    async (query, isWanted) => {
      const wanted = [...jokes.keys()].filter(isWanted)
      for (const pageSize of [1, 2, 100]) {
        expect(await find({ ...query, sortOrder: 'asc' }, pageSize)).toEqual(wanted)
        expect(await find(query, pageSize)).toEqual(wanted.toReversed())
      }
    },
  )
})
