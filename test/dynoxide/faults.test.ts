/** What the service promises when the database's answers are lost, late, errors or never come. */
import { Agent } from 'node:http'
import { Socket } from 'node:net'
import { ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Joke } from '../../shared/joke.ts'
import { emptyTables, internals } from '../support/access.ts'
import {
  always,
  expectUnavailable,
  type Fault,
  type FaultProxy,
  first,
  giveUpAfter,
  MAYBE_ADDED,
  MAYBE_COUNTED,
  NOT_COUNTED,
  NOT_READ,
  type Plan,
  startBehindProxy,
} from '../support/faults.ts'
import type { Service } from '../support/service.ts'

type Started = Awaited<ReturnType<typeof startBehindProxy>>

const joke = {
  joke: 'Why did the packet cross the road?',
  punchline: 'To be dropped on the other side.',
  category: 'Classic',
}

/** The calls that adding a joke makes. */
const CREATING = ['GetItem', 'BatchWriteItem', 'PutItem']

/** The calls that listings make. */
const READING: [operation: string, query: Record<string, string>][] = [
  ['Query', {}],
  ['Query', { searchString: 'packet' }],
  ['BatchGetItem', { searchString: 'packet' }],
  ['BatchGetItem', { sortBy: 'random' }],
]

async function addInSpiteOf(fault: Fault, operation: string, { service, proxy }: Started): Promise<void> {
  proxy.plan = first(operation, fault)
  const [added] = await service.add({ ...joke, punchline: `${operation} ${fault}` })
  expect(await service.jokes({ searchString: `${operation} ${fault}` })).toEqual([added])
}

async function listInSpiteOf(
  fault: Fault,
  operation: string,
  query: Record<string, string>,
  { service, proxy }: Started,
): Promise<void> {
  const before = await service.jokes({ ...query, numberofJokes: '250' })
  proxy.plan = first(operation, fault)
  const after = await service.jokes({ ...query, numberofJokes: '250' })
  expect(byId(after)).toEqual(byId(before))
}

function byId(jokes: Joke[]): Joke[] {
  return jokes.toSorted((one, other) => one.id.localeCompare(other.id))
}

describe('a call that is never answered in full', () => {
  const endless: Fault[] = ['hang', 'stall', 'trickle']
  const started = new Map<string, Started>()
  const get = (name: string): Started => {
    const it = started.get(name)
    if (!it) throw new Error(`${name} has not been started.`)
    return it
  }
  beforeAll(async () => {
    // One after the other: a service reads its limits and its environment when it starts.
    for (const fault of endless) started.set(fault, await startBehindProxy(giveUpAfter(1_500)))
    for (const name of ['all calls hang', 'the first calls hang']) started.set(name, await startBehindProxy({}))
  })
  afterAll(async () => {
    for (const { stop } of started.values()) await stop()
  })

  it.concurrent.each(endless)('is repeated, except for an upvote (%s)', async (fault) => {
    const { service, proxy } = get(fault)
    for (const operation of CREATING) await addInSpiteOf(fault, operation, get(fault))
    for (const [operation, query] of READING) await listInSpiteOf(fault, operation, query, get(fault))

    const [added] = await service.add(joke)
    proxy.plan = first('UpdateItem', fault)
    expectUnavailable(await service.thumbUp(`${added?.id}`), MAYBE_COUNTED)
    const counted = fault === 'stall' ? 1 : 0
    expect(await service.jokes({ id: `${added?.id}` })).toEqual([{ ...added, thumbsUp: counted }])
  })

  it.concurrent('is given up after some attempts', async () => {
    const { service, proxy } = get('all calls hang')
    const [added] = await service.add(joke)
    let call = 0
    proxy.plan = () => endless[call++ % endless.length]
    const requests = [
      [service.create({ ...joke, joke: 'Another one' }), MAYBE_ADDED],
      [service.list(), NOT_READ],
      [service.list({ searchString: 'packet road' }), NOT_READ],
      [service.list({ sortBy: 'random' }), NOT_READ],
      [service.list({ id: `${added?.id}` }), NOT_READ],
      [service.thumbUp(`${added?.id}`), MAYBE_COUNTED],
    ] as const
    for (const [answer, detail] of requests) expectUnavailable(await answer, detail)
  })

  it.concurrent('is given up before its attempts are over where earlier calls have taken long', async () => {
    const { service, proxy } = get('the first calls hang')
    await service.add(joke)
    const calls = new Map<string, number>()
    proxy.plan = (operation) => {
      const call = (calls.get(operation) ?? 0) + 1
      calls.set(operation, call)
      const isFirstStep = operation === 'GetItem' || operation === 'Query'
      return isFirstStep && call > 2 ? undefined : 'hang'
    }
    const timeIsUp = expect.objectContaining({ name: 'AbortError' })
    const requests = [
      [service.create({ ...joke, joke: 'Another one' }), MAYBE_ADDED],
      [service.list({ searchString: 'packet' }), NOT_READ],
    ] as const
    for (const [answer, detail] of requests) expectUnavailable(await answer, detail, timeIsUp)
  })
})

