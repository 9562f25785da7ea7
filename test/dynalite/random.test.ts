import { afterAll, describe, expect, it } from 'vitest'
import { load } from '../support/access.ts'
import { numberedJokes } from '../support/numberedJoke.ts'
import { idsOf, startService } from '../support/service.ts'

const jokes = numberedJokes(200)

const service = await startService()
await load(service.store, jokes)
afterAll(service.stop)

describe('sortBy=random', () => {
  it('returns different jokes, of the given category, without a Link', async () => {
    const [sample, ...further] = await service.pages({ sortBy: 'random', category: 'School', numberofJokes: '39' })
    expect(further).toEqual([])
    expect(new Set(sample?.map(({ id }) => id)).size).toBe(39)
    expect(sample?.every(({ category }) => category === 'School')).toBe(true)
  })

  it('returns another sample each time', async () => {
    const draw = async () => (await service.jokes({ sortBy: 'random' })).map(({ id }) => id)
    expect(await draw()).not.toEqual(await draw())
  })

  it.each(['thirty', 'chicken', 'ch'])('samples the matches of a search for %s', async (searchString) => {
    const found = await service.jokes({ sortBy: 'random', searchString, numberofJokes: '20' })
    expect(found).toHaveLength(20)
    expect(found.every(({ joke, punchline }) => `${joke} ${punchline}`.includes(searchString))).toBe(true)
  })

  it('returns all jokes if there are fewer than asked for', async () => {
    const all = await service.jokes({ sortBy: 'random', numberofJokes: '250' })
    expect(idsOf(all)).toEqual(idsOf(jokes))
  })
})

describe('id', () => {
  const [one, two, three] = jokes.map(({ id }) => id)

  it('returns the jokes that exist, the newest first', async () => {
    const found = await service.jokes({ id: `${one},unknown,${three},AAAAAAAAAAAAAAAAAAAAAA,${two},${one}` })
    expect(found.map(({ id }) => id)).toEqual([three, two, one])
  })

  it('sorts the jokes by sortBy and sortOrder', async () => {
    const id = idsOf(jokes.slice(0, 7)).join()
    const found = await service.jokes({ id, sortBy: 'thumbsUp', sortOrder: 'asc' })
    expect(found.map(({ thumbsUp }) => thumbsUp)).toEqual([0, 1, 2, 3, 4, 5, 6])
  })

  it('returns the jokes in random order if asked', async () => {
    const id = idsOf(jokes.slice(0, 7)).join()
    const orders = new Set<string>()
    for (let draw = 0; draw < 10; draw++) {
      const drawn = await service.jokes({ id, sortBy: 'random' })
      expect(idsOf(drawn).join()).toBe(id)
      orders.add(drawn.map((joke) => joke.id).join())
    }
    expect(orders.size).toBeGreaterThan(1)
  })

  it('returns nothing for ids that no joke has', async () => {
    expect(await service.jokes({ id: 'x' })).toEqual([])
    expect(await service.jokes({ id: ',' })).toEqual([])
  })

  it('accepts 100 ids', async () => {
    expect(await service.jokes({ id: idsOf(jokes.slice(0, 100)).join() })).toHaveLength(100)
  })
})
