/** DynamoDB calls and capacity units of usual requests among 1,000 and 3,000 jokes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { load } from '../support/access.ts'
import { startMetered } from '../support/metered.ts'
import { numberedJoke } from '../support/numberedJoke.ts'

/** Rows of the words searched for. Loading others would only take time. */
const SEARCHED = /^(three|thirty|hundreds|chicken|elder)#/

describe('among usual jokes', () => {
  let few: Awaited<ReturnType<typeof startMetered>>
  let many: typeof few
  beforeAll(async () => {
    const start = async (size: number) => {
      const metered = await startMetered()
      const jokes = Array.from({ length: size }, (_, number) => numberedJoke(number, number < 1_500 ? ['elder'] : []))
      await load(metered.store, jokes, ({ entry }) => SEARCHED.test(entry))
      return metered
    }
    few = await start(1_000)
    many = await start(3_000)
  })
  afterAll(async () => {
    await few.stop()
    await many.stop()
  })

  describe('a listing of 25', () => {
    it.each([{ sortBy: 'dateAdded' }, { sortBy: 'thumbsUp' }])(
      'of all, %j, takes 5 calls and 2.5 units',
      async (query) => {
        for (const metered of [few, many])
          expect(await metered.list(query)).toEqual({ found: 25, calls: 5, read: 2.5, written: 0 })
      },
    )

    it('by thumbsDown takes one more call, which reads the jokes by id', async () => {
      for (const metered of [few, many])
        expect(await metered.list({ sortBy: 'thumbsDown' })).toEqual({ found: 25, calls: 6, read: 15, written: 0 })
    })

    it('of one category takes 1 call', async () => {
      const { found, calls, read } = await many.list({ category: 'School' })
      expect([found, calls]).toEqual([25, 1])
      expect(read).toBeLessThanOrEqual(1.5)
    })

    it('costs the same on each page', async () => {
      const second = await many.list({ cursor: await many.cursor() })
      expect(second).toEqual({ found: 25, calls: 5, read: 2.5, written: 0 })
      expect(await many.list({})).toEqual(second)
    })

    it('at random takes few calls, in a collection of any size', async () => {
      const allCalls: number[] = []
      for (const metered of [few, many, many, many]) {
        const { found, calls, read } = await metered.list({ sortBy: 'random' })
        expect(found).toBe(25)
        // The five shelves twice, a second read of some, and the jokes.
        expect(calls).toBeLessThanOrEqual(2 * 5 + 5 + 1)
        expect(read).toBeLessThan(25)
        allCalls.push(calls)
      }
      // Ids after the random one are usually enough.
      expect(Math.min(...allCalls)).toBeLessThan(5 + 4)
    })

    it('by ids takes 1 call, and a unit for each joke', async () => {
      const ids = [1, 2, 3].map((number) => numberedJoke(number, ['elder']).id).join(',')
      expect(await many.list({ id: ids })).toEqual({ found: 3, calls: 1, read: 3, written: 0 })
    })
  })

  describe('a search', () => {
    it('that finds nothing takes 1 call and half a unit for each word', async () => {
      expect(await many.list({ searchString: 'nothing' })).toEqual({ found: 0, calls: 1, read: 0.5, written: 0 })
      expect(await many.list({ searchString: 'nothing ever' })).toMatchObject({ found: 0, calls: 2 })
    })

    it('for two letters that no joke has takes 1 call and half a unit', async () => {
      expect(await many.list({ searchString: 'zz' })).toEqual({ found: 0, calls: 1, read: 0.5, written: 0 })
    })

    it.each([
      ['three', 3, 2],
      ['thirty', 25, 13],
      ['hundreds', 25, 15],
    ])('for %s costs in proportion to the jokes found, not to the collection', async (searchString, found, units) => {
      const usage = await few.list({ searchString })
      expect(usage).toMatchObject({ found, calls: 2 })
      expect(usage.read).toBeLessThanOrEqual(units)
      expect(await many.list({ searchString })).toEqual(usage)
    })

    it('by votes reads all jokes found, half a unit each', async () => {
      const { found, read } = await many.list({ searchString: 'hundreds', sortBy: 'thumbsUp' })
      expect(found).toBe(25)
      expect(read).toBeLessThanOrEqual(150 + 3)
    })

    it('for a word that most jokes contain costs at most as much as five default listings', async () => {
      const { found, read } = await many.list({ searchString: 'chicken' })
      expect(found).toBe(25)
      expect(read).toBeLessThanOrEqual(5 * 2.5)
    })

    it('for a word that only the oldest 1,500 contain fills its page', async () => {
      const { found, read } = await many.list({ searchString: 'elder' })
      expect(found).toBe(25)
      expect(read).toBeLessThanOrEqual(90)
    })

    it('by votes for a word that only the oldest 1,500 contain reads a bounded part of the collection', async () => {
      const { read } = await many.list({ searchString: 'elder', sortBy: 'thumbsUp', numberofJokes: '250' })
      expect(read).toBeLessThanOrEqual(200)
    })
  })

  describe('a write', () => {
    it('of a joke takes a unit for each word of two letters or more, for the joke, and for each of its four indexes', async () => {
      expect(await many.create({ joke: 'A joke of some words', punchline: '', category: 'Classic' })).toEqual({
        calls: 3,
        read: 0.5,
        written: 4 + 5,
      })
    })

    it('of a joke of 51 words takes a call for each 25 words, and two for the joke', async () => {
      const joke = Array.from({ length: 51 }, (_, index) => `word${index}`).join(' ')
      expect(await many.create({ joke, punchline: '', category: 'Classic' })).toMatchObject({ calls: 1 + 3 + 1 })
    })

    it('of an existing joke writes nothing', async () => {
      expect(await many.create(numberedJoke(2_000), 409)).toEqual({ calls: 1, read: 0.5, written: 0 })
    })

    it('of an upvote takes units for the joke and the two indexes with its upvotes', async () => {
      expect(await many.upvote(numberedJoke(2_000).id)).toEqual({ calls: 1, read: 0, written: 4 })
    })
  })
})
