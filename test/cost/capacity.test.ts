/** DynamoDB calls and capacity units of usual requests among 1,000 and 3,000 jokes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { load } from '../support/access.ts'
import { startMetered } from '../support/metered.ts'
import { numberedJoke } from '../support/numberedJoke.ts'

/** The lists of the words searched for. Loading others would only take time. */
const SEARCHED = /^(three|thirty|hundre|chicke|elder|middli|c|#School)$/

describe('among usual jokes', () => {
  let few: Awaited<ReturnType<typeof startMetered>>
  let many: typeof few
  beforeAll(async () => {
    const start = async (size: number) => {
      const metered = await startMetered()
      const jokes = Array.from({ length: size }, (_, number) => numberedJoke(number, number < 1_500 ? ['elder'] : []))
      await load(metered.store, jokes, ({ prefix }) => SEARCHED.test(prefix))
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

    it.each([
      ['a rare word', 'three', 3, 2],
      ['a word', 'thirty', 25, 13],
      ['a word of old jokes', 'hundreds', 25, 13],
      ['a word of the oldest half', 'elder', 25, 13],
      ['one in a hundred', 'middling', 10, 5.5],
      ['a word of most jokes', 'chicken', 25, 13],
      ['one letter', 'c', 25, 13],
      ['a letter that nobody uses', 'q', 0, 0.5],
      ['two letters that nobody uses', 'zz', 0, 0.5],
    ])('for %s takes a call for the list and one for the jokes', async (_, searchString, found, units) => {
      for (const query of [{ searchString }, { searchString, sortOrder: 'asc' }]) {
        const usage = await few.list(query)
        expect(usage).toMatchObject({ found, calls: found === 0 ? 1 : 2 })
        expect(usage.read).toBeLessThanOrEqual(units)
        if (searchString !== 'middling') expect(await many.list(query)).toEqual(usage)
      }
    })

    it.each(['chicken', 'hundreds', 'middling', 'c'])(
      'for %s in one category takes a little more',
      async (searchString) => {
        const { found, calls, read } = await many.list({ searchString, category: 'School' })
        expect(found).toBe(searchString === 'middling' ? 6 : 25)
        expect(calls).toBeLessThanOrEqual(6)
        expect(read).toBeLessThanOrEqual(16)
      },
    )

    it('for a rare word beside a common one costs what the rare one does', async () => {
      const { found, calls, read } = await many.list({ searchString: 'middling chicken' })
      expect(found).toBe(24)
      expect(calls).toBeLessThanOrEqual(6)
      expect(read).toBeLessThanOrEqual(25)
    })

    it('by date reads no index that a listing reads', async () => {
      const indexes = new Set<unknown>()
      many.store.database.middlewareStack.add(
        (next) => (args) => {
          indexes.add('IndexName' in args.input ? args.input.IndexName : undefined)
          return next(args)
        },
        { step: 'initialize' },
      )
      await many.list({ searchString: 'c', category: 'School' })
      expect([...indexes]).toEqual([undefined])
    })

    it('by votes reads all jokes found, half a unit each, if they are few', async () => {
      const { found, read } = await many.list({ searchString: 'thirty', sortBy: 'thumbsUp' })
      expect([found, read]).toEqual([25, 15.5])
    })

    it.each(['hundreds', 'elder', 'chicken'])(
      'by votes for %s reads a bounded part of the collection',
      async (searchString) => {
        const { read } = await many.list({ searchString, sortBy: 'thumbsUp', numberofJokes: '250' })
        expect(read).toBeLessThanOrEqual(130)
      },
    )
  })

  describe('a write', () => {
    it('of a joke takes a unit for each beginning of its words, 3 for its lists and itself, 4 for the indexes', async () => {
      // a, j jo jok joke, o of, s so som some, w wo wor word words
      expect(await many.create({ joke: 'A joke of some words', punchline: '', category: 'Classic' })).toEqual({
        calls: 4,
        read: 0.5,
        written: 16 + 3 + 4,
      })
    })

    it('of a joke of usual length takes at most 70 units', async () => {
      const { joke, punchline, category } = numberedJoke(5_000)
      expect((await many.create({ joke, punchline, category })).written).toBeLessThanOrEqual(70)
    })

    it('of an existing joke writes nothing', async () => {
      expect(await many.create(numberedJoke(2_000), 409)).toEqual({ calls: 1, read: 0.5, written: 0 })
    })

    it('of an upvote takes units for the joke and the two indexes with its upvotes', async () => {
      expect(await many.upvote(numberedJoke(2_000).id)).toEqual({ calls: 1, read: 0, written: 4 })
    })
  })
})
