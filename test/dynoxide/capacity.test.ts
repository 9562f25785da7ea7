/** What requests cost in DynamoDB's own terms: usual ones over 1,000 and over 3,000 jokes, and the most expensive ones. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CATEGORIES, type Joke } from '../../shared/joke.ts'
import { parseListing } from '../../shared/listing.ts'
import { internals, load } from '../support/access.ts'
import { LONGEST_KINDS, longestJoke } from '../support/longestJokes.ts'
import { meter, type Usage } from '../support/meter.ts'
import { numberedJoke } from '../support/numberedJoke.ts'
import { type Answer, type Service, startService } from '../support/service.ts'

/** A service, and a way to tell what one request uses. */
class Metered {
  readonly service: Service
  private readonly used: () => Usage

  private constructor(service: Service, used: () => Usage) {
    this.service = service
    this.used = used
  }

  static async start(): Promise<Metered> {
    const service = await startService()
    const { database, upvoteDatabase } = await internals()
    return new Metered(service, meter(database, upvoteDatabase))
  }

  async usage(request: Promise<Answer>, status = 200): Promise<Usage> {
    expect(await request).toMatchObject({ status })
    return this.used()
  }

  async list(query: Record<string, string>): Promise<Usage & { found: number }> {
    const jokes = await this.service.jokes(query)
    return { found: jokes.length, ...this.used() }
  }

  /** Read units of a listing, carried out without HTTP, which takes long for the largest answers. */
  async readUnits(query: Record<string, string>): Promise<number> {
    const { listJokes } = await internals()
    await listJokes(parseListing(query))
    return this.used().read
  }

  async add({ joke, punchline, category }: Pick<Joke, 'joke' | 'punchline' | 'category'>): Promise<Usage> {
    return this.usage(this.service.create({ joke, punchline, category }), 201)
  }
}

/** The words that are searched for; rows of others would only take time to load. */
const SEARCHED = /^(three|thirty|hundreds|chicken|elder)#/

describe('among usual jokes', () => {
  let few: Metered
  let many: Metered
  beforeAll(async () => {
    const start = async (size: number) => {
      const metered = await Metered.start()
      const jokes = Array.from({ length: size }, (_, number) => numberedJoke(number, number < 1_500 ? ['elder'] : []))
      await load(jokes, undefined, ({ entry }) => SEARCHED.test(entry))
      return metered
    }
    few = await start(1_000)
    many = await start(3_000)
  })
  afterAll(async () => {
    await few.service.stop()
    await many.service.stop()
  })

  describe('a listing of 25', () => {
    it.each([{ sortBy: 'dateAdded' }, { sortBy: 'thumbsUp' }])(
      'of all, %j, takes 5 calls and 2.5 units',
      async (query) => {
        for (const metered of [few, many])
          expect(await metered.list(query)).toEqual({ found: 25, calls: 5, read: 2.5, written: 0 })
      },
    )

    it('by thumbsDown takes another call, which reads the page by its ids', async () => {
      for (const metered of [few, many])
        expect(await metered.list({ sortBy: 'thumbsDown' })).toEqual({ found: 25, calls: 6, read: 15, written: 0 })
    })

    it('of one category takes 1 call', async () => {
      const { found, calls, read } = await many.list({ category: 'School' })
      expect([found, calls]).toEqual([25, 1])
      expect(read).toBeLessThanOrEqual(1.5)
    })

    it('costs the same on each page', async () => {
      const { headers } = await many.service.list()
      const first = await many.list({})
      const path = `/joke${/<(.+)>/.exec(headers.get('link') ?? '')?.[1]}`
      expect({ found: 25, ...(await many.usage(many.service.request(path))) }).toEqual({
        ...first,
        calls: 5,
        read: 2.5,
      })
    })

    it('at random takes 5 to 10 calls for the sample and 1 for its jokes, however many there are', async () => {
      for (const { found, calls, read } of [
        await few.list({ sortBy: 'random' }),
        await many.list({ sortBy: 'random' }),
      ]) {
        expect(found).toBe(25)
        expect(calls).toBeLessThanOrEqual(5 + 5 + 1)
        expect(read).toBeLessThan(25)
      }
    })

    it('by ids takes 1 call, and a unit each', async () => {
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
    ])('for %s costs by the jokes that it shows, not by those there are', async (searchString, found, units) => {
      const usage = await few.list({ searchString })
      expect(usage).toMatchObject({ found, calls: 2 })
      expect(usage.read).toBeLessThanOrEqual(units)
      expect(await many.list({ searchString })).toEqual(usage)
    })

    it('by votes reads all that it finds, half a unit each', async () => {
      const { found, read } = await many.list({ searchString: 'hundreds', sortBy: 'thumbsUp' })
      expect(found).toBe(25)
      expect(read).toBeLessThanOrEqual(150 + 3)
    })

    it('for a word that most jokes hold costs no more than five default listings', async () => {
      const { found, read } = await many.list({ searchString: 'chicken' })
      expect(found).toBe(25)
      expect(read).toBeLessThanOrEqual(5 * 2.5)
    })

    it('for a word that only the oldest 1,500 hold fills its page', async () => {
      const { found, read } = await many.list({ searchString: 'elder' })
      expect(found).toBe(25)
      expect(read).toBeLessThanOrEqual(90)
    })

    it('by votes for a word that only the oldest 1,500 hold reads a bounded part of the collection', async () => {
      const { read } = await many.list({ searchString: 'elder', sortBy: 'thumbsUp', numberofJokes: '250' })
      expect(read).toBeLessThanOrEqual(200)
    })
  })

  describe('what is written', () => {
    it('for a joke is a row for each of its words, and the joke in the table and its four indexes', async () => {
      expect(await many.add({ joke: 'A joke of some words', punchline: '', category: 'Classic' })).toEqual({
        calls: 3,
        read: 0.5,
        written: 4 + 5,
      })
    })

    it('for a joke of 51 words takes a call for each 25, beside those for itself', async () => {
      const joke = Array.from({ length: 51 }, (_, index) => `word${index}`).join(' ')
      expect(await many.add({ joke, punchline: '', category: 'Classic' })).toMatchObject({ calls: 1 + 3 + 1 })
    })

    it('for a joke that is there already is nothing', async () => {
      const { joke, punchline, category } = numberedJoke(2_000)
      const again = await many.usage(many.service.create({ joke, punchline, category }), 409)
      expect(again).toEqual({ calls: 1, read: 0.5, written: 0 })
    })

    it('for an upvote is the joke, and it in the two indexes that hold its votes', async () => {
      const { id } = numberedJoke(2_000)
      expect(await many.usage(many.service.thumbUp(id))).toEqual({ calls: 1, read: 0, written: 4 })
    })
  })
})

