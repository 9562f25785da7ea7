/** A search by votes whose word becomes common while somebody pages. */
import { expect, it } from 'vitest'
import { parseListing } from '../shared/listing.ts'
import { encodeCursor } from '../shared/store/finding/cursor.ts'
import { listJokes } from '../shared/store/jokes.ts'
import { placeOf, rowsAt } from '../shared/store/wordRows.ts'
import { numberedJokes } from './support/numberedJoke.ts'
import { stubbedStore } from './support/stubbedStore.ts'

const id = 'A'.repeat(22)

it.each([
  { sortOrder: 'desc', thumbsUp: 6 },
  { sortOrder: 'asc', thumbsUp: 4 },
])('goes on along the index before the votes of the last joke, $sortOrder', async ({ sortOrder, thumbsUp }) => {
  const rows = numberedJokes(2).flatMap((joke) => rowsAt(placeOf({ ...joke, category: 'School' }), ['duck']))
  const { store, calls } = stubbedStore(
    (_, input) => ({ Items: 'IndexName' in input ? [] : rows.filter(({ prefix }) => prefix === 'duck') }),
    { sortedJokes: 1 },
  )
  const listing = parseListing({ searchString: 'duck', sortBy: 'thumbsUp', sortOrder, category: 'School' })
  const cursor = encodeCursor({ plan: 'sortedLists', shownUpTo: [5, id] }, listing)
  await listJokes(store, { ...listing, cursor })
  const walked = calls.filter(({ input }) => 'IndexName' in input).map(({ input }) => input)
  // What does not match stays in the database.
  const FilterExpression = 'attribute_not_exists(words) OR contains(words, :word0)'
  expect(walked).toMatchObject([{ ExclusiveStartKey: { shelf: 'School', thumbsUp, id }, FilterExpression }])
})
