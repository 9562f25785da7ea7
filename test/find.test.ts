/** Pages of listings, found among jokes in memory. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { MAX_PAGE_BYTES, MAX_TEXT_LENGTH } from '../shared/clientLimits.ts'
import { CATEGORIES, type Joke } from '../shared/joke.ts'
import { parseListing, SORT_FIELDS, SORT_ORDERS } from '../shared/listing.ts'
import { findPage } from '../shared/store/cache/find.ts'
import { ListedJokes } from '../shared/store/cache/listedJokes.ts'
import { jokeOf, numberedJoke, numberedJokes } from './support/numberedJoke.ts'

const RUNS = Number(process.env.RUNS ?? 100)

type Query = Record<string, string>

/** Returns jokes in memory, as a load would leave them. */
function listed(jokes: Joke[]): ListedJokes {
  const cache = new ListedJokes()
  cache.apply(jokes.map((joke) => ({ ...joke, jokeState: 'listed' as const, rev: 1 })))
  return cache
}

/** Returns all pages of a listing. Each may be found in another container. */
function pagesOf(query: Query, containerOfPage: () => ListedJokes): Joke[][] {
  const pages: Joke[][] = []
  let cursor: string | undefined
  do {
    const { jokes, next } = findPage(containerOfPage(), parseListing({ ...query, ...(cursor && { cursor }) }))
    pages.push(jokes)
    if (pages.length > 1_000) throw new Error('The listing does not end.')
    cursor = next
  } while (cursor !== undefined)
  return pages
}

function idsOf(jokes: Joke[]): string[] {
  return jokes.map(({ id }) => id)
}

/** Words. Some are the beginning of another one. */
const word = fc.constantFrom('a', 'an', 'ant', 'cat', 'cats', 'zoo', '7', '77')
const words = fc.array(word, { minLength: 1, maxLength: 4 }).map((chosen) => chosen.join(' '))

/** Few values, so that many jokes share them. */
const jokes = fc.uniqueArray(
  fc
    .record({ number: fc.nat(99), words, category: fc.constantFrom(...CATEGORIES), up: fc.nat(2), down: fc.nat(2) })
    .map(({ number, words, category, up, down }) => ({
      ...jokeOf({ joke: `${words}, joke ${number}`, punchline: '' }, number % 5),
      ...{ category, thumbsUp: up, thumbsDown: down },
    })),
  { selector: ({ id }) => id, minLength: 0, maxLength: 60, size: 'max' },
)
const filters = {
  searchString: words,
  categories: fc.subarray([...CATEGORIES], { minLength: 1 }).map(String),
  numberofJokes: fc.integer({ min: 1, max: 20 }).map(String),
}
const sorted = fc.record(
  { ...filters, sortBy: fc.constantFrom(...SORT_FIELDS), sortOrder: fc.constantFrom(...SORT_ORDERS) },
  { requiredKeys: ['numberofJokes'] },
)
const shuffled = fc.record(
  { ...filters, sortBy: fc.constant('random'), seed: fc.string({ maxLength: 9 }).filter((text) => text.trim() !== '') },
  { requiredKeys: ['numberofJokes', 'sortBy', 'seed'] },
)
const query: fc.Arbitrary<Query> = fc.oneof({ weight: 3, arbitrary: sorted }, shuffled)

/** The jokes that a listing must show. They are in its order, unless that is random. */
function expected(jokes: Joke[], query: Query): Joke[] {
  const field = SORT_FIELDS.find((known) => known === query.sortBy) ?? 'dateAdded'
  const searched = query.searchString?.split(' ') ?? []
  const descending = jokes
    .filter(({ joke }) => searched.every((word) => ` ${joke}`.includes(` ${word}`)))
    .filter(({ category }) => query.categories?.split(',').includes(category) ?? true)
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .toSorted((a, b) => Date.parse(b.dateAdded) - Date.parse(a.dateAdded))
    .toSorted((a, b) => (field === 'dateAdded' ? 0 : b[field] - a[field]))
  return query.sortOrder === 'asc' ? descending.toReversed() : descending
}

