import fc from 'fast-check'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CATEGORIES, Joke } from '../../shared/joke.ts'
import { FILTER_CATEGORIES, SORT_FIELDS, SORT_ORDERS } from '../../shared/listing.ts'
import { emptyTables, internals } from '../support/access.ts'
import { expected, inOrder } from '../support/model.ts'
import { type Service, startService } from '../support/service.ts'

/** Few words, so that many jokes share some; some begin with others, or differ in case and accents only. */
const word = fc.constantFrom(
  'a',
  'an',
  'ant',
  'Ante',
  'ça',
  'CA',
  'cat',
  'cats',
  'élève',
  'eleven',
  'été',
  'zoo',
  '7',
  '77',
)
const separator = fc.constantFrom(' ', ', ', '\n', ' – ', '-', "'")
const text = fc.array(fc.tuple(word, separator), { minLength: 1, maxLength: 6 }).map((pairs) => pairs.flat().join(''))

const joinedWords = fc.tuple(word, fc.constantFrom('-', "'"), word).map((parts) => parts.join(''))

const newJoke = fc.record(
  { joke: text, punchline: text, category: fc.constantFrom(...CATEGORIES) },
  { requiredKeys: ['joke', 'category'] },
)

const query = fc.record(
  {
    searchString: fc
      .array(fc.oneof({ weight: 5, arbitrary: word }, joinedWords), { minLength: 1, maxLength: 3 })
      .map((words) => words.join(' ')),
    category: fc.constantFrom(...FILTER_CATEGORIES),
    sortBy: fc.constantFrom(...SORT_FIELDS),
    sortOrder: fc.constantFrom(...SORT_ORDERS),
  },
  { requiredKeys: [] },
)

const queries = fc.array(fc.tuple(query, fc.integer({ min: 1, max: 12 })), { minLength: 1, maxLength: 8 })

/** A collection, and votes for its jokes by their index. */
const collection = fc.record({
  jokes: fc.array(newJoke, { maxLength: 30 }),
  votes: fc.array(fc.nat(29), { maxLength: 15 }),
})

/** Each way of reading, forced by what a search may read in one request. */
describe.each([
  ['with the limits as they are', {}],
  ['where every word may be looked up', { WALK_ROWS: 5, FIRST_WALK_ROWS: 1 }],
  ['where no word may be looked up', { LOOKUP_ROWS: 1, LONG_LOOKUP_ROWS: 1 }],
  ['where lookups and walks end early', { LOOKUP_ROWS: 3, LONG_LOOKUP_ROWS: 6, FIRST_WALK_ROWS: 5, WALK_ROWS: 9 }],
  ['where few jokes may be checked or sorted', { MAX_CHECKED: 2, MAX_SORTED: 3, WALK_ROWS: 9 }],
])('%s', (_, limits) => {
  let service: Service
  beforeAll(async () => {
    service = await startService(limits)
  })
  afterAll(() => service.stop())

  it('lists, searches and pages as a plain list in memory does', async () => {
    await fc.assert(
      fc.asyncProperty(collection, queries, async (contents, queries) => {
        const jokes = await fill(service, contents)
        for (const [query, pageSize] of queries) {
          const pages = await service.pages({ ...query, numberofJokes: String(pageSize) })
          const listed = pages.flat()
          expect(byId(listed)).toEqual(byId(expected(jokes, query)))
          expect(inOrder(listed, query)).toBe(true)
          const sizes = pages.slice(0, -1).map((page) => page.length)
          const endsEarly = query.searchString !== undefined && Object.keys(limits).length > 0
          if (!endsEarly) expect(sizes).toEqual(sizes.map(() => pageSize))
          expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(pageSize)
        }
      }),
      { numRuns: 6 },
    )
  })

  it('shows each joke that stays as it is just once while others come, change and go between the pages', async () => {
    await fc.assert(
      fc.asyncProperty(
        collection,
        query,
        fc.integer({ min: 1, max: 6 }),
        changes,
        async (contents, query, size, changes) => {
          const jokes = await fill(service, contents)
          const changed = new Set<string>()
          const shown: Joke[] = []
          for await (const page of service.follow({ ...query, numberofJokes: String(size) })) {
            shown.push(...page)
            const change = changes.shift()
            if (change) await apply(service, jokes, changed, change)
          }
          const isUnchanged = ({ id }: Joke) => !changed.has(id)
          expect(byId(shown.filter(isUnchanged))).toEqual(byId(expected(jokes, query).filter(isUnchanged)))
        },
      ),
      { numRuns: 6 },
    )
  })

  it('samples at random what a plain list in memory holds', async () => {
    await fc.assert(
      fc.asyncProperty(collection, queries, async (contents, queries) => {
        const jokes = await fill(service, contents)
        for (const [{ searchString = '', category = '' }, count] of queries) {
          const query = { searchString, category }
          const sample = await service.jokes({ ...query, sortBy: 'random', numberofJokes: String(count) })
          const all = expected(jokes, { searchString, ...(category !== '' && { category }) })
          expect(new Set(sample.map(({ id }) => id)).size).toBe(sample.length)
          expect(byId(all)).toEqual(expect.arrayContaining(sample))
          if (Object.keys(limits).length === 0) expect(sample).toHaveLength(Math.min(count, all.length))
        }
      }),
      { numRuns: 4 },
    )
  })
})

/** What happens between two pages: jokes that are added, and upvotes and removals of jokes by their index. */
const changes = fc.array(
  fc.record({
    added: fc.array(newJoke, { maxLength: 4 }),
    upvoted: fc.array(fc.nat(29), { maxLength: 2 }),
    removed: fc.array(fc.nat(29), { maxLength: 2 }),
  }),
  { maxLength: 6 },
)
type Change = typeof changes extends fc.Arbitrary<(infer One)[]> ? One : never

async function apply(service: Service, jokes: Joke[], changed: Set<string>, { added, upvoted, removed }: Change) {
  const { removeJoke } = await internals()
  for (const joke of added) {
    const { status, body } = await service.create(joke)
    if (status === 201) changed.add(Object(body).id)
  }
  for (const index of upvoted) {
    const { id } = jokes[index] ?? {}
    if (id !== undefined && (await service.thumbUp(id)).status === 200) changed.add(id)
  }
  for (const index of removed) {
    const { id } = jokes[index] ?? {}
    if (id === undefined) continue
    changed.add(id)
    // Removed already: nothing changes.
    await removeJoke(id).catch(() => {})
  }
}

/** Makes the service hold just these jokes, less those equal to one before, and upvotes them. */
async function fill(service: Service, { jokes, votes }: { jokes: object[]; votes: number[] }): Promise<Joke[]> {
  await emptyTables()
  const added: Joke[] = []
  for (const joke of jokes) {
    const { status, body } = await service.create(joke)
    if (status === 201) added.push(v.parse(Joke, body))
  }
  for (const vote of votes) {
    const joke = added[vote]
    if (joke) Object.assign(joke, (await service.thumbUp(joke.id)).body)
  }
  return added
}

function byId(jokes: Joke[]): Joke[] {
  return jokes.toSorted((one, other) => one.id.localeCompare(other.id))
}
