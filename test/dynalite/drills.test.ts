/** Bad days of operators, played through with the commands that the guide names. */
import { randomUUID } from 'node:crypto'
import { CreateTableCommand } from '@aws-sdk/client-dynamodb'
import { BatchWriteCommand, PutCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Joke } from '../../shared/joke.ts'
import { emptyTables, internals, load } from '../support/access.ts'
import { numberedJoke } from '../support/numberedJoke.ts'
import { operate } from '../support/process.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let store: Awaited<ReturnType<typeof internals>>
beforeAll(async () => {
  service = await startService()
  store = await internals()
})
beforeEach(emptyTables)
afterAll(() => service.stop())

const good = Array.from({ length: 10 }, (_, number) => numberedJoke(number))

/** All jokes that clients see, in no order. */
async function listed(query: Record<string, string> = {}): Promise<string[]> {
  return (await service.pages({ numberofJokes: '250', ...query }))
    .flat()
    .map(({ id }) => id)
    .toSorted()
}

function idsOf(jokes: Joke[]): string[] {
  return jokes.map(({ id }) => id).toSorted()
}

it('an offensive joke is traced, removed, brought back, removed again and erased', async () => {
  await load(good)
  const [joke] = await service.add({ joke: 'Something offensive', category: 'Classic' })
  const id = `${joke?.id}`
  const { requestId } = (await store.findRecord(id)) ?? {}

  expect((await operate('remove', id, '--show')).stdout).toMatch(
    new RegExp(
      `^${id}  was listed, removed  added by request ${requestId}  .* Classic, 0 upvotes  Something offensive\n$`,
    ),
  )
  expect(await listed()).toEqual(idsOf(good))
  expect((await operate('remove', id, '--undo')).stdout).toContain('was removed, brought back')
  expect(await listed({ searchString: 'offensive' })).toEqual([id])
  await operate('remove', id)
  expect(await operate('remove', id, '--erase')).toMatchObject({ code: 1, stderr: expect.stringMatching(/add --yes/) })
  expect((await store.findRecord(id))?.state).toBe('removed')
  expect((await operate('remove', id, '--erase', '--yes')).stdout).toContain('was removed, erased')
  expect((await operate('remove', id, '--undo')).stdout).toContain('is erased, left as it was')
  expect(await listed()).toEqual(idsOf(good))
})

it('a flood of 300 spam jokes is removed by its time and words, and nothing else', async () => {
  const spam = Array.from({ length: 300 }, (_, number) => ({
    ...numberedJoke(number + 100),
    joke: `Buy pills no. ${number}`,
  }))
  const alike = { ...numberedJoke(5_000), joke: 'Pills, added later' }
  await load([...good, ...spam, alike], undefined, ({ entry }) => entry.startsWith('pills'))
  const period = ['--since', `${spam[0]?.dateAdded}`, '--until', alike.dateAdded, '--search', 'pills']

  const asked = await operate('remove', ...period)
  expect(asked).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('Remove 300 jokes?') })
  expect(await listed()).toHaveLength(311)
  const { code, stdout, stderr } = await operate('remove', ...period, '--yes')
  expect([code, stdout.trim().split('\n').length]).toEqual([0, 300])
  expect(stderr).toContain('300 jokes removed.')
  expect(await listed()).toEqual(idsOf([...good, alike]))
})

