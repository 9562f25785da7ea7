/** Listings, searches and paging, compared with a plain list in memory. find.test.ts changes jokes between pages. */
import fc from 'fast-check'
import * as v from 'valibot'
import { afterAll, expect, it } from 'vitest'
import { CATEGORIES, Joke } from '../../shared/joke.ts'
import { FILTER_CATEGORIES, SORT_FIELDS, SORT_ORDERS } from '../../shared/listing.ts'
import { expected, inOrder, type Query } from '../support/model.ts'
import { byId, openService, randomWord } from '../support/service.ts'

const RUNS = Number(process.env.RUNS ?? 20)

const service = await openService()
afterAll(service.stop)

/** Few words, so that jokes share them. Some begin with another word, or differ only in case and accents. */
const word = fc.constantFrom(...'a an ant Ante ça CA cat cats élève eleven été zoo 7 77 цыплёнок цыплята'.split(' '))
const separator = fc.constantFrom(' ', ', ', '\n', ' – ', '-', "'")
const text = fc.array(fc.tuple(word, separator), { minLength: 1, maxLength: 6 }).map((pairs) => pairs.flat().join(''))
const joinedWords = fc.tuple(word, fc.constantFrom('-', "'"), word).map((parts) => parts.join(''))

const newJoke = fc.record(
  { joke: text, punchline: text, category: fc.constantFrom(...CATEGORIES) },
  { requiredKeys: ['joke', 'category'] },
)
const newJokes = fc.array(newJoke, { maxLength: 12, size: 'max' })
const indexes = fc.array(fc.nat(11), { maxLength: 6 })

const searchWords = fc.array(fc.oneof({ weight: 5, arbitrary: word }, joinedWords), { minLength: 1, maxLength: 2 })
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
)
const queries = fc.array(fc.tuple(query, fc.integer({ min: 1, max: 12 })), { minLength: 8, maxLength: 8 })

/** Adds jokes with a word that no other joke has, and upvotes some. */
async function add(tag: string, jokes: { joke: string }[], upvoted: number[]): Promise<Joke[]> {
  const added: Joke[] = []
  for (const joke of jokes) {
    const { status, body } = await service.create({ ...joke, joke: `${joke.joke} ${tag}` })
    if (status === 201) added.push(v.parse(Joke, body))
  }
  for (const index of upvoted) {
    const joke = added[index]
    if (joke) added[index] = v.parse(Joke, (await service.thumbUp(joke.id)).body)
  }
  await service.expectFound(tag, added)
  return added
}

it('listings and searches match a plain list in memory', async () => {
  const property = fc.asyncProperty(newJokes, indexes, queries, async (jokes, upvoted, queries) => {
    const tag = randomWord()
    const added = await add(tag, jokes, upvoted)
    for (const [query, pageSize] of queries) {
      const asked = { ...query, searchString: `${query.searchString ?? ''} ${tag}` }
      const pages = await service.pages({ ...asked, numberofJokes: String(pageSize) })
      const listed = pages.flat()
      expect(byId(listed)).toEqual(byId(expected(added, asked)))
      expect(inOrder(listed, query)).toBe(true)
      expect(pages.slice(0, -1).every(({ length }) => length === pageSize)).toBe(true)
      expect(pages).toHaveLength(Math.max(1, Math.ceil(listed.length / pageSize)))
    }
  })
  await fc.assert(property, { numRuns: RUNS })
})
