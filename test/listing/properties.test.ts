import fc from 'fast-check'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CATEGORIES, identify, Joke, JokeInput } from '../../shared/joke.ts'
import { FILTER_CATEGORIES, SORT_FIELDS, SORT_ORDERS } from '../../shared/listing.ts'
import type { Limits } from '../../shared/store/limits.ts'
import { removeJoke } from '../../shared/store/operators/removal.ts'
import type { Store } from '../../shared/store/store.ts'
import { emptyTables, load } from '../support/access.ts'
import { expected, inOrder, type Query } from '../support/model.ts'
import { byId, type StartedService, startService } from '../support/service.ts'

/** Few words, so that jokes share them. Some begin with another, or differ from it only in case and accents. */
const word = fc.constantFrom(...'a an ant Ante ça CA cat cats élève eleven été zoo 7 77'.split(' '))
const separator = fc.constantFrom(' ', ', ', '\n', ' – ', '-', "'")
const text = fc.array(fc.tuple(word, separator), { minLength: 1, maxLength: 6 }).map((pairs) => pairs.flat().join(''))

const joinedWords = fc.tuple(word, fc.constantFrom('-', "'"), word).map((parts) => parts.join(''))

const newJoke = fc.record(
  { joke: text, punchline: text, category: fc.constantFrom(...CATEGORIES) },
  { requiredKeys: ['joke', 'category'] },
)

const searchWords = fc.array(fc.oneof({ weight: 5, arbitrary: word }, joinedWords), { minLength: 1, maxLength: 3 })
const searchString = searchWords.map((words) => words.join(' '))
const filter = { searchString, category: fc.constantFrom(...FILTER_CATEGORIES) }
const sorting = { sortBy: fc.constantFrom(...SORT_FIELDS), sortOrder: fc.constantFrom(...SORT_ORDERS) }
const shuffling = { sortBy: fc.constant('random' as const), seed: fc.string({ maxLength: 9 }) }
const categories = fc.subarray([...CATEGORIES], { minLength: 1 }).map((chosen) => chosen.join())
/** Of one category, of several, or of all. */
const query: fc.Arbitrary<Query> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ ...filter, ...sorting }, { requiredKeys: [] }) },
  fc.record({ searchString, categories, ...sorting }, { requiredKeys: ['categories'] }),
  fc.record({ ...filter, ...shuffling }, { requiredKeys: ['sortBy'] }),
  fc.record({ searchString, categories, ...shuffling }, { requiredKeys: ['sortBy', 'categories'] }),
)

const queries = fc.array(fc.tuple(query, fc.integer({ min: 1, max: 12 })), { minLength: 8, maxLength: 8 })

/** A collection, and upvotes by the index of the joke. */
const collection = fc.record({
  jokes: fc.array(newJoke, { maxLength: 30, size: 'max' }),
  votes: fc.array(fc.nat(29), { maxLength: 15 }),
})

/** What happens between two pages. Upvoted and removed jokes are given by their index. */
const indexes = fc.array(fc.nat(29), { maxLength: 2 })
const change = fc.record({ added: fc.array(newJoke, { maxLength: 4 }), upvoted: indexes, removed: indexes })
const changes = fc.array(change, { maxLength: 6 })

/** With these limits, pages may be short: those of searches by votes that walk, or all. */
const FEW_UNITS = { units: 10, calls: 30 }

/** Limits force each way of reading. */
describe.each<[string, Partial<Limits>]>([
  ['with the usual limits', {}],
  ['when word lists are read bit by bit', { firstRows: 1 }],
  ['when dense word lists are left unread', { firstRows: 1, rowsPerJoke: 1 }],
  ['when searches by votes walk', { sortedJokes: 0 }],
  ['when few jokes are sorted', { sortedJokes: 3 }],
  ['when windows of random orders are small', { windowJokes: 3 }],
  ['with few read units', { firstRows: 1, listing: { ...FEW_UNITS, units: 45 }, lists: FEW_UNITS, window: FEW_UNITS }],
  ['when pages are small', { pageBytes: 400 }],
])('%s', (_, limits) => {
  let service: StartedService
  beforeAll(async () => {
    service = await startService(limits)
  })
  afterAll(() => service.stop())

  it('lists, searches and pages like a plain list in memory', async () => {
    const property = fc.asyncProperty(collection, queries, async (contents, queries) => {
      const jokes = await fill(service.store, contents)
      for (const [query, pageSize] of queries) {
        const pages = await service.pages({ ...query, numberofJokes: String(pageSize) })
        const listed = pages.flat()
        expect(byId(listed)).toEqual(byId(expected(jokes, query)))
        expect(inOrder(listed, query)).toBe(true)
        if (query.seed) expect((await service.pages({ ...query, numberofJokes: '2' })).flat()).toEqual(listed)
        const sizes = pages.slice(0, -1).map((page) => page.length)
        const endsEarly = query.searchString !== undefined && query.sortBy === 'thumbsUp' && 'sortedJokes' in limits
        if (!endsEarly && !limits.listing && !limits.pageBytes) expect(sizes).toEqual(sizes.map(() => pageSize))
        expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(pageSize)
      }
    })
    await fc.assert(property, { numRuns: 5 })
  })

  it('shows each unchanged joke once while others are added, upvoted and removed between pages', async () => {
    const sized = fc.tuple(query, fc.integer({ min: 1, max: 6 }))
    const property = fc.asyncProperty(collection, sized, changes, async (contents, [query, size], changes) => {
      const jokes = await fill(service.store, contents)
      const idsAt = (indexes: number[]) => indexes.flatMap((index) => jokes[index]?.id ?? [])
      const changed = new Set<string>()
      const shown: Joke[] = []
      for await (const page of service.follow({ ...query, numberofJokes: String(size) })) {
        shown.push(...page)
        const { added = [], upvoted = [], removed = [] } = changes.shift() ?? {}
        for (const joke of added) {
          const { status, body } = await service.create(joke)
          if (status === 201) changed.add(v.parse(Joke, body).id)
        }
        for (const id of idsAt(upvoted)) if ((await service.thumbUp(id)).status === 200) changed.add(id)
        for (const id of idsAt(removed)) {
          changed.add(id)
          // It fails if the joke is removed already.
          await removeJoke(service.store, id).catch(() => {})
        }
      }
      const isUnchanged = ({ id }: Joke) => !changed.has(id)
      expect(byId(shown.filter(isUnchanged))).toEqual(byId(expected(jokes, query).filter(isUnchanged)))
    })
    await fc.assert(property, { numRuns: 5 })
  })
})

/** Replaces all jokes by these, without duplicates and with these votes. Each date belongs to two jokes. */
async function fill(store: Store, { jokes, votes }: { jokes: object[]; votes: number[] }): Promise<Joke[]> {
  const filled = new Map<string, Joke>()
  for (const [index, sent] of jokes.entries()) {
    const input = v.parse(JokeInput, sent)
    const id = identify(input)
    const thumbsUp = votes.filter((vote) => vote === index).length
    const dateAdded = new Date(Date.UTC(2026, 0, 1) + Math.floor(index / 2)).toISOString()
    if (!filled.has(id)) filled.set(id, { id, ...input, thumbsUp, thumbsDown: 0, dateAdded })
  }
  await emptyTables(store)
  await load(store, [...filled.values()])
  return [...filled.values()]
}