it('a listing shows the jokes of the model in full pages, with their total', () => {
  const property = fc.property(jokes, query, (jokes, query) => {
    const cache = listed(jokes)
    const pages = pagesOf(query, () => cache)
    const model = idsOf(expected(jokes, query))
    const shown = idsOf(pages.flat())
    if (query.sortBy === 'random') expect(shown.toSorted()).toEqual(model.toSorted())
    else expect(shown).toEqual(model)
    const size = Number(query.numberofJokes)
    expect(pages.slice(0, -1).every((page) => page.length === size)).toBe(true)
    expect(pages).toHaveLength(Math.max(1, Math.ceil(model.length / size)))
    expect(findPage(cache, parseListing(query)).total).toBe(model.length)
  })
  fc.assert(property, { numRuns: RUNS })
})

it('paging through three containers shows each joke once that is the same in all, in one order', () => {
  const snapshots = fc.tuple(jokes, jokes, jokes, jokes)
  const containers = fc.infiniteStream(fc.nat(2))
  const property = fc.property(snapshots, query, containers, ([common, ...others], query, chosen) => {
    const isCommon = new Set(idsOf(common))
    const caches = others.map((other) => listed([...common, ...other.filter(({ id }) => !isCommon.has(id))]))
    const shown = pagesOf(query, () => caches[chosen.next().value ?? 0] ?? listed([])).flat()
    const alone = pagesOf({ ...query, numberofJokes: '250' }, () => listed(common)).flat()
    expect(idsOf(shown.filter(({ id }) => isCommon.has(id)))).toEqual(idsOf(alone))
  })
  fc.assert(property, { numRuns: RUNS })
})

it('a page holds at most 200 kB, and at least one joke', () => {
  const text = '\u{1F414}'.repeat(MAX_TEXT_LENGTH / 2)
  const longest = Array.from({ length: 250 }, (_, number) => ({ ...numberedJoke(number), joke: text, punchline: text }))
  const cache = listed(longest)
  const pages = pagesOf({ numberofJokes: '250' }, () => cache)
  expect(pages.flat()).toHaveLength(250)
  const sizes = pages.map((page) => Buffer.byteLength(JSON.stringify(page)))
  expect(Math.max(...sizes)).toBeLessThanOrEqual(MAX_PAGE_BYTES)
  // Each page has room for less than one more joke.
  expect(Math.min(...sizes.slice(0, -1))).toBeGreaterThan(MAX_PAGE_BYTES - 5_000)
  const huge = listed([{ ...numberedJoke(1), punchline: 'a'.repeat(2 * MAX_PAGE_BYTES) }, numberedJoke(0)])
  expect(pagesOf({}, () => huge).map(idsOf)).toEqual([[numberedJoke(1).id], [numberedJoke(0).id]])
})

it.each([2, 100, 3_000])('a random order gives each of %i jokes the same chance to come first', (size) => {
  const cache = listed(numberedJokes(size))
  const counts = new Map(numberedJokes(size).map(({ id }) => [id, 0]))
  for (let seed = 0; seed < 4_000; seed++) {
    const listing = parseListing({ numberofJokes: '1', sortBy: 'random', seed: `seed ${seed}` })
    const first = idsOf(findPage(cache, listing).jokes).join()
    counts.set(first, (counts.get(first) ?? Infinity) + 1)
  }
  const share = 4_000 / size
  const squares = [...counts.values()].map((count) => (count - share) ** 2 / share)
  // The index of dispersion is about 1 by chance, and more if some jokes are preferred.
  const dispersion = squares.reduce((sum, square) => sum + square, 0) / (size - 1)
  // A bound that chance passes in one of a million cases. With few jokes, the index itself varies more by chance.
  expect(dispersion).toBeLessThan(1 + 5 * Math.sqrt(2 / (size - 1)) + 25 / (size - 1))
})
