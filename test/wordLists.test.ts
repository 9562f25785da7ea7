import fc from 'fast-check'
import * as v from 'valibot'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { parseListing } from '../shared/listing.ts'
import { type Item, toItem, wordsOfJoke } from '../shared/store/item.ts'
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
import { type Call, stubbedStore } from './support/stubbedStore.ts'

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
    const dates = [
      '1970-01-01T00:00:00.000Z',
      '1970-01-01T00:00:00.036Z',
      '2059-05-25T17:38:27.455Z',
      '2059-05-25T17:38:27.456Z',
      '5188-04-22T00:00:00.000Z',
    ]
    const places = dates.map((dateAdded) => placeOf({ ...joke, dateAdded }))
    expect(places.toSorted()).toEqual(places)
  })
})

describe('the rows of a joke', () => {
  it('are one in the list of its category, and one for each beginning of its words, of up to six letters', () => {
    expect(rowsOf(joke, ['cat', 'chick', 'élan', '漢字', '🐔'])).toEqual(
      ['#Classic', 'c', 'ca', 'cat', 'ch', 'chi', 'chic', 'chick', 'é', 'él', 'éla', 'élan', '漢', '漢字', '🐔'].map(
        (prefix) => ({ prefix, entry: place }),
      ),
    )
  })

  it('say which words begin with six letters, as only these are told apart by their list', () => {
    const prefixes = ['#Classic', 'c', 'ch', 'chi', 'chic', 'chick']
    expect(rowsOf(joke, ['chicken', 'chick', 'chicke', 'chickens'])).toEqual([
      ...prefixes.map((prefix) => ({ prefix, entry: place })),
      { prefix: 'chicke', entry: `${place}#chicken,chicke,chickens` },
    ])
  })

  /** The words in the row of a list. */
  function wordsAt(prefix: string, words: string[]): string | undefined {
    return rowsOf(joke, words)
      .find((row) => row.prefix === prefix)
      ?.entry.replace(`${place}#`, '')
  }

  it('hold the first sixteen letters of a word', () => {
    expect(wordsAt('antidi', ['antidisestablishment', 'antidisestablishmentarianism'])).toBe('antidisestablish')
    expect(wordsAt('𐐨'.repeat(6), ['𐐨'.repeat(17)])).toBe('𐐨'.repeat(16))
  })

  it('hold at most 120 bytes of words, and a mark if there are more', () => {
    const words = Array.from({ length: 14 }, (_, index) => `chicke${String.fromCodePoint(97 + index)}`)
    expect(wordsAt('chicke', [...words, 'chickens'])).toBe(`${words.join(',')},chickens`)
    expect(wordsAt('chicke', [...words, 'chickenss', 'chickenz'])).toBe(`${words.join(',')},*`)
    expect(Buffer.byteLength(`${words.join(',')},chickens`)).toBe(120)
    const long = 'chickeéé'
    expect(wordsAt('chicke', [...words, long])).toBe(`${words.join(',')},*`)
  })

  it('are one in each list, and small, whatever the words', () => {
    const letter = fc.constantFrom('a', 'b', '7', 'é', '漢', '𐐨')
    const word = fc.string({ unit: letter, minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(fc.uniqueArray(word, { maxLength: 40 }), (words) => {
        const rows = rowsOf({ ...joke, category: 'French humour' }, words)
        const prefixes = rows.map(({ prefix }) => prefix)
        expect(prefixes.toSorted()).toEqual([...new Set(['#French humour', ...words.flatMap(beginningsOf)])].toSorted())
        for (const { prefix, entry } of rows) expect(Buffer.byteLength(prefix + entry)).toBeLessThan(220)
      }),
    )
  })

  it('are one in each list, whatever the text', () => {
    const pieces = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 3 }),
      fc.constantFrom(' ', '-', 'chicke', '#\uFE0F\u20E3'),
    )
    const text = fc.array(pieces, { maxLength: 20 }).map((all) => all.join(''))
    fc.assert(
      fc.property(text, (text) => {
        const words = wordsOf(text)
        const prefixes = rowsOf(joke, words).map(({ prefix }) => prefix)
        expect(prefixes.toSorted()).toEqual([...new Set(['#Classic', ...words.flatMap(beginningsOf)])].toSorted())
      }),
    )
  })
})

