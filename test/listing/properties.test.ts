import fc from 'fast-check'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CATEGORIES, identify, Joke, JokeInput } from '../../shared/joke.ts'
import { FILTER_CATEGORIES, SORT_FIELDS, SORT_ORDERS } from '../../shared/listing.ts'
import { toItem } from '../../shared/store/item.ts'
import type { Limits } from '../../shared/store/limits.ts'
import { changeState, TRANSITIONS } from '../../shared/store/operators/removal.ts'
import type { Store } from '../../shared/store/store.ts'
import { emptyTables, load, put, writeOrphans } from '../support/access.ts'
import { expected, inOrder, type Query } from '../support/model.ts'
import { byId, type StartedService, startService } from '../support/service.ts'

const RUNS = Number(process.env.RUNS ?? 5)

/** Few words, so that jokes share them. Some begin with another word, or differ only in case and accents. */
const word = fc.constantFrom(...'a an ant Ante ça CA cat cats élève eleven été zoo 7 77 цыплёнок цыплята'.split(' '))
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
/** Queries of one category, of several, or of all. */
const query: fc.Arbitrary<Query> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ ...filter, ...sorting }, { requiredKeys: [] }) },
  fc.record({ searchString, categories, ...sorting }, { requiredKeys: ['categories'] }),
  fc.record({ ...filter, ...shuffling }, { requiredKeys: ['sortBy'] }),
  fc.record({ searchString, categories, ...shuffling }, { requiredKeys: ['sortBy', 'categories'] }),
)

const queries = fc.array(fc.tuple(query, fc.integer({ min: 1, max: 12 })), { minLength: 8, maxLength: 8 })

/** A collection. `votes` upvote jokes by index, and the jokes of `raced` have orphan entries of a lost race. */
const collection = fc.record({
  jokes: fc.array(newJoke, { maxLength: 30, size: 'max' }),
  votes: fc.array(fc.nat(29), { maxLength: 15 }),
  raced: fc.array(fc.nat(29), { maxLength: 30 }),
})

type Collection = typeof collection extends fc.Arbitrary<infer Value> ? Value : never

/** Changes between two pages. Upvoted, removed and approved jokes are given by their index. */
const indexes = fc.array(fc.nat(29), { maxLength: 2 })
const change = fc.record({
  added: fc.array(newJoke, { maxLength: 8 }),
  upvoted: indexes,
  removed: indexes,
  approved: fc.array(fc.nat(9), { maxLength: 9 }),
})
const changes = fc.array(change, { maxLength: 6 })
const waiting = fc.array(newJoke, { maxLength: 10 })

/** A budget that makes pages short. */
const FEW_UNITS = { units: 10, calls: 30 }

/** A budget for a few entries of each list, or about ten jokes in random order. */
const FEW_ROWS = { units: 2, calls: 9 }

