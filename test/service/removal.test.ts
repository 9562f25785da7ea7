/** Jokes that operators take away. */
import { QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Joke } from '../../shared/joke.ts'
import { emptyTables, internals } from '../support/access.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let operator: Awaited<ReturnType<typeof internals>>
beforeAll(async () => {
  service = await startService()
  operator = await internals()
})
afterAll(() => service.stop())

const text = { joke: 'An offensive joke', punchline: 'about ornithologists', category: 'Classic' }

async function addVoted(): Promise<Joke> {
  await emptyTables()
  const [joke] = await service.add(text, { ...text, joke: 'A harmless joke' })
  if (!joke) throw new Error('No joke was added.')
  await service.thumbUp(joke.id)
  return { ...joke, thumbsUp: 1 }
}

/** Where a joke can be met, and how adding and upvoting it is answered. */
async function traces({ id }: Joke) {
  const isMet = async (query: Record<string, string>) =>
    (await service.pages(query)).flat().some((joke) => joke.id === id)
  const again = await service.create({ ...text, category: 'School' })
  return {
    listed: await isMet({}),
    byVotes: await isMet({ sortBy: 'thumbsUp' }),
    byDownvotes: await isMet({ sortBy: 'thumbsDown' }),
    found: await isMet({ searchString: 'ornithologists' }),
    sampled: (await service.jokes({ sortBy: 'random' })).some((joke) => joke.id === id),
    byId: (await service.jokes({ id })).length,
    upvote: (await service.thumbUp(id)).status,
    again: again.status,
    existing: Object(again.body).id,
    detail: Object(again.body).detail,
  }
}

const nowhere = {
  listed: false,
  byVotes: false,
  byDownvotes: false,
  found: false,
  sampled: false,
  byId: 0,
  upvote: 404,
  again: 409,
  existing: undefined,
  detail: 'This joke was removed by the operators of the service, so it cannot be added again.',
}

describe('a removed joke', () => {
  it('is nowhere to be met, cannot be upvoted, and is not added again', async () => {
    const joke = await addVoted()
    await operator.removeJoke(joke.id)
    expect(await traces(joke)).toEqual(nowhere)
    expect(await service.jokes()).toHaveLength(1)
    expect(await operator.findRecord(joke.id)).toMatchObject({ state: 'removed', joke })
  })

  it('is as before once its removal is undone, votes included', async () => {
    const joke = await addVoted()
    await operator.removeJoke(joke.id)
    await operator.undoRemoval(joke.id)
    expect(await service.jokes({ id: joke.id })).toEqual([joke])
    expect(await traces(joke)).toMatchObject({
      listed: true,
      byVotes: true,
      byDownvotes: true,
      found: true,
      sampled: true,
      upvote: 200,
      again: 409,
      existing: joke.id,
    })
  })

  it('can be removed again', async () => {
    const joke = await addVoted()
    await operator.removeJoke(joke.id)
    await operator.undoRemoval(joke.id)
    await operator.removeJoke(joke.id)
    expect(await traces(joke)).toEqual(nowhere)
  })
})

describe('an erased joke', () => {
  it('leaves nothing but its id, under which it cannot be added again', async () => {
    const joke = await addVoted()
    // The loser of two simultaneous creates leaves rows that tell another date and category.
    const rows = operator.toStored({ ...joke, category: 'School', dateAdded: '2026-01-01T00:00:00.000Z' }).rows
    await operator.writeRows(rows)
    await operator.removeJoke(joke.id)
    await operator.eraseJoke(joke.id)
    expect(await traces(joke)).toEqual(nowhere)
    const { JOKES_TABLE, WORDS_TABLE, database } = operator
    const tables = await Promise.all(
      [JOKES_TABLE, WORDS_TABLE].map((TableName) =>
        database.send(new ScanCommand({ TableName, ConsistentRead: true })),
      ),
    )
    const left = tables.flatMap(({ Items = [] }) => Items).filter((item) => JSON.stringify(item).includes(joke.id))
    expect(left).toEqual([{ id: joke.id, removedAt: expect.any(String), erasedAt: expect.any(String) }])
    expect(await operator.findRecord(joke.id)).toEqual({ id: joke.id, state: 'erased' })
  })

  it('cannot be brought back', async () => {
    const joke = await addVoted()
    await operator.removeJoke(joke.id)
    await operator.eraseJoke(joke.id)
    await expect(operator.undoRemoval(joke.id)).rejects.toMatchObject({ name: 'UnknownJoke' })
    await expect(operator.removeJoke(joke.id)).rejects.toMatchObject({ name: 'UnknownJoke' })
    expect(await service.jokes()).toHaveLength(1)
  })

  it('must have been removed before', async () => {
    const joke = await addVoted()
    await expect(operator.eraseJoke(joke.id)).rejects.toMatchObject({ name: 'UnknownJoke' })
    expect(await service.jokes({ id: joke.id })).toEqual([joke])
  })
})

it('a joke can be traced to the request that added it', async () => {
  const joke = await addVoted()
  const { JOKES_TABLE, database } = operator
  const { Items = [] } = await database.send(
    new QueryCommand({
      TableName: JOKES_TABLE,
      KeyConditionExpression: 'id = :id',
      ExpressionAttributeValues: { ':id': joke.id },
    }),
  )
  const record = await operator.findRecord(joke.id)
  expect(record).toEqual({ id: joke.id, joke, state: 'listed', requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) })
  expect(Items[0]?.createdBy).toMatch(new RegExp(`^${record?.requestId}#`))
})

it.each(['removeJoke', 'undoRemoval', 'eraseJoke'] as const)(
  '%s does nothing for an id that no joke has',
  async (act) => {
    const id = 'AAAAAAAAAAAAAAAAAAAAAA'
    await expect(operator[act](id)).rejects.toMatchObject({ name: 'UnknownJoke' })
    expect(await operator.findRecord(id)).toBeUndefined()
  },
)