/** The rows that a call puts or deletes. */
const Batch = v.object({
  RequestItems: v.object({
    JokeWords: v.array(
      v.object({
        PutRequest: v.optional(v.object({ Item: v.object({ prefix: v.string(), entry: v.string() }) })),
        DeleteRequest: v.optional(v.object({ Key: v.object({ prefix: v.string(), entry: v.string() }) })),
      }),
    ),
  }),
})

function putBy({ input }: Call): WordRow[] {
  return v.parse(Batch, input).RequestItems.JokeWords.flatMap(({ PutRequest }) => PutRequest?.Item ?? [])
}

function deletedBy({ name, input }: Call): WordRow[] {
  if (name !== 'BatchWriteItem') return []
  return v.parse(Batch, input).RequestItems.JokeWords.flatMap(({ DeleteRequest }) => DeleteRequest?.Key ?? [])
}

describe('writing the rows of a joke', () => {
  const own = { prefix: `@${joke.id}`, entry: place }
  const words = ['chicken', 'road']

  it('begins with the row that leads to the others', async () => {
    const { store, calls } = stubbedStore(() => ({}))
    await writeRows(store, joke, words, signal)
    expect(calls.map(putBy)).toEqual([[own], rowsOf(joke, words)])
    expect(calls[0]?.input).toMatchObject({
      RequestItems: { JokeWords: [{ PutRequest: { Item: { words: ' chicken road' } } }] },
    })
  })

  it('writes none of the others if that row was not written', async () => {
    const { store, calls } = stubbedStore(() => {
      throw new Error('no table')
    })
    await expect(writeRows(store, joke, words, signal)).rejects.toThrow('no table')
    expect(calls).toHaveLength(1)
  })

  it('is taken back in the reverse order', async () => {
    const { store, calls } = stubbedStore(() => ({}))
    await takeBackRows(store, joke, words, signal)
    expect(calls.map(deletedBy)).toEqual([rowsOf(joke, words), [own]])
  })
})

describe('deleting the rows of a joke', () => {
  const listed = numberedJoke(1)
  const words = wordsOfJoke(listed)
  const own = (one: typeof listed) => ({ prefix: `@${listed.id}`, entry: placeOf(one) })
  const earlier = { ...listed, dateAdded: '2025-12-31T23:59:59.999Z', category: 'School' as const }

  /** What is deleted of a joke that was added at these places. */
  async function deleted(places: (typeof listed)[], item: Item, kept?: Parameters<typeof deleteRows>[3]) {
    const { store, calls } = stubbedStore((name) =>
      name === 'Query' ? { Items: places.map((one) => ({ ...own(one), words: ' spelled' })) } : {},
    )
    await deleteRows(store, item, signal, kept)
    return { first: calls[0], rows: calls.flatMap(deletedBy), last: calls.map(deletedBy).at(-1) }
  }

  const sorted = (rows: WordRow[]) => rows.map(({ prefix, entry }) => `${prefix} ${entry}`).toSorted()

  it('reads consistently at which places it was written', async () => {
    const { first } = await deleted([listed], toItem(listed, words, ''))
    expect(first).toMatchObject({
      name: 'Query',
      input: {
        TableName: 'JokeWords',
        ConsistentRead: true,
        ExpressionAttributeValues: { ':prefix': `@${listed.id}` },
      },
    })
  })

  it('deletes those of all its places and spellings, and last the rows that lead to them', async () => {
    const { rows, last } = await deleted([listed, earlier], toItem(listed, words, ''))
    const places = [listed, earlier].flatMap((one) => [...rowsOf(one, words), ...rowsOf(one, ['spelled']), own(one)])
    expect(sorted(rows)).toEqual([...new Set(sorted(places))].toSorted())
    expect(last).toEqual([own(listed), own(earlier)])
  })

  it('deletes those of its stored words and of its text, each once, as a batch with two of the same is rejected', async () => {
    const stored = [...words.slice(3), 'gone']
    const { rows } = await deleted([listed], toItem(listed, stored, ''))
    const all = [words, stored, ['spelled']].flatMap((each) => rowsOf(listed, each))
    expect(sorted(rows)).toEqual([...new Set(sorted([...all, own(listed)]))].toSorted())
  })

  it('keeps rows that stay, and its own list with them', async () => {
    const item = toItem(listed, [...words, 'zebra'], '')
    const { rows } = await deleted([listed], item, rowsOf(listed, [...words, 'spelled']))
    const gone = ['z', 'ze', 'zeb', 'zebr', 'zebra'].map((prefix) => ({ prefix, entry: placeOf(listed) }))
    expect(sorted(rows)).toEqual(sorted(gone))
  })

  it('replaces a row whose words have changed', async () => {
    const item = { ...toItem(listed, ['chickenfeed'], ''), joke: 'chicken', punchline: '' }
    const { rows } = await deleted([listed], item, rowsOf(listed, ['chicken', 'spelled']))
    expect(rows).toEqual([{ prefix: 'chicke', entry: `${placeOf(listed)}#chickenfeed` }])
  })
})

