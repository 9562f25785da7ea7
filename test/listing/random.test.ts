/** Random orders, and listings by ids. */
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { SORT_FIELDS } from '../../shared/listing.ts'
import { changeState, TRANSITIONS } from '../../shared/store/operators/removal.ts'
import { load } from '../support/access.ts'
import { inOrder } from '../support/model.ts'
import { numberedJoke, numberedJokes } from '../support/numberedJoke.ts'
import { idsOf, startService } from '../support/service.ts'

const jokes = numberedJokes(200)
const service = await startService()
await load(service.store, jokes)
afterAll(service.stop)

const listed = async (query: Record<string, string>) => (await service.jokes(query)).map(({ id }) => id)

describe('id', () => {
  const [oldest, middle, newest] = jokes.map(({ id }) => id)

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
    const draw = () => listed({ sortBy: 'random', searchString: 'thirty', numberofJokes: '31' })
    const [first, second] = [await draw(), await draw()]
    expect(first).not.toEqual(second)
    for (const drawn of [first, second]) expect(drawn.toSorted()).toEqual(idsOf(jokes.slice(0, 30)))
  })

  it.each([{}, { categories: 'School,Classic,French humour' }, { searchString: 'chicken' }])(
    'a seed gives the same order at any page size: %j',
    async (query) => {
      const pagesOf = async (numberofJokes: string) =>
        idsIn((await service.pages({ ...query, sortBy: 'random', seed: 'same', numberofJokes })).flat())
      const all = await pagesOf('250')
      expect(new Set(all).size).toBe(all.length)
      for (const numberofJokes of ['1', '7', '99', '100', '101']) expect(await pagesOf(numberofJokes)).toEqual(all)
    },
  )

  it('a seed gives the same order across windows', async () => {
    const limits = { windowRows: 9, windowMatches: 9, manyMatches: 0 }
    const limited = await startService({
      ...limits,
      partition: { units: 2.5, calls: 45 },
      window: { units: 1, calls: 9 },
    })
    onTestFinished(limited.stop)
    await load(limited.store, jokes)
    const query = { searchString: 'road', sortBy: 'random', seed: 'same' }
    const orderOf = async (numberofJokes: string) => idsIn((await limited.pages({ ...query, numberofJokes })).flat())
    const order = await orderOf('1')
    expect(idsOf(jokes)).toEqual(order.toSorted())
    for (const numberofJokes of ['7', '100', '250']) expect(await orderOf(numberofJokes)).toEqual(order)
  })

  it.each([
    { searchString: 'road' },
    { searchString: 'цыплята', categories: 'School,Classic' },
    { categories: 'School' },
    {},
  ])('a random order that outgrows sorting shows each joke once: %j', async (query) => {
    const limited = await startService({ windowRows: 3, window: { units: 1.5, calls: 4 } })
    onTestFinished(limited.stop)
    const all = Array.from({ length: 200 }, (_, number) => numberedJoke(number, ['цыплята']))
    const [existing = [], added = []] = [0, 1].map((rest) => all.filter((_, index) => index % 2 === rest))
    await load(limited.store, existing)
    const shown: string[] = []
    for await (const page of limited.follow({ ...query, sortBy: 'random', seed: 'x', numberofJokes: '5' })) {
      if (shown.length === 0) await load(limited.store, added)
      shown.push(...idsIn(page))
    }
    const wanted = existing.filter(({ category }) => query.categories?.includes(category) ?? true)
    expect(shown.filter((id) => wanted.some((joke) => joke.id === id)).toSorted()).toEqual(idsOf(wanted))
  })

  it('a seed keeps the order while jokes are added and removed', async () => {
    const query = { sortBy: 'random', seed: 'kept', categories: 'KnockKnock,School', numberofJokes: '250' }
    const before = await listed(query)
    const [removed] = before
    await changeState(service.store, `${removed}`, TRANSITIONS.remove)
    const [added] = await service.add({ joke: 'A new joke', category: 'School' })
    expect((await listed(query)).filter((id) => id !== added?.id)).toEqual(before.slice(1))
  })
})

const idsIn = (jokes: { id: string }[]) => jokes.map(({ id }) => id)
