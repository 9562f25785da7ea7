/** Searches by votes that walk the index, because many jokes match. */
import * as v from 'valibot'
import { expect, it } from 'vitest'
import { parseListing } from '../shared/listing.ts'
import { encodeCursor } from '../shared/store/finding/cursor.ts'
import { entriesFor, entryKeyOf } from '../shared/store/indexEntries.ts'
import { listJokes } from '../shared/store/jokes.ts'
import { numberedJokes } from './support/numberedJoke.ts'
import { stubbedStore } from './support/stubbedStore.ts'

const id = 'A'.repeat(22)

/** The index entries of a word that `count` jokes contain. */
const rowsOf = (word: string, count: number) =>
  numberedJokes(count)
    .flatMap((joke) => entriesFor(entryKeyOf({ ...joke, category: 'School' }), [word]))
    .filter(({ prefix }) => prefix === word)

it.each([
  { sortOrder: 'desc', thumbsUp: 6 },
  { sortOrder: 'asc', thumbsUp: 4 },
])('a walk by votes, $sortOrder, resumes one vote before the last shown joke', async ({ sortOrder, thumbsUp }) => {
  const rows = rowsOf('duck', 2)
  const { store, calls } = stubbedStore((_, input) => ({ Items: 'IndexName' in input ? [] : rows }), { sortedJokes: 1 })
  const listing = parseListing({ searchString: 'duck', sortBy: 'thumbsUp', sortOrder, category: 'School' })
  const cursor = encodeCursor({ plan: 'sortByVotes', shownUpTo: [5, id] }, listing)
  await listJokes(store, { ...listing, cursor })
  const walked = calls.filter(({ input }) => 'IndexName' in input).map(({ input }) => input)
  // DynamoDB filters the jokes, so that it sends only matches.
  const FilterExpression = 'attribute_not_exists(words) OR contains(words, :word0)'
  expect(walked).toMatchObject([{ ExclusiveStartKey: { shelf: 'School', thumbsUp, id }, FilterExpression }])
})

it.each([
  { found: 'equal votes everywhere', step: { School: 0, Classic: 0 }, least: 1, most: 1.2 },
  { found: 'fewer votes in one category', step: { School: 5, Classic: 1 }, least: 4, most: 6 },
])('a walk by votes reads on where votes are highest: $found', async ({ step, least, most }) => {
  const queried = { School: 0, Classic: 0 }
  const ofWalk = v.object({
    IndexName: v.string(),
    ExpressionAttributeValues: v.object({ ':shelf': v.picklist(['School', 'Classic']) }),
  })
  const { store } = stubbedStore(
    (_, input) => {
      if (!v.is(ofWalk, input)) return { Items: rowsOf('duck', 2) }
      const shelf = input.ExpressionAttributeValues[':shelf']
      queried[shelf] += 1
      const thumbsUp = 1_000 - step[shelf] * queried[shelf]
      return { Items: [], LastEvaluatedKey: { shelf, thumbsUp, id }, ConsumedCapacity: { CapacityUnits: 0.5 } }
    },
    { sortedJokes: 1 },
  )
  await listJokes(store, parseListing({ searchString: 'duck', sortBy: 'thumbsUp', categories: 'School,Classic' }))
  expect(queried.Classic / queried.School).toBeGreaterThanOrEqual(least)
  expect(queried.Classic / queried.School).toBeLessThanOrEqual(most)
})
