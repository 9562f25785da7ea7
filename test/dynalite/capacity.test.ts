/** What requests cost in DynamoDB's own terms, over 1,000 and over 10,000 jokes. */
import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { internals, load } from '../support/access.ts'
import { meter, type Usage } from '../support/meter.ts'
import { numberedJoke } from '../support/numberedJoke.ts'
import { type Service, startService } from '../support/service.ts'

/** The service over a collection, and a way to tell what one request uses. */
class Metered {
  readonly service: Service
  readonly used: () => Usage
  /** Units for reading just 25 of the jokes, once, from one shelf. */
  just25 = 0

  private constructor(service: Service, used: () => Usage) {
    this.service = service
    this.used = used
  }

  static async over(size: number): Promise<Metered> {
    const service = await startService()
    await load(Array.from({ length: size }, (_, number) => numberedJoke(number)))
    const { database, upvoteDatabase, JOKES_TABLE } = await internals()
    const metered = new Metered(service, meter(database, upvoteDatabase))
    await database.send(
      new QueryCommand({
        TableName: JOKES_TABLE,
        IndexName: 'byDateAdded',
        KeyConditionExpression: 'shelf = :shelf',
        ExpressionAttributeValues: { ':shelf': 'Classic' },
        Limit: 25,
      }),
    )
    metered.just25 = metered.used().units
    return metered
  }

  async list(query: Record<string, string>): Promise<Usage & { found: number }> {
    const jokes = await this.service.jokes(query)
    return { found: jokes.length, ...this.used() }
  }
}

let few: Metered
let many: Metered
beforeAll(async () => {
  few = await Metered.over(1_000)
  many = await Metered.over(10_000)
})
afterAll(async () => {
  await few.service.stop()
  await many.service.stop()
})

describe('a listing of 25', () => {
  it.each([{ sortBy: 'dateAdded' }, { sortBy: 'thumbsUp' }, { sortBy: 'thumbsDown', sortOrder: 'asc' }] as Record<
    string,
    string
  >[])('of all, %j, takes 5 calls and at most 2.5 times the units of its jokes', async (query) => {
    for (const { list, just25 } of [few, many].map((metered) => ({
      list: metered.list(query),
      just25: metered.just25,
    }))) {
      const { found, calls, units } = await list
      expect([found, calls]).toEqual([25, 5])
      expect(units).toBeLessThanOrEqual(2.5 * just25)
    }
  })

  it('of one category takes 1 call', async () => {
    expect(await many.list({ category: 'School' })).toMatchObject({ found: 25, calls: 1 })
  })

  it('costs the same on each page', async () => {
    const { headers } = await many.service.list()
    const first = many.used()
    await many.service.request(`/joke${/<(.+)>/.exec(headers.get('link') ?? '')?.[1]}`)
    expect(many.used()).toEqual(first)
  })

  it('at random takes 5 calls for the sample and 1 for its jokes, however many there are', async () => {
    const usages = [await few.list({ sortBy: 'random' }), await many.list({ sortBy: 'random' })]
    for (const { found, calls, units } of usages) {
      expect(found).toBe(25)
      expect(calls).toBeLessThanOrEqual(5 + 5 + 1)
      expect(units).toBeLessThan(30)
    }
  })

  it('by ids takes 1 call', async () => {
    const ids = [1, 2, 3].map((number) => numberedJoke(number).id).join(',')
    expect(await many.list({ id: ids })).toMatchObject({ found: 3, calls: 1 })
  })
})

describe('a search', () => {
  it('that finds nothing takes 1 call for each word', async () => {
    expect(await many.list({ searchString: 'nothing' })).toMatchObject({ found: 0, calls: 1 })
    expect(await many.list({ searchString: 'nothing ever' })).toMatchObject({ found: 0, calls: 2 })
  })

  it.each([
    ['three', 3],
    ['thirty', 30],
    ['hundreds', 250],
  ])('for %s costs by the jokes that it finds, not by those there are', async (searchString, found) => {
    const query = { searchString, numberofJokes: '250' }
    const usage = await few.list(query)
    expect(usage).toMatchObject({ found })
    expect(await many.list(query)).toEqual(usage)
  })

  it('for a word that most jokes hold costs no more than three default listings', async () => {
    await many.list({})
    const usage = await many.list({ searchString: 'chicken' })
    const listing = await many.list({})
    expect(usage.found).toBe(25)
    expect(usage.units).toBeLessThanOrEqual(3 * listing.units)
  })

  it('for what only a walk can tell reads a bounded part of the collection', async () => {
    const { found, units } = await many.list({ searchString: 'zz' })
    expect(found).toBe(0)
    expect(units).toBeLessThan(250)
  })
})

describe('what is written', () => {
  it('for a joke takes a call for its words and one for itself', async () => {
    await many.service.add({ joke: 'A joke of some words', category: 'Classic' })
    expect(many.used().calls).toBe(2)
  })

  it('for a joke of 51 words takes a call for each 25 and one for itself', async () => {
    const joke = Array.from({ length: 51 }, (_, index) => `word${index}`).join(' ')
    await many.service.add({ joke, category: 'Classic' })
    expect(many.used().calls).toBe(4)
  })

  it('for an upvote takes 1 call', async () => {
    await many.service.thumbUp(numberedJoke(1).id)
    expect(many.used().calls).toBe(1)
  })
})
