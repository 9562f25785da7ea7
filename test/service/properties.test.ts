import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CATEGORIES, type Joke } from '../../shared/joke.ts'
import { FILTER_CATEGORIES, SORT_FIELDS, SORT_ORDERS } from '../../shared/listing.ts'
import { emptyTables } from '../support/access.ts'
import { expected, inOrder } from '../support/model.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ SHARDS: '2' })
})
afterAll(() => service.stop())

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

const newJoke = fc.record(
  { joke: text, punchline: text, category: fc.constantFrom(...CATEGORIES) },
  { requiredKeys: ['joke', 'category'] },
)

const query = fc.record(
  {
    searchString: fc.array(word, { maxLength: 3 }).map((words) => words.join(' ')),
    category: fc.constantFrom(...FILTER_CATEGORIES),
    sortBy: fc.constantFrom(...SORT_FIELDS),
    sortOrder: fc.constantFrom(...SORT_ORDERS),
  },
  { requiredKeys: [] },
)

/** A collection, and votes for its jokes by their index. */
const collection = fc.record({
  jokes: fc.array(newJoke, { maxLength: 30 }),
  votes: fc.array(fc.nat(29), { maxLength: 15 }),
})

it('lists, searches and pages as a plain list in memory does', async () => {
  await fc.assert(
    fc.asyncProperty(
      collection,
      fc.array(fc.tuple(query, fc.integer({ min: 1, max: 12 })), { minLength: 1, maxLength: 8 }),
      async ({ jokes: newJokes, votes }, queries) => {
        await emptyTables()
        const jokes = await fill(newJokes, votes)
        for (const [query, pageSize] of queries) {
          const pages = await service.pages({ ...query, numberofJokes: String(pageSize) })
          const listed = pages.flat()
          expect(byId(listed)).toEqual(byId(expected(jokes, query)))
          expect(inOrder(listed, query)).toBe(true)
          expect(pages.slice(0, -1).map((page) => page.length)).toEqual(pages.slice(1).map(() => pageSize))
        }
      },
    ),
    { numRuns: 40 },
  )
})

/** Adds jokes and upvotes them, all that are not equal to one before. */
async function fill(newJokes: object[], votes: number[]): Promise<Joke[]> {
  const answers = []
  for (const joke of newJokes) answers.push(await service.create(joke))
  const jokes = answers.filter(({ status }) => status === 201).map(({ body }) => Object(body))
  for (const vote of votes) {
    const joke = jokes[vote]
    if (joke) joke.thumbsUp = Object((await service.thumbUp(joke.id)).body).thumbsUp
  }
  return jokes
}

function byId(jokes: Joke[]): Joke[] {
  return jokes.toSorted((one, other) => one.id.localeCompare(other.id))
}