describe('no request costs more than 300 read units or 700 write units', () => {
  const MAX_READ = 300
  const MAX_WRITTEN = 700

  it.each(LONGEST_KINDS)('that adds, sends again or upvotes a joke of %s', async (kind) => {
    const metered = await Metered.start()
    const longest = longestJoke(kind, 0)
    const { joke, punchline, category } = longest
    const added = await metered.add(longest)
    const again = await metered.usage(metered.service.create({ joke, punchline, category }), 409)
    const upvoted = await metered.usage(metered.service.thumbUp(longest.id))
    expect(added.written).toBeLessThanOrEqual(MAX_WRITTEN)
    expect(again).toMatchObject({ calls: 1, written: 0 })
    expect(again.read).toBeLessThanOrEqual(1)
    expect(upvoted.written).toBeLessThanOrEqual(32)
    await metered.service.stop()
  })

  /** All the longest jokes hold them, and are found by no other word. */
  const COMMON_WORDS = Array.from({ length: 8 }, (_, index) => `common${index}`).join(' ')

  it.each(['evenly mixed', 'the newest in one category'])(
    'that lists or searches the largest jokes, %s',
    async (layout) => {
      const metered = await Metered.start()
      // So many are read first of each category, and are of no use where the newest are in one.
      const older = layout === 'evenly mixed' ? 0 : CATEGORIES.length * 65
      const jokes = Array.from({ length: older + 250 }, (_, number) => {
        const joke = longestJoke('Han, 3 bytes each', number, COMMON_WORDS)
        return older === 0 || number < older ? joke : { ...joke, category: 'Classic' as const }
      })
      await load(jokes, undefined, ({ entry }) => entry.startsWith('common'))
      const queries = [
        {
          id: jokes
            .slice(0, 100)
            .map(({ id }) => id)
            .join(),
        },
        ...['dateAdded', 'thumbsUp', 'thumbsDown', 'random'].flatMap((sortBy) => [
          { numberofJokes: '250', sortBy, ...(older > 0 && { category: 'Classic' }) },
          { numberofJokes: '250', sortBy, searchString: COMMON_WORDS },
        ]),
      ]
      const tooExpensive: object[] = []
      for (const query of queries) {
        const read = await metered.readUnits(query)
        if (read > MAX_READ) tooExpensive.push({ ...query, read })
      }
      expect(tooExpensive).toEqual([])
      await metered.service.stop()
    },
  )
})