describe('with a restored table', () => {
  let backup: string
  beforeEach(async () => {
    await load(good)
    const { database, JOKES_TABLE } = store
    backup = `Backup-${randomUUID()}`
    await database.send(
      new CreateTableCommand({
        TableName: backup,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      }),
    )
    const { Items = [] } = await database.send(new ScanCommand({ TableName: JOKES_TABLE }))
    const requests = Items.map((Item) => ({ PutRequest: { Item } }))
    await database.send(new BatchWriteCommand({ RequestItems: { [backup]: requests } }))
  })

  it('wrong data is as it was, but for what was removed or added since', async () => {
    const [wrong, removed, erased] = good
    if (!wrong || !removed || !erased) throw new Error('There are no jokes.')
    const { database, JOKES_TABLE } = store
    const vandalism = new UpdateCommand({
      TableName: JOKES_TABLE,
      Key: { id: wrong.id },
      UpdateExpression: 'SET thumbsUp = :many, joke = :text',
      ExpressionAttributeValues: { ':many': 1_000_000, ':text': 'Vandalized' },
    })
    await database.send(vandalism)
    await operate('remove', removed.id, erased.id)
    await operate('remove', erased.id, '--erase', '--yes')
    const [added] = await service.add({ joke: 'Added since', category: 'School' })

    const { code, stdout } = await operate('restore', '--from', backup)
    expect([code, stdout]).toEqual([0, '10 jokes read, 8 restored.\n'])
    expect(await service.jokes({ id: wrong.id })).toEqual([wrong])
    expect(await listed()).toEqual([...idsOf(good.slice(3)), wrong.id, `${added?.id}`].toSorted())
    expect((await store.findRecord(erased.id))?.state).toBe('erased')
  })

  it('--missing brings back what is gone, and leaves votes as they are now', async () => {
    const [voted, ...gone] = good
    await emptyTables()
    await load(voted ? [{ ...voted, thumbsUp: 77 }] : [])
    const { stdout } = await operate('restore', '--from', backup, '--missing')
    expect(stdout).toBe('10 jokes read, 9 restored.\n')
    expect((await service.jokes({ id: `${voted?.id}` }))[0]?.thumbsUp).toBe(77)
    expect(await listed({ searchString: 'tea time' })).toEqual(idsOf(good))
    expect(await service.jokes({ id: idsOf(gone).join() })).toHaveLength(9)
  })

  it('a deleted table comes back whole: every joke, its votes and its words', async () => {
    await emptyTables()
    await operate('restore', '--from', backup)
    for (const joke of good) expect(await service.jokes({ id: joke.id })).toEqual([joke])
    expect(await listed({ searchString: 'tea time', sortBy: 'thumbsUp' })).toEqual(idsOf(good))
  })
})

