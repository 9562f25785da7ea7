/** The meaning of parameters, and their role in the pages after the first. */
import { expect, it } from 'vitest'
import { respondList } from '../shared/http/responses.ts'
import { type ListingQuery, parseListing } from '../shared/listing.ts'
import { nextPageOf } from '../shared/nextLink.ts'
import { decodeCursor, encodeCursor } from '../shared/store/cache/order.ts'

const PLACE = { id: 'x'.repeat(22), dateAdded: 1, thumbsUp: 2, thumbsDown: 3, hash: 4 }

type Query = Record<string, string>

/** For each parameter: listings that differ in it alone, and whether they share cursors. */
const PAIRS: Record<keyof ListingQuery, [one: Query, other: Query, shareCursors: boolean]> = {
  searchString: [{ searchString: 'cat' }, { searchString: 'dog' }, false],
  numberofJokes: [{ numberofJokes: '2' }, { numberofJokes: '9' }, true],
  category: [{ category: 'School' }, { category: 'Classic' }, false],
  categories: [{ categories: 'School,Classic' }, { categories: 'School' }, false],
  sortBy: [{ sortBy: 'thumbsUp' }, { sortBy: 'dateAdded' }, false],
  sortOrder: [{ sortOrder: 'asc' }, { sortOrder: 'desc' }, false],
  seed: [{ sortBy: 'random', seed: 'a' }, { sortBy: 'random', seed: 'b' }, false],
  cursor: [{ cursor: 'a' }, { cursor: 'b' }, true],
  id: [{ id: 'a' }, { id: 'b' }, true],
}

/** The listing of the page after the first one of a query. */
function nextOf(query: Query) {
  const listing = parseListing(query)
  const { headers } = respondList(Object({ headers: {} }), listing, {
    jokes: [],
    total: 0,
    next: encodeCursor(PLACE, listing),
  })
  const url = nextPageOf({ headers: new Headers(headers), url: 'http://localhost/joke' })
  return parseListing(Object.fromEntries(url?.searchParams ?? []))
}

it.each(Object.entries(PAIRS))('the link to the next page keeps the meaning of %s', (_, [query]) => {
  const { cursor: _cursor, ids: _ids, ...listing } = parseListing(query)
  expect(nextOf(query)).toEqual({ ...listing, isCacheable: true, cursor: expect.any(String) })
  expect(decodeCursor(nextOf(query))).toEqual(PLACE)
})

it.each(Object.entries(PAIRS))('a cursor depends on %s if the order of the jokes does', (_, [one, other, shared]) => {
  const cursor = encodeCursor(PLACE, parseListing(one))
  const decode = () => decodeCursor({ ...parseListing(other), cursor })
  if (shared) expect(decode()).toEqual(PLACE)
  else expect(decode).toThrow('must come from the Link header')
})

it.each<[one: Query, other: Query]>([
  [{ categories: 'School,Classic' }, { categories: 'Classic,School' }],
  [{ searchString: 'Café, dog' }, { searchString: 'cafe DOG' }],
])('%j and %j share cursors', (one, other) => {
  const cursor = encodeCursor(PLACE, parseListing(one))
  expect(decodeCursor(parseListing({ ...other, cursor }))).toEqual(PLACE)
})

it.each(['251', '9'.repeat(400)])('numberofJokes counts as 250 if it is %s', (numberofJokes) => {
  expect(parseListing({ numberofJokes })).toMatchObject({ numberofJokes: 250, seed: '' })
})