describe('the lists of a search', () => {
  /** The candidates if each list has these entries, and the calls that read them. */
  async function search(query: Record<string, string>, entries: string[]) {
    const listing = parseListing(query)
    const { store, calls } = stubbedStore((_, input) => {
      const { ExpressionAttributeValues } = v.parse(
        v.object({ ExpressionAttributeValues: v.object({ ':prefix': v.string() }) }),
        input,
      )
      return { Items: entries.map((entry) => ({ prefix: ExpressionAttributeValues[':prefix'], entry })) }
    })
    const candidates = await openLists(listing, new Reads(store, signal)).next(10)
    return { found: candidates.map(({ place }) => place), calls }
  }

  const other = `${place.slice(0, 10)}${'B'.repeat(22)}#School`

  it('are those of the words and of the category, each read once, from the newest', async () => {
    const { found, calls } = await search({ searchString: 'chickens roa', category: 'Classic' }, [place])
    expect(found).toEqual([place])
    expect(calls.map(({ input }) => input)).toEqual(
      ['chicke', 'roa', '#Classic'].map((prefix) =>
        expect.objectContaining({
          TableName: 'JokeWords',
          KeyConditionExpression: 'prefix = :prefix',
          ExpressionAttributeValues: { ':prefix': prefix },
          ScanIndexForward: false,
        }),
      ),
    )
  })

  it('are one for words that begin alike', async () => {
    const entries = [`${other}#chicken`, `${place}#chicken,chickpea`]
    const { found, calls } = await search({ searchString: 'chickenfe chicken' }, [
      `${place}#chickenfeed`,
      `${other}#chickens`,
    ])
    expect([found, calls.length]).toEqual([[place], 1])
    expect((await search({ searchString: 'chicken' }, entries)).found).toEqual([other, place])
  })

  it('are at most eight, of the longest words', async () => {
    const words = ['a', 'bb', 'ccc', 'dddd', 'eeeee', 'ffffff', 'ggggggg', 'hhhhhhhh', 'iiiiiiiii']
    const { calls } = await search({ searchString: words.join(' ') }, [])
    const prefixes = calls.map(({ input }) => JSON.stringify(input).match(/":prefix":"(\w+)"/)?.[1])
    expect(prefixes.toSorted()).toEqual(['bb', 'ccc', 'dddd', 'eeeee', 'ffffff', 'gggggg', 'hhhhhh', 'iiiiii'])
  })

  it.each([
    ['contain a joke', 'that has the word', 'chickens', '#chicken,chickens', true],
    ['contain a joke', 'that has a longer word', 'chicken', '#chickens', true],
    ['do not contain a joke', 'that has only a shorter word', 'chickens', '#chicken', false],
    [
      'may contain a joke',
      'of whose word they hold sixteen letters',
      'antidisestablishmentari',
      '#antidisestablish',
      true,
    ],
    ['may contain a joke', 'of which they do not hold all words', 'chickens', '#chicken,*', true],
    ['contain all jokes', 'if their name is all that is searched for', 'chick', '', true],
  ])('%s %s', async (_, __, searchString, words, isFound) => {
    expect((await search({ searchString }, [place + words])).found).toEqual(isFound ? [place] : [])
  })

  it('contain no jokes of other categories', async () => {
    const { found } = await search({ searchString: 'chick', category: 'Classic' }, [other, place])
    expect(found).toEqual([place])
  })

  it('contain no damaged rows, which are logged', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    expect((await search({ searchString: 'chick' }, ['0mj#x#Classic', place])).found).toEqual([place])
    expect(log).toHaveBeenCalledOnce()
  })
})

