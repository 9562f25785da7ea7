/** What requests cost in DynamoDB's own terms, over 10,000 jokes evenly in five categories. */
import { QueryCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { load, numberedJoke } from '../support/load.ts'
import { meter, type Usage } from '../support/meter.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let used: () => Usage
/** Units for reading just 25 of the jokes, once, from one shelf. */
let just25: number

beforeAll(async () => {
  service = await startService()
  await load(Array.from({ length: 10_000 }, (_, number) => numberedJoke(number)))
  const { database, upvoteDatabase } = await import('../../shared/database.ts')
  used = meter(database, upvoteDatabase)
  await database.send(
    new QueryCommand({
      TableName: service.table,
      IndexName: 'byDateAdded',
      KeyConditionExpression: 'shelf = :shelf',
      ExpressionAttributeValues: { ':shelf': 'Classic#0' },
      Limit: 25,
    }),
  )
  just25 = used().units
})
afterAll(() => service.stop())

describe('a listing of 25', () => {
  it.each([{}, { sortBy: 'thumbsUp' }, { sortBy: 'thumbsDown', sortOrder: 'asc' }] as Record<string, string>[])(
    'of all categories, %j, takes 5 calls and at most 2.5 times the units of its jokes',
    async (query) => {
      expect(await service.jokes(query)).toHaveLength(25)
      const { calls, units } = used()
      expect(calls).toBe(5)
      expect(units).toBeLessThanOrEqual(2.5 * just25)
    },
  )

  it('of one category takes 1 call', async () => {
    expect(await service.jokes({ category: 'School' })).toHaveLength(25)
    expect(used().calls).toBe(1)
  })

  it('costs the same on each page', async () => {
    const { headers } = await service.list()
    const first = used()
    await service.request(`/joke${/<(.+)>/.exec(headers.get('link') ?? '')?.[1]}`)
    expect(used()).toEqual(first)
  })
})

it('an upvote takes 1 call', async () => {
  await service.thumbUp(numberedJoke(1).id)
  expect(used().calls).toBe(1)
})

it('a search for what no joke holds reads a bounded part of the collection', async () => {
  const { body, headers } = await service.list({ searchString: 'zz' })
  expect(body).toEqual([])
  expect(headers.get('link')).not.toBeNull()
  expect(used().units).toBeLessThan(300)
})