describe('one fault', () => {
  /** After these, a call that may be repeated gets its answer. */
  const passing: Fault[] = ['drop before', 'drop after', 'fail before', 'fail after', 'throttle', 'delay']
  let started: Started
  let service: Service
  let proxy: FaultProxy
  beforeAll(async () => {
    started = await startBehindProxy()
    ;({ service, proxy } = started)
  })
  afterEach(() => {
    proxy.plan = () => undefined
  })
  afterAll(() => started.stop())

  describe('a new joke', () => {
    it.each(CREATING.flatMap((operation) => passing.map((fault) => [operation, fault] as const)))(
      'is added where its first %s meets a %s',
      (operation, fault) => addInSpiteOf(fault, operation, started),
    )

    it('is added, and keeps an upvote that comes before its repeated put', async () => {
      const faults: Plan = first('PutItem', 'drop after')
      proxy.plan = async (operation) => {
        const fault = await faults(operation)
        if (operation === 'PutItem' && fault === undefined) {
          const [stored] = await service.jokes({ searchString: 'upvoted early' })
          expect((await service.thumbUp(`${stored?.id}`)).status).toBe(200)
        }
        return fault
      }
      const { status, body } = await service.create({ ...joke, punchline: 'upvoted early' })
      expect(status).toBe(201)
      proxy.plan = () => undefined
      expect(await service.jokes({ searchString: 'upvoted early' })).toEqual([{ ...Object(body), thumbsUp: 1 }])
    })

    it('has all its words where they are left unprocessed at first', async () => {
      proxy.plan = first('BatchWriteItem', 'leave unprocessed', 'leave unprocessed')
      const [added] = await service.add({ ...joke, punchline: 'unprocessed words' })
      expect(await service.jokes({ searchString: 'unprocessed' })).toEqual([added])
    })

    it('is nowhere to be seen where only its words were written, and can be added again', async () => {
      proxy.plan = always('PutItem', 'throttle')
      const halfway = { ...joke, punchline: 'halfway' }
      expectUnavailable(await service.create(halfway), MAYBE_ADDED)
      proxy.plan = () => undefined
      expect(await service.jokes({ searchString: 'halfway' })).toEqual([])
      await service.add(halfway)
    })

    it('is nowhere to be seen where its words could not be written', async () => {
      proxy.plan = always('BatchWriteItem', 'throttle')
      expectUnavailable(await service.create({ ...joke, category: 'School', punchline: 'wordless' }), MAYBE_ADDED)
      proxy.plan = () => undefined
      expect(await service.jokes({ category: 'School' })).toEqual([])
    })
  })

  describe('an upvote', () => {
    let id: string
    const count = async () => (await service.jokes({ id }))[0]?.thumbsUp
    beforeEach(async () => {
      await emptyTables()
      const [added] = await service.add(joke)
      id = `${added?.id}`
    })

    it.each(['throttle', 'delay'] as const)('is counted once where its first call meets a %s', async (fault) => {
      proxy.plan = first('UpdateItem', fault)
      expect((await service.thumbUp(id)).status).toBe(200)
      expect(await count()).toBe(1)
    })

    it.each([
      ['drop before', 0],
      ['drop after', 1],
      ['fail before', 0],
      ['fail after', 1],
    ] as const)('is not repeated where its call meets a %s, and counted %i times', async (fault, counted) => {
      proxy.plan = first('UpdateItem', fault)
      expectUnavailable(await service.thumbUp(id), MAYBE_COUNTED)
      expect(await count()).toBe(counted)
    })

    it('is counted once where its first connection is refused', async () => {
      proxy.stop()
      // The wait before the next attempt begins with this: the first one has failed by then.
      const random = vi.spyOn(Math, 'random').mockImplementationOnce(() => {
        proxy.resume()
        return 10
      })
      expect((await service.thumbUp(id)).status).toBe(200)
      expect(await count()).toBe(1)
      random.mockRestore()
    })

    it('is counted once where its first connection is never established', async () => {
      const connect = vi.spyOn(Agent.prototype, 'createConnection').mockImplementationOnce(() => {
        const socket = new Socket()
        Object.defineProperty(socket, 'connecting', { value: true })
        return socket
      })
      expect((await later(() => service.thumbUp(id))).status).toBe(200)
      expect(connect).toHaveBeenCalledTimes(2)
      connect.mockRestore()
      expect(await count()).toBe(1)
    })

    it('uses a connection again, but not one that has been idle for long', async () => {
      await service.thumbUp(id)
      await service.thumbUp(id)
      const [before, after] = proxy.clientPorts.slice(-2)
      expect(after).toBe(before)
      await later(() => service.thumbUp(id))
      expect(proxy.clientPorts.at(-1)).not.toBe(before)
      expect(await count()).toBe(3)
    })

    it('is not counted, and says so with 503, where it is throttled for long', async () => {
      proxy.plan = always('UpdateItem', 'throttle')
      expectUnavailable(await service.thumbUp(id), NOT_COUNTED)
      expect(await count()).toBe(0)
    })
  })

  it('a joke that is erased while it is reindexed stays erased', async () => {
    const { removeJoke, eraseJoke, reindex, database, JOKES_TABLE, WORDS_TABLE } = await internals()
    await emptyTables()
    const [added] = await service.add(joke)
    const Key = { id: `${added?.id}` }
    const outdate = { TableName: JOKES_TABLE, Key, UpdateExpression: 'REMOVE words' }
    await database.send(new UpdateCommand(outdate))
    let updates = 0
    proxy.plan = async (operation) => {
      if (operation !== 'UpdateItem' || updates++ > 0) return undefined
      await removeJoke(Key.id)
      await eraseJoke(Key.id)
      return undefined
    }
    for await (const { changed } of reindex(false)) expect(changed).toBe(0)
    proxy.plan = () => undefined
    const { Items = [] } = await database.send(new ScanCommand({ TableName: JOKES_TABLE }))
    expect(Items).toEqual([{ id: Key.id, removedAt: expect.any(String), erasedAt: expect.any(String) }])
    expect((await database.send(new ScanCommand({ TableName: WORDS_TABLE }))).Items).toEqual([])
  })

  describe('a listing', () => {
    it.each(READING.flatMap(([operation, query]) => passing.map((fault) => [fault, operation, query] as const)))(
      'is complete where a %s meets the first call of %s, %j',
      (fault, operation, query) => listInSpiteOf(fault, operation, query, started),
    )

    it('is complete where its jokes are left unprocessed at first', async () => {
      const before = await service.jokes({ searchString: 'packet' })
      proxy.plan = first('BatchGetItem', 'leave unprocessed', 'leave unprocessed')
      expect(await service.jokes({ searchString: 'packet' })).toEqual(before)
    })
  })
})

/** Does something as if the connections of before had been idle for some seconds. */
async function later<Result>(work: () => Promise<Result>): Promise<Result> {
  const time = Date.now() + 6_000
  const now = vi.spyOn(Date, 'now').mockImplementation(() => time)
  return work().finally(() => now.mockRestore())
}
