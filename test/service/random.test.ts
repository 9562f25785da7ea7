import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { load } from '../support/access.ts'
import { numberedJoke } from '../support/numberedJoke.ts'
import { type Service, startService } from '../support/service.ts'

const jokes = Array.from({ length: 200 }, (_, number) => numberedJoke(number))

let service: Service
beforeAll(async () => {
  service = await startService()
  await load(jokes)
})
afterAll(() => service.stop())

describe('sortBy=random', () => {
  it('draws each joke at most once, of one category when asked, and gives no Link', async () => {
    const { headers, body } = await service.list({ sortBy: 'random', category: 'School', numberofJokes: '39' })
    expect(headers.get('link')).toBeNull()
    expect(new Set(Object(body).map(({ id }: { id: string }) => id)).size).toBe(39)
    expect(Object(body).every(({ category }: { category: string }) => category === 'School')).toBe(true)
  })

  it('gives another order and another sample each time', async () => {
    const draw = async () => (await service.jokes({ sortBy: 'random' })).map(({ id }) => id)
    expect(await draw()).not.toEqual(await draw())
  })

  it.each(['thirty', 'chicken', 'ch'])('draws from the matches of a search for %s', async (searchString) => {
    const found = await service.jokes({ sortBy: 'random', searchString, numberofJokes: '20' })
    expect(found).toHaveLength(20)
    expect(found.every(({ joke, punchline }) => `${joke} ${punchline}`.includes(searchString))).toBe(true)
  })

  it('gives all there are where more are asked for', async () => {
    const all = await service.jokes({ sortBy: 'random', numberofJokes: '250' })
    expect(all.map(({ id }) => id).toSorted()).toEqual(jokes.map(({ id }) => id).toSorted())
  })
})

describe('id', () => {
  const [one, two, three] = jokes.map(({ id }) => id)

  it('returns just those jokes that exist, the newest first', async () => {
    const found = await service.jokes({ id: `${one},unknown,${three},AAAAAAAAAAAAAAAAAAAAAA,${two},${one}` })
    expect(found.map(({ id }) => id)).toEqual([three, two, one])
  })

  it('returns them sorted as asked', async () => {
    const id = jokes
      .slice(0, 7)
      .map(({ id }) => id)
      .join(',')
    const found = await service.jokes({ id, sortBy: 'thumbsUp', sortOrder: 'asc' })
    expect(found.map(({ thumbsUp }) => thumbsUp)).toEqual([0, 1, 2, 3, 4, 5, 6])
    expect(await service.jokes({ id, sortBy: 'random' })).toHaveLength(7)
  })

  it('returns nothing for ids that no joke has', async () => {
    expect(await service.jokes({ id: 'x' })).toEqual([])
    expect(await service.jokes({ id: ',' })).toEqual([])
  })

  it('takes 100 of them', async () => {
    expect(
      await service.jokes({
        id: jokes
          .slice(0, 100)
          .map(({ id }) => id)
          .join(','),
      }),
    ).toHaveLength(100)
  })
})
