/** Random orders, and listings by ids. */
import { afterAll, describe, expect, it } from 'vitest'
import { SORT_FIELDS } from '../../shared/listing.ts'
import { inOrder } from '../support/model.ts'
import { numberedJokes } from '../support/numberedJoke.ts'
import { idsOf, openService } from '../support/service.ts'

const service = await openService()
const { word } = service
const jokes = await service.add(
  ...numberedJokes(100).map(({ joke, punchline, category }) => ({ joke: `${joke} ${word}`, punchline, category })),
)
afterAll(service.stop)

const listed = async (query: Record<string, string>) => (await service.jokes(query)).map(({ id }) => id)

describe('id', () => {
  const [oldest, middle, newest] = [0, 50, 99].map((index) => `${jokes[index]?.id}`)

  it('a listing by ids has the newest first, and may be empty', async () => {
    expect(await listed({ id: `${oldest},x,${newest},AAAAAAAAAAAAAAAAAAAAAA,${middle},${oldest}` })).toEqual([
      newest,
      middle,
      oldest,
    ])
    expect(await listed({ id: ',' })).toEqual([])
  })

  it.each(SORT_FIELDS)('a listing by ids is sorted by %s', async (sortBy) => {
    const order = { sortBy, sortOrder: 'asc' } as const
    for (const { id } of jokes.slice(10, 15)) await service.thumbUp(id)
    const sorted = await service.jokes({ id: idsOf(jokes.slice(0, 25)).join(), ...order })
    expect([sorted.length, inOrder(sorted, order)]).toEqual([25, true])
  })

  it('a random order of ids depends only on the seed', async () => {
    const ids = idsOf(jokes.slice(0, 25))
    const draw = (ids: string[], seed: string) => listed({ id: ids.join(), sortBy: 'random', seed })
    const [drawn, drawnByAnotherSeed] = [await draw(ids, '0'), await draw(ids, '1')]
    expect(drawn.toSorted()).toEqual(ids)
    expect(drawn).not.toEqual(drawnByAnotherSeed)
    expect(await draw(ids.toReversed(), '0')).toEqual(drawn)
  })
})

describe('sortBy=random', () => {
  it('a random order without a seed differs each time', async () => {
    const draw = () => listed({ sortBy: 'random', searchString: `thirty ${word}`, numberofJokes: '31' })
    const [first, second] = [await draw(), await draw()]
    expect(first).not.toEqual(second)
    for (const drawn of [first, second]) expect(drawn.toSorted()).toEqual(idsOf(jokes.slice(0, 30)))
  })

  it.each([{}, { categories: 'School,Classic,French humour' }, { category: 'School' }])(
    'a seed gives the same order at any page size: %j',
    async (query) => {
      const pagesOf = async (numberofJokes: string) =>
        (await service.pages({ searchString: word, ...query, sortBy: 'random', seed: 'same', numberofJokes }))
          .flat()
          .map(({ id }) => id)
      const all = await pagesOf('250')
      expect(new Set(all).size).toBe(all.length)
      for (const numberofJokes of ['1', '7', '99']) expect(await pagesOf(numberofJokes)).toEqual(all)
    },
  )
})
