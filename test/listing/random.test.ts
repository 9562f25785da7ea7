/** Random orders, and jokes by their ids. */
import { afterAll, describe, expect, it } from 'vitest'
import { removeJoke } from '../../shared/store/operators/removal.ts'
import { load } from '../support/access.ts'
import { numberedJokes } from '../support/numberedJoke.ts'
import { idsOf, startService } from '../support/service.ts'

const jokes = numberedJokes(200)
const service = await startService()
await load(service.store, jokes)
afterAll(service.stop)

const listed = async (query: Record<string, string>) => (await service.jokes(query)).map(({ id }) => id)

describe('id', () => {
  const [one, two, three] = jokes.map(({ id }) => id)

  it.each<[title: string, query: Record<string, string>, expected: (string | undefined)[]]>([
    ['has the newest first', { id: `${one},unknown,${three},AAAAAAAAAAAAAAAAAAAAAA,${two},${one}` }, [three, two, one]],
    ['is sorted as asked', { id: `${two},${three},${one}`, sortBy: 'thumbsUp', sortOrder: 'asc' }, [one, two, three]],
    ['may be empty', { id: ',' }, []],
  ])('%s', async (_, query, expected) => {
    expect(await listed(query)).toEqual(expected)
  })

  it('returns up to 100 jokes in random order if asked, whatever the order of the ids', async () => {
    const ids = idsOf(jokes.slice(0, 100))
    const draw = (ids: string[], seed: string) => listed({ id: ids.join(), sortBy: 'random', seed })
    const [drawn, another] = [await draw(ids, '0'), await draw(ids, '1')]
    expect(drawn.toSorted()).toEqual(ids)
    expect(drawn).not.toEqual(another)
    expect(await draw(ids.toReversed(), '0')).toEqual(drawn)
  })
})

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

  it('shuffles a page, so that neighbours do not always follow one another', async () => {
    const page = await seeded('shuffled')
    const start = page.indexOf(page.toSorted()[0] ?? '')
    expect([...page.slice(start), ...page.slice(0, start)]).not.toEqual(page.toSorted())
  })

  it('pages a search round the ring of all ids', async () => {
    for (const seed of 'abcdgjoq') {
      const numberofJokes = seed > 'd' ? '20' : '7'
      const pages = await service.pages({ searchString: 'thirty', sortBy: 'random', seed, numberofJokes })
      expect(idsOf(pages.flat())).toEqual(idsOf(jokes.slice(0, 30)))
    }
  })

  it('keeps the joke of the day while others are removed', async () => {
    const days = () => Promise.all([...Array(8).keys()].map((day) => seeded(`day ${day}`, { numberofJokes: '1' })))
    const before = await days()
    const others = idsOf(jokes).filter((id) => id !== before[0]?.[0])
    for (const id of others.slice(0, 3)) await removeJoke(service.store, id)
    const after = await days()
    expect(after.filter(([id], day) => id !== before[day]?.[0]).length).toBeLessThan(4)
  })
})
