import { afterAll, describe, expect, it } from 'vitest'
import { removeJoke, undoRemoval } from '../../shared/store/removal.ts'
import { load } from '../support/access.ts'
import { numberedJokes } from '../support/numberedJoke.ts'
import { idsOf, startService } from '../support/service.ts'

const jokes = numberedJokes(200)

const service = await startService()
await load(service.store, jokes)
afterAll(service.stop)

describe('sortBy=random', () => {
  const seeded = async (seed: string, query = {}) =>
    (await service.jokes({ sortBy: 'random', seed, ...query })).map(({ id }) => id)

  it.each<Record<string, string>>([
    {},
    { category: 'School' },
    { searchString: 'chicken' },
    { searchString: 'thirty' },
  ])('leads to each joke once, by Link: %j', async (query) => {
    const pages = await service.pages({ ...query, sortBy: 'random', numberofJokes: '9' })
    const all = await service.pages({ ...query, numberofJokes: '250' })
    expect(pages.slice(0, -1).every((page) => page.length === 9)).toBe(true)
    expect(idsOf(pages.flat())).toEqual(idsOf(all.flat()))
    expect(pages.flat()).not.toEqual(all.flat())
  })

  it('begins elsewhere each time', async () => {
    const draw = async () => (await service.jokes({ sortBy: 'random' })).map(({ id }) => id)
    expect(await draw()).not.toEqual(await draw())
  })

  it('gives the same order for the same seed, and another one for another', async () => {
    expect(await seeded('2026-11-22')).toEqual(await seeded('2026-11-22'))
    expect(await seeded('2026-11-22')).not.toEqual(await seeded('2026-11-23'))
  })

  it('keeps the joke of the day while others are added and removed elsewhere', async () => {
    const today = { numberofJokes: '1' }
    const [joke = ''] = await seeded('a day', today)
    const others = jokes.filter(({ id }) => id !== joke).slice(0, 3)
    for (const { id } of others) await removeJoke(service.store, id)
    const days = await Promise.all(Array.from({ length: 20 }, (_, day) => seeded(`day ${day}`, today)))
    for (const { id } of others) await undoRemoval(service.store, id)
    const before = await Promise.all(Array.from({ length: 20 }, (_, day) => seeded(`day ${day}`, today)))
    const changed = days.filter(([id], day) => id !== before[day]?.[0])
    expect(changed.length).toBeLessThan(4)
  })

  it('shuffles a page, so that neighbours do not always follow one another', async () => {
    const page = await seeded('shuffled')
    expect(page).not.toEqual(page.toSorted())
    expect([...page.slice(page.indexOf(page.toSorted()[0] ?? '')), ...page]).not.toEqual(page.toSorted())
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