/** Each case has limits that force one way of reading. */
describe.each<[string, Partial<Limits>]>([
  ['with the usual limits', {}],
  ['when index lists are read in small steps', { firstEntries: 1 }],
  ['when dense index lists are left unread', { firstEntries: 1, entriesPerJoke: 1 }],
  ['when searches by votes walk', { sortedJokes: 0 }],
  ['when few jokes are sorted', { sortedJokes: 3 }],
  ['when random orders walk in small windows', { windowRows: 3, windowMatches: 2, manyMatches: 0 }],
  ['when random orders of few jokes are sorted', { windowRows: 3, windowMatches: 2, manyMatches: 2 }],
  [
    'when sorted random orders become too large',
    { firstEntries: 1, windowRows: 3, windowMatches: 2, indexLists: FEW_ROWS, window: FEW_ROWS },
  ],
  [
    'with few read units',
    {
      firstEntries: 1,
      listing: { ...FEW_UNITS, units: 45 },
      partition: FEW_UNITS,
      indexLists: FEW_UNITS,
      indexListsByVotes: FEW_ROWS,
      window: FEW_ROWS,
    },
  ],
  ['when pages are small', { pageBytes: 400 }],
])('%s', (_, limits) => {
  let service: StartedService
  beforeAll(async () => {
    service = await startService(limits)
  })
  afterAll(() => service.stop())

  it('listings and searches match a plain list in memory', async () => {
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
        if (!endsEarly && !limits.window && !limits.pageBytes) expect(sizes).toEqual(sizes.map(() => pageSize))
        expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(pageSize)
      }
    })
    await fc.assert(property, { numRuns: RUNS })
  })

  it('paging shows each unchanged joke once while others change', async () => {
    const sized = fc.tuple(query, fc.integer({ min: 1, max: 6 }))
    const property = fc.asyncProperty(
      collection,
      waiting,
      sized,
      changes,
      async (contents, waiting, [query, size], changes) => {
        const jokes = await fill(service.store, contents)
        const waitingIds = await addWaiting(service.store, jokes, waiting)
        const idsAt = (indexes: number[]) => indexes.flatMap((index) => jokes[index]?.id ?? [])
        const changed = new Set<string>()
        const shown: Joke[] = []
        for await (const page of service.follow({ ...query, numberofJokes: String(size) })) {
          shown.push(...page)
          const { added = [], upvoted = [], removed = [], approved = [] } = changes.shift() ?? {}
          for (const joke of added) {
            const { status, body } = await service.create(joke)
            if (status === 201) changed.add(v.parse(Joke, body).id)
          }
          for (const id of idsAt(upvoted)) if ((await service.thumbUp(id)).status === 200) changed.add(id)
          for (const id of idsAt(removed)) {
            changed.add(id)
            // The change fails if the joke is already removed.
            await changeState(service.store, id, TRANSITIONS.remove).catch(() => {})
          }
          for (const id of approved.flatMap((index) => waitingIds[index] ?? [])) {
            changed.add(id)
            await changeState(service.store, id, TRANSITIONS.approve)
          }
        }
        const isUnchanged = ({ id }: Joke) => !changed.has(id)
        expect(byId(shown.filter(isUnchanged))).toEqual(byId(expected(jokes, query).filter(isUnchanged)))
      },
    )
    await fc.assert(property, { numRuns: RUNS })
  })
})

/** Replaces all jokes by the collection, without duplicates. Each date belongs to two jokes. */
async function fill(store: Store, { jokes, votes, raced }: Collection): Promise<Joke[]> {
  const filled = uniqueJokes(jokes).map((joke, index) => ({
    ...joke,
    thumbsUp: votes.filter((vote) => vote === index).length,
  }))
  await emptyTables(store)
  await writeOrphans(
    store,
    ...filled.filter((_, index) => raced.includes(index)).map((joke, index) => ({ ...joke, dateAdded: dateOf(index) })),
  )
  await load(store, filled)
  return filled
}

/** Adds jokes that wait for approval, unless they exist. Returns their ids. */
async function addWaiting(store: Store, jokes: Joke[], added: object[]): Promise<string[]> {
  const waiting = uniqueJokes(added).filter(({ id }) => jokes.every((joke) => joke.id !== id))
  await put(store, store.jokesTable, ...waiting.map((joke) => toItem(joke, 'waiting', 'test')))
  return waiting.map(({ id }) => id)
}

function uniqueJokes(sent: object[]): Joke[] {
  const inputs = sent.map((joke) => v.parse(JokeInput, joke))
  const byId = new Map(inputs.map((input) => [identify(input), input]))
  return Array.from(byId, ([id, input], index) => ({
    id,
    ...input,
    thumbsUp: 0,
    thumbsDown: 0,
    dateAdded: dateOf(Math.floor(index / 2)),
  }))
}

function dateOf(milliseconds: number): string {
  return new Date(Date.UTC(2026, 0, 1) + milliseconds).toISOString()
}