describe('reindex', () => {
  async function reindexed() {
    const sum = { read: 0, mended: 0 }
    for await (const { items, changed } of store.reindex(false)) {
      sum.read += items
      sum.mended += changed
    }
    return sum
  }

  it('makes a joke that was edited by hand found by its words of now, and no longer by those of before', async () => {
    const [joke] = await service.add({ joke: 'Mispelled wurds', category: 'Classic' })
    await service.add({ joke: 'Another one', category: 'School' })
    const { database, JOKES_TABLE, WORDS_TABLE } = store
    const edit = new UpdateCommand({
      TableName: JOKES_TABLE,
      Key: { id: joke?.id },
      UpdateExpression: 'SET joke = :text',
      ExpressionAttributeValues: { ':text': 'Misspelled words' },
    })
    await database.send(edit)
    expect(await reindexed()).toEqual({ read: 2, mended: 1 })
    expect(await listed({ searchString: 'words' })).toEqual([joke?.id])
    expect(await listed({ searchString: 'wurds' })).toEqual([])
    const { Items = [] } = await database.send(new ScanCommand({ TableName: WORDS_TABLE }))
    const words = Items.map(({ entry }) => String(entry).replace(/#.*/, '')).toSorted()
    expect(words).toEqual(['another', 'misspelled', 'one', 'words'])
    expect(await reindexed()).toEqual({ read: 2, mended: 0 })
  })

  it('--all writes words that are missing, those of removed jokes too, but not of erased ones', async () => {
    const jokes = await service.add(
      ...['Listed', 'Removed', 'Erased'].map((joke) => ({ joke: `${joke} joke`, category: 'Classic' })),
    )
    const [, removed, erased] = jokes
    await operate('remove', `${removed?.id}`, `${erased?.id}`)
    await operate('remove', `${erased?.id}`, '--erase', '--yes')
    const { database, WORDS_TABLE } = store
    const { Items = [] } = await database.send(new ScanCommand({ TableName: WORDS_TABLE }))
    const deletions = Items.map((Key) => ({ DeleteRequest: { Key } }))
    await database.send(new BatchWriteCommand({ RequestItems: { [WORDS_TABLE]: deletions } }))
    expect((await operate('reindex', '--all')).stdout).toBe('3 jokes read, 2 updated.\n')
    await operate('remove', `${removed?.id}`, '--undo')
    expect(await listed({ searchString: 'joke' })).toEqual(idsOf(jokes.slice(0, 2)))
    const rows = await database.send(new ScanCommand({ TableName: WORDS_TABLE }))
    expect(JSON.stringify(rows.Items)).not.toContain(erased?.id)
  })

  it('brings words to a joke that has none', async () => {
    const [joke] = good
    await store.database.send(
      new PutCommand({ TableName: store.JOKES_TABLE, Item: { ...joke, shelf: joke?.category } }),
    )
    expect(await listed({ searchString: 'tea' })).toEqual([])
    await reindexed()
    expect(await listed({ searchString: 'tea' })).toEqual([joke?.id])
  })
})

describe('a command', () => {
  it.each([
    [[]],
    [['x', '--since', '2026-01-01']],
    [['x', '--undo', '--erase']],
    [['--until', '2026-01-01']],
    [['--since', 'yesterday']],
    [['--since', '2026-01-01', '--undo']],
  ])('remove %j is refused before anything is looked up', async (options) => {
    const { code, stdout, stderr } = await operate('remove', ...options)
    expect([code, stdout, stderr.trim().split('\n').length]).toEqual([1, '', 1])
  })

  it('says in a sentence that there is no local service', async () => {
    const { AWS_ENDPOINT_URL_DYNAMODB, DATA_DIR } = process.env
    Object.assign(process.env, { AWS_ENDPOINT_URL_DYNAMODB: '', DATA_DIR: '/nowhere' })
    const { code, stderr } = await operate('remove', 'x')
    Object.assign(process.env, { AWS_ENDPOINT_URL_DYNAMODB, DATA_DIR: DATA_DIR ?? '' })
    expect([code, stderr]).toEqual([1, 'No local service keeps its jokes in /nowhere. Run npm start first.\n'])
  })

  it('says in a sentence that the database cannot be reached', async () => {
    const { AWS_ENDPOINT_URL_DYNAMODB } = process.env
    process.env.AWS_ENDPOINT_URL_DYNAMODB = 'http://127.0.0.1:1'
    const reindexed = await operate('reindex')
    const removed = await operate('remove', '--since', '2026-01-01')
    Object.assign(process.env, { AWS_ENDPOINT_URL_DYNAMODB })
    const reason = 'Cannot connect: connect ECONNREFUSED 127.0.0.1:1.'
    expect([reindexed.code, lastLine(reindexed)]).toEqual([1, reason])
    expect([removed.code, lastLine(removed)]).toEqual([1, `The jokes could not be read just now: try again. ${reason}`])
  })

  it('says in a sentence which table there is nothing to restore from', async () => {
    const absent = await operate('restore', '--from', 'absent')
    expect([absent.code, lastLine(absent)]).toEqual([1, expect.stringMatching(/^A table does not exist: absent, or/)])
    const own = await operate('restore', '--from', store.JOKES_TABLE)
    expect([own.code, lastLine(own)]).toEqual([1, expect.stringMatching(/Name the restored one\.$/)])
  })

  it('says in a sentence what DynamoDB refuses', async () => {
    const { code, stderr } = await operate('remove', '')
    expect([code, stderr.trim().split('\n')]).toEqual([
      1,
      [expect.any(String), expect.stringMatching(/^ValidationException: /)],
    ])
  })

  it('says which ids no joke has', async () => {
    const { code, stdout } = await operate('remove', 'AAAAAAAAAAAAAAAAAAAAAA')
    expect([code, stdout]).toEqual([1, 'AAAAAAAAAAAAAAAAAAAAAA  no joke has this id\n'])
  })
})

function lastLine({ stderr }: { stderr: string }): string | undefined {
  return stderr.trim().split('\n').at(-1)
}