describe('reading the lists bit by bit', () => {
  /** Every joke has the first word, every seventh the second, and every tenth the third. */
  const jokes = numberedJokes(60)
  const wordsOfNumber = (number: number) => [
    'chick',
    ...(number % 7 === 3 ? ['chickens'] : []),
    ...(number % 10 === 3 ? ['road'] : []),
  ]
  const rows = jokes.flatMap((joke, number) => rowsOf(joke, wordsOfNumber(number)))

  /** A query of a list. The limit is reached even if no further rows follow. */
  const Query = v.object({
    KeyConditionExpression: v.string(),
    ExpressionAttributeValues: v.object({ ':prefix': v.string(), ':after': v.optional(v.string()) }),
    ScanIndexForward: v.boolean(),
    Limit: v.number(),
  })

  function answer(_: string, input: object) {
    const { KeyConditionExpression, ExpressionAttributeValues, ScanIndexForward, Limit } = v.parse(Query, input)
    const { ':prefix': prefix, ':after': after } = ExpressionAttributeValues
    const list = rows
      .filter((row) => row.prefix === prefix)
      .toSorted((one, other) => (one.entry < other.entry ? -1 : 1))
    const range = {
      'prefix = :prefix': () => true,
      'prefix = :prefix AND entry > :after': ({ entry }: WordRow) => after !== undefined && entry > after,
      'prefix = :prefix AND entry < :after': ({ entry }: WordRow) => after !== undefined && entry < after,
    }[KeyConditionExpression]
    if (range === undefined) throw new Error(`Unknown condition: ${KeyConditionExpression}`)
    const Items = (ScanIndexForward ? list : list.toReversed()).filter(range).slice(0, Limit)
    return { Items, ...(Items.length === Limit && { LastEvaluatedKey: Items.at(-1) }) }
  }

  /** The numbers of the jokes that a search finds, if each page begins anew after this many. */
  async function find(query: Record<string, string>, pageSize: number): Promise<number[]> {
    const listing = parseListing({ ...query, numberofJokes: '1' })
    const { store } = stubbedStore(answer, { firstRows: 1, rowsPerJoke: 1_000 })
    const found: number[] = []
    for (let start: string | undefined, hasEnded = false; !hasEnded; ) {
      const lists = openLists(listing, new Reads(store, signal), start)
      const page = await lists.next(pageSize)
      found.push(...page.map(({ id }) => jokes.findIndex((joke) => joke.id === id)))
      start = lists.resumeAfter
      hasEnded = lists.hasEnded
    }
    return found
  }

  const searches: [query: Record<string, string>, isWanted: (number: number) => boolean][] = [
    [{ searchString: 'ch' }, () => true],
    [{ searchString: 'chick road' }, (number) => number % 10 === 3],
    [{ searchString: 'chickens' }, (number) => number % 7 === 3],
    [{ searchString: 'chickens road' }, (number) => number % 70 === 3],
    [{ searchString: 'chick', category: 'School' }, (number) => jokes[number]?.category === 'School'],
    [{ searchString: 'road', category: 'KnockKnock' }, (number) => number % 10 === 3],
    [{ searchString: 'road', category: 'School' }, () => false],
  ]

  async function expectAll(sortOrder: string): Promise<void> {
    for (const [query, isWanted] of searches) {
      const wanted = [...jokes.keys()].filter(isWanted)
      for (const pageSize of [1, 2, 100]) {
        const found = await find({ ...query, sortOrder }, pageSize)
        expect([query, found]).toEqual([query, sortOrder === 'asc' ? wanted : wanted.toReversed()])
      }
    }
  }

  it('finds each joke that stands in all of them once, the newest first', () => expectAll('desc'))
  it('finds each joke that stands in all of them once, the oldest first', () => expectAll('asc'))
})
