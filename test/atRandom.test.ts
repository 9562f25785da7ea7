/** The queries of random orders. */
import { expect, it } from 'vitest'
import { parseListing } from '../shared/listing.ts'
import { listJokes } from '../shared/store/jokes.ts'
import { numberedJokes } from './support/numberedJoke.ts'
import { stubbedStore } from './support/stubbedStore.ts'

it('a random search without matches ends after one window', async () => {
  const rows = numberedJokes(101).map(({ id, category }) => ({ id, category }))
  const { store, calls } = stubbedStore((_, input) =>
    'IndexName' in input ? { Items: rows, LastEvaluatedKey: rows.at(-1) } : { Items: [] },
  )
  expect(await listJokes(store, parseListing({ searchString: 'nothing', sortBy: 'random' }))).toMatchObject({
    jokes: [],
  })
  expect(calls.map(({ input }) => Object(input).IndexName)).toEqual(['byState', undefined])
})
