/** Random orders, and jokes by their ids. */
import { afterAll, describe, expect, it } from 'vitest'
import { removeJoke, undoRemoval } from '../../shared/store/removal.ts'
import { load } from '../support/access.ts'
import { numberedJokes } from '../support/numberedJoke.ts'
import { idsOf, startService } from '../support/service.ts'

const jokes = numberedJokes(200)
const service = await startService()
await load(service.store, jokes)
afterAll(service.stop)

const listed = async (query: Record<string, string>) => (await service.jokes(query)).map(({ id }) => id)

describe('sortBy=random', () => {
  const seeded = (seed: string, query = {}) => listed({ sortBy: 'random', seed, ...query })

  it('begins elsewhere each time, and returns all jokes if there are fewer than asked for', async () => {
    const draw = () => listed({ sortBy: 'random', numberofJokes: '250' })
    const [one, other] = [await draw(), await draw()]
    expect(one).not.toEqual(other)
    for (const draw of [one, other]) expect(draw.toSorted()).toEqual(idsOf(jokes))
  })

  it('gives the same order for the same seed, and another one for another', async () => {
    expect(await seeded('2026-11-22')).toEqual(await seeded('2026-11-22'))
    expect(await seeded('2026-11-22')).not.toEqual(await seeded('2026-11-23'))
  })

  it('keeps the joke of the day while others are added and removed elsewhere', async () => {
    const days = () => Promise.all([...Array(20).keys()].map((day) => seeded(`day ${day}`, { numberofJokes: '1' })))
    const before = await days()
    const others = idsOf(jokes)
      .filter((id) => id !== before[0]?.[0])
      .slice(0, 3)
    for (const id of others) await removeJoke(service.store, id)
    const after = await days()
    for (const id of others) await undoRemoval(service.store, id)
    expect(after.filter(([id], day) => id !== before[day]?.[0]).length).toBeLessThan(4)
    expect(await days()).toEqual(before)
  })

  it('shuffles a page, so that neighbours do not always follow one another', async () => {
    const page = await seeded('shuffled')
    const start = page.indexOf(page.toSorted()[0] ?? '')
    expect([...page.slice(start), ...page.slice(0, start)]).not.toEqual(page.toSorted())
  })
})

describe('id', () => {
  const [one, two, three] = jokes.map(({ id }) => id)

  it.each<[title: string, query: Record<string, string>, expected: (string | undefined)[]]>([
    ['has the newest first', { id: `${one},unknown,${three},AAAAAAAAAAAAAAAAAAAAAA,${two},${one}` }, [three, two, one]],
    ['is sorted as asked', { id: `${two},${three},${one}`, sortBy: 'thumbsUp', sortOrder: 'asc' }, [one, two, three]],
    ['may be of no joke', { id: 'x' }, []],
    ['may be empty', { id: ',' }, []],
  ])('%s', async (_, query, expected) => {
    expect(await listed(query)).toEqual(expected)
  })

  it('returns the jokes in random order if asked', async () => {
    const id = idsOf(jokes.slice(0, 7)).join()
    const draws = await Promise.all(
      [...Array(10).keys()].map((seed) => listed({ id, sortBy: 'random', seed: `${seed}` })),
    )
    for (const draw of draws) expect(draw.toSorted().join()).toBe(id)
    const otherwise = id.split(',').toReversed().join()
    expect(await listed({ id: otherwise, sortBy: 'random', seed: '0' })).toEqual(draws[0])
    expect(new Set(draws.map(String)).size).toBeGreaterThan(1)
  })

  it('accepts 100 ids', async () => {
    expect(await listed({ id: idsOf(jokes.slice(0, 100)).join() })).toHaveLength(100)
  })
})
