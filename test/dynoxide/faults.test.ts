/** The service while calls to the database fail, or are answered late, in part or never. */
import { Agent } from 'node:http'
import { Socket } from 'node:net'
import * as v from 'valibot'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  JOKE_MAY_HAVE_BEEN_ADDED,
  LISTING_FAILED,
  UPVOTE_MAY_HAVE_COUNTED,
  UPVOTE_NOT_COUNTED,
} from '../../shared/errors.ts'
import { Joke } from '../../shared/joke.ts'
import { LIMITS } from '../../shared/store/limits.ts'
import { eraseJoke, findRecord, removeJoke, undoRemoval } from '../../shared/store/removal.ts'
import { reindex } from '../../shared/store/upkeep.ts'
import { emptyTables, itemsOf } from '../support/access.ts'
import {
  always,
  expectUnavailable,
  type Fault,
  type FaultProxy,
  first,
  giveUpAfter,
  type Plan,
  startBehindProxy,
} from '../support/faults.ts'
import { type Answer, byId, type StartedService } from '../support/service.ts'

type Started = Awaited<ReturnType<typeof startBehindProxy>>

const joke = {
  joke: 'Why did the packet cross the road?',
  punchline: 'To be dropped on the other side.',
  category: 'Classic',
}

const ENDLESS = ['hang', 'stall', 'trickle'] as const

const IMPATIENT = giveUpAfter(1_500)

/** The calls that adding a joke makes. */
const CREATING = ['GetItem', 'BatchWriteItem', 'PutItem']

/** The calls that listings make. */
const READING: [operation: string, query: Record<string, string>][] = [
  ['Query', {}],
  ['Query', { searchString: 'packet' }],
  ['BatchGetItem', { searchString: 'packet' }],
  ['BatchGetItem', { sortBy: 'random' }],
]

async function addDespite(fault: Fault, operation: string, { service, proxy }: Started): Promise<void> {
  proxy.plan = first(operation, fault)
  const [added] = await service.add({ ...joke, punchline: `${operation} ${fault}` })
  expect(await service.jokes({ searchString: `${operation} ${fault}` })).toEqual([added])
}

