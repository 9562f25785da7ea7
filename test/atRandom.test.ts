/** The queries of random orders, and the arcs of the ring that they read. */
import { expect, it } from 'vitest'
import { parseListing } from '../shared/listing.ts'
import { type Arc, cutArc } from '../shared/store/finding/ring.ts'
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

/** Whether an id is on an arc, which may pass the last id. */
const isOn = ([after, end]: Arc, id: string) => (after < end ? after < id && id < end : after < id || id < end)

it.each<{ name: string; arc: Arc; most: number }>([
  { name: 'the whole ring', arc: ['M', 'M'], most: 16 },
  { name: 'an arc from the first id', arc: ['', 'M'], most: 15 },
  { name: 'an arc past the last id', arc: ['M', 'C'], most: 15 },
])('cutting $name leaves each id on one arc', ({ arc, most }) => {
  const arcs = cutArc(arc, 'seed')
  expect([arcs[0]?.[0], arcs.at(-1)?.[1]]).toEqual(arc)
  expect(arcs.length).toBeGreaterThan(3)
  expect(arcs.length).toBeLessThanOrEqual(most)
  for (const { id } of numberedJokes(200))
    expect(arcs.filter((part) => isOn(part, id)).length).toBe(Number(isOn(arc, id)))
})