async function listDespite(
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

describe('a call that is never answered in full', () => {
  const all: Promise<Started>[] = []

  /** Starts a service for one test, because a plan of faults concerns all requests to a service. */
  function startAnother(limits: Parameters<typeof startBehindProxy>[0]): Promise<Started> {
    const started = startBehindProxy(limits)
    all.push(started)
    return started
  }
  afterAll(async () => {
    for (const started of all) await (await started).stop()
  })

  it.concurrent.each(ENDLESS)('of a new joke is retried (%s)', async (fault) => {
    const started = await startAnother(IMPATIENT)
    for (const operation of CREATING) await addDespite(fault, operation, started)
  })

  it.concurrent.each(ENDLESS)('of a listing is retried (%s)', async (fault) => {
    const started = await startAnother(IMPATIENT)
    await started.service.add(joke)
    for (const [operation, query] of READING) await listDespite(fault, operation, query, started)
  })

  it.concurrent.each(ENDLESS)('of an upvote is not retried (%s)', async (fault) => {
    const { service, proxy } = await startAnother(IMPATIENT)
    const [added] = await service.add(joke)
    proxy.plan = first('UpdateItem', fault)
    expectUnavailable(await service.thumbUp(`${added?.id}`), UPVOTE_MAY_HAVE_COUNTED)
    const counted = fault === 'stall' ? 1 : 0
    expect(await service.jokes({ id: `${added?.id}` })).toEqual([{ ...added, thumbsUp: counted }])
  })

  it.concurrent('fails with 503 after some attempts', async () => {
    const { service, proxy } = await startAnother({})
    const [added] = await service.add(joke)
    let call = 0
    proxy.plan = () => ENDLESS[call++ % ENDLESS.length]
    const requests: [Promise<Answer>, string][] = [
      [service.create({ ...joke, joke: 'Another one' }), JOKE_MAY_HAVE_BEEN_ADDED],
      [service.list(), LISTING_FAILED],
      [service.list({ searchString: 'packet road' }), LISTING_FAILED],
      [service.list({ sortBy: 'random' }), LISTING_FAILED],
      [service.list({ id: `${added?.id}` }), LISTING_FAILED],
      [service.thumbUp(`${added?.id}`), UPVOTE_MAY_HAVE_COUNTED],
    ]
    for (const [answer, detail] of requests) expectUnavailable(await answer, detail)
  })

  it.concurrent('fails with 503 after fewer attempts if earlier calls took long', async () => {
    const { service, proxy } = await startAnother({})
    await service.add(joke)
    proxy.plan = hangFirst({ GetItem: 2, Query: 2 })
    const requests: [Promise<Answer>, string][] = [
      [service.create({ ...joke, joke: 'Another one' }), JOKE_MAY_HAVE_BEEN_ADDED],
      [service.list({ searchString: 'packet' }), LISTING_FAILED],
    ]
    for (const [answer, detail] of requests) expectUnavailable(await answer, detail, TIME_IS_UP)
  })

  it.concurrent('fails with 503 without a last attempt to put a new joke if earlier calls took long', async () => {
    const { service, proxy } = await startAnother({})
    const plan = hangFirst({ GetItem: 2, BatchWriteItem: 0 })
    let puts = 0
    proxy.plan = (operation) => {
      if (operation === 'PutItem') puts += 1
      return plan(operation)
    }
    expectUnavailable(await service.create(joke), JOKE_MAY_HAVE_BEEN_ADDED, TIME_IS_UP)
    expect(puts).toBeLessThan(LIMITS.attempts)
  })

  const TIME_IS_UP = expect.objectContaining({ name: 'AbortError' })

  /** The first calls of these operations hang, so many of each; those of other operations always do. */
  function hangFirst(counts: Record<string, number>): Plan {
    const left = new Map(Object.entries(counts))
    return (operation) => {
      const count = left.get(operation) ?? Number.POSITIVE_INFINITY
      left.set(operation, count - 1)
      return count > 0 ? 'hang' : undefined
    }
  }
})

describe('a fault', () => {
  /** Faults after which a retry succeeds. */
  const passing: Fault[] = ['drop before', 'drop after', 'fail before', 'fail after', 'throttle']
  let started: Started
  let service: StartedService
  let proxy: FaultProxy
  beforeAll(async () => {
    started = await startBehindProxy()
    ;({ service, proxy } = started)
  })
  afterEach(() => {
    proxy.plan = () => undefined
    vi.mocked(console.error).mockClear()
  })
  afterAll(() => started.stop())

  describe('a new joke', () => {
    describe.each(CREATING)('whose first %s fails', (operation) => {
      it.each(passing)('is added (%s)', (fault) => addDespite(fault, operation, started))
    })

    it('is added, and keeps an upvote that arrives before the retried put', async () => {
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
      expect(await service.jokes({ searchString: 'upvoted early' })).toEqual([{ ...v.parse(Joke, body), thumbsUp: 1 }])
    })

    it('has all its words if DynamoDB leaves them unprocessed at first', async () => {
      proxy.plan = first('BatchWriteItem', 'leave unprocessed', 'leave unprocessed')
      const [added] = await service.add({ ...joke, punchline: 'unprocessed words' })
      expect(await service.jokes({ searchString: 'unprocessed' })).toEqual([added])
    })

    it('appears in no search and can be added again if only its words were written', async () => {
      proxy.plan = always('PutItem', 'throttle')
      const halfway = { ...joke, punchline: 'halfway' }
      expectUnavailable(await service.create(halfway), JOKE_MAY_HAVE_BEEN_ADDED)
      proxy.plan = () => undefined
      expect(await service.jokes({ searchString: 'halfway' })).toEqual([])
      await service.add(halfway)
    })

    it('appears in no listing if its words could not be written', async () => {
      proxy.plan = always('BatchWriteItem', 'throttle')
      expectUnavailable(
        await service.create({ ...joke, category: 'School', punchline: 'wordless' }),
        JOKE_MAY_HAVE_BEEN_ADDED,
      )
      proxy.plan = () => undefined
      expect(await service.jokes({ category: 'School' })).toEqual([])
    })
  })

  describe('an upvote', () => {
    let id: string
    const count = async () => (await service.jokes({ id }))[0]?.thumbsUp
    beforeEach(async () => {
      await emptyTables(service.store)
      const [added] = await service.add(joke)
      id = `${added?.id}`
    })

    it('is counted once if its first call is throttled', async () => {
      proxy.plan = first('UpdateItem', 'throttle')
      expect((await service.thumbUp(id)).status).toBe(200)
      expect(await count()).toBe(1)
    })

    it.each<[Fault, number]>([
      ['drop before', 0],
      ['drop after', 1],
      ['fail before', 0],
      ['fail after', 1],
    ])('is not retried after %s, and is counted %i times', async (fault, counted) => {
      proxy.plan = first('UpdateItem', fault)
      expectUnavailable(await service.thumbUp(id), UPVOTE_MAY_HAVE_COUNTED)
      expect(await count()).toBe(counted)
    })

    it('is counted once if its first connection is refused', async () => {
      proxy.stop()
      // The random wait before a retry is the first thing that follows a failed attempt.
      const random = vi.spyOn(Math, 'random').mockImplementationOnce(() => {
        proxy.resume()
        return 10
      })
      expect((await service.thumbUp(id)).status).toBe(200)
      expect(await count()).toBe(1)
      random.mockRestore()
    })

    it('is counted once if its first connection is never established', async () => {
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

    it('reuses a connection unless it has been idle for long', async () => {
      await service.thumbUp(id)
      await service.thumbUp(id)
      const [before, after] = proxy.clientPorts.slice(-2)
      expect(after).toBe(before)
      await later(() => service.thumbUp(id))
      expect(proxy.clientPorts.at(-1)).not.toBe(before)
      expect(await count()).toBe(3)
    })

    it('is a 503 and not counted if it is throttled for long', async () => {
      proxy.plan = always('UpdateItem', 'throttle')
      expectUnavailable(await service.thumbUp(id), UPVOTE_NOT_COUNTED)
      expect(await count()).toBe(0)
    })
  })

  it('a change by operators is made once if the response to it is lost', async () => {
    const { store } = service
    const [added] = await service.add({ ...joke, punchline: 'Nobody answered.' })
    const id = `${added?.id}`
    for (const [change, operation, state] of [
      [removeJoke, 'UpdateItem', 'removed'],
      [undoRemoval, 'UpdateItem', 'listed'],
      [removeJoke, 'UpdateItem', 'removed'],
      [undoRemoval, 'BatchWriteItem', 'listed'],
      [removeJoke, 'BatchWriteItem', 'removed'],
      [eraseJoke, 'PutItem', 'erased'],
    ] as const) {
      proxy.plan = first(operation, 'drop after')
      await change(store, id)
      expect(await findRecord(store, id)).toMatchObject({ state })
    }
  })

  it('a joke erased during a reindex stays erased', async () => {
    const { store } = service
    await emptyTables(store)
    const [added] = await service.add(joke)
    const id = `${added?.id}`
    let updates = 0
    proxy.plan = async (operation) => {
      if (operation !== 'UpdateItem' || updates++ > 0) return undefined
      await removeJoke(store, id)
      await eraseJoke(store, id)
      return undefined
    }
    for await (const { changed } of reindex(store, true)) expect(changed).toBe(0)
    proxy.plan = () => undefined
    expect(await itemsOf(store, store.jokesTable)).toEqual([
      { id, removedAt: expect.any(String), erasedAt: expect.any(String) },
    ])
    expect(await itemsOf(store, store.wordsTable)).toEqual([])
  })

  describe('a listing', () => {
    describe.each(READING)('whose first %s fails, %j,', (operation, query) => {
      it.each(passing)('is complete (%s)', (fault) => listDespite(fault, operation, query, started))
    })

    it('is complete if DynamoDB leaves its jokes unprocessed at first', async () => {
      const before = await service.jokes({ searchString: 'packet' })
      proxy.plan = first('BatchGetItem', 'leave unprocessed', 'leave unprocessed')
      expect(await service.jokes({ searchString: 'packet' })).toEqual(before)
    })
  })
})

/** Calls `work` with a clock six seconds ahead, so that existing connections count as idle. */
async function later<Result>(work: () => Promise<Result>): Promise<Result> {
  const time = Date.now() + 6_000
  const now = vi.spyOn(Date, 'now').mockImplementation(() => time)
  return work().finally(() => now.mockRestore())
}
