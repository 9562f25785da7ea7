/** The service while calls to the database fail, or are answered late, in part or never. */
import { createHash } from 'node:crypto'
import { Agent } from 'node:http'
import { Socket } from 'node:net'
import * as v from 'valibot'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  JOKE_MAY_HAVE_BEEN_ADDED,
  LISTING_FAILED,
  UPVOTE_MAY_HAVE_COUNTED,
  UPVOTE_NOT_COUNTED,
} from '../../shared/errors.ts'
import { Joke } from '../../shared/joke.ts'
import { LIMITS } from '../../shared/store/limits.ts'
import { eraseJoke, findRecord, removeJoke, undoRemoval } from '../../shared/store/removal.ts'
import { byClients } from '../support/byClients.ts'
import {
  always,
  expectUnavailable,
  type Fault,
  first,
  giveUpAfter,
  type Plan,
  recordLog,
  startBehindProxy,
} from '../support/faults.ts'
import { byId } from '../support/service.ts'

type Started = Awaited<ReturnType<typeof startBehindProxy>>

const joke = {
  joke: 'Why did the packet cross the road?',
  punchline: 'To be dropped on the other side.',
  category: 'Classic',
}

/** Of each fault: how an upvote is answered whose first call meets it, and how often it is counted. */
const FAULTS: [fault: Fault, status: number, counted: number][] = [
  ['drop before', 503, 0],
  ['drop after', 503, 1],
  ['fail before', 503, 0],
  ['fail after', 503, 1],
  ['throttle', 200, 1],
  ['hang', 503, 0],
  ['stall', 503, 1],
  ['trickle', 503, 0],
]
/** Those that only a time limit ends. */
const ENDLESS: Fault[] = ['hang', 'stall', 'trickle']

const IMPATIENT = giveUpAfter(2_000)

/** The calls that listings make. */
const READING: [operation: string, query: Record<string, string>][] = [
  ['Query', {}],
  ['Query', { searchString: 'packet' }],
  ['BatchGetItem', { searchString: 'packet' }],
  ['BatchGetItem', { sortBy: 'random' }],
]

beforeAll(recordLog)
afterAll(() => void vi.restoreAllMocks())

describe('a call', () => {
  const all: Promise<Started>[] = []

  /** Starts a service for one test, because a plan of faults concerns all requests to a service. */
  function startAnother(limits?: Parameters<typeof startBehindProxy>[0]): Promise<Started> {
    const started = startBehindProxy(limits)
    all.push(started)
    return started
  }
  afterAll(async () => {
    for (const started of all) await (await started).stop()
  })

  const startFor = (fault: Fault) => startAnother(ENDLESS.includes(fault) ? IMPATIENT : undefined)

  it.concurrent.each(FAULTS)('whose first attempt fails is retried to add or list jokes (%s)', async (fault) => {
    const { service, proxy } = await startFor(fault)
    for (const operation of ['GetItem', 'BatchWriteItem', 'PutItem']) {
      proxy.plan = first(operation, fault)
      const [added] = await service.add({ ...joke, punchline: operation })
      expect(await service.jokes({ searchString: operation })).toEqual([added])
    }
    for (const [operation, query] of READING) {
      const before = await service.jokes(query)
      proxy.plan = first(operation, fault)
      expect(byId(await service.jokes(query))).toEqual(byId(before))
    }
  })

  it.concurrent.each(FAULTS)(
    'to upvote is retried only if it was certainly not counted (%s)',
    async (fault, status, counted) => {
      const { service, proxy } = await startFor(fault)
      const [added] = await service.add(joke)
      proxy.plan = first('UpdateItem', fault)
      const answer = await service.thumbUp(`${added?.id}`)
      if (status === 200) expect(answer.status).toBe(200)
      else expectUnavailable(answer, UPVOTE_MAY_HAVE_COUNTED)
      expect(await service.jokes({ id: `${added?.id}` })).toEqual([{ ...added, thumbsUp: counted }])
    },
  )

  it.concurrent('that is never answered is a 503 after some attempts', async () => {
    const { service, proxy } = await startAnother({})
    const [added] = await service.add(joke)
    let call = 0
    proxy.plan = () => ENDLESS[call++ % ENDLESS.length]
    for (const query of [{}, { searchString: 'packet road' }, { sortBy: 'random' }, { id: `${added?.id}` }])
      expectUnavailable(await service.list(query), LISTING_FAILED)
    expectUnavailable(await service.create({ ...joke, joke: 'Another one' }), JOKE_MAY_HAVE_BEEN_ADDED)
    expectUnavailable(await service.thumbUp(`${added?.id}`), UPVOTE_MAY_HAVE_COUNTED)
  })

  it.concurrent.each<[operations: string, answered: Record<string, number>, query?: Record<string, string>]>([
    ['GetItem, BatchWriteItem', { GetItem: 2 }],
    ['GetItem, PutItem', { GetItem: 2, BatchWriteItem: 0 }],
    ['Query, BatchGetItem', { Query: 2 }, { searchString: 'packet' }],
  ])('is attempted less often if earlier ones took long (%s)', async (_, hanging, query) => {
    const { service, proxy } = await startAnother({})
    if (query) await service.add(joke)
    const calls: Record<string, number> = {}
    // The first calls of these operations hang, so many of each; those of other operations always do.
    proxy.plan = (operation) => {
      calls[operation] = (calls[operation] ?? 0) + 1
      return calls[operation] > (hanging[operation] ?? Number.POSITIVE_INFINITY) ? undefined : 'hang'
    }
    const timeIsUp = expect.objectContaining({ name: 'AbortError' })
    if (query) expectUnavailable(await service.list(query), LISTING_FAILED, timeIsUp)
    else expectUnavailable(await service.create(joke), JOKE_MAY_HAVE_BEEN_ADDED, timeIsUp)
    const last = Object.keys(calls).findLast((operation) => !(operation in hanging))
    expect(calls[last ?? '']).toBeLessThan(LIMITS.attempts)
  })
})

describe('while calls fail,', async () => {
  const { service, proxy, stop } = await startBehindProxy()
  afterEach(() => {
    proxy.plan = () => undefined
  })
  afterAll(stop)

  it('a new joke is added, and keeps an upvote that arrives before the retried put', async () => {
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

  it('a new joke appears in no search, and can be added again, if only its words or not even these were written', async () => {
    for (const operation of ['PutItem', 'BatchWriteItem']) {
      proxy.plan = always(operation, 'throttle')
      const halfway = { ...joke, punchline: `halfway ${operation}` }
      expectUnavailable(await service.create(halfway), JOKE_MAY_HAVE_BEEN_ADDED)
      proxy.plan = () => undefined
      expect(await service.jokes({ searchString: halfway.punchline })).toEqual([])
      expect((await service.jokes()).filter(({ punchline }) => punchline === halfway.punchline)).toEqual([])
      await service.add(halfway)
    }
  })

  it('an upvote is counted once if its first connection is refused, or never established', async () => {
    const [{ id } = { id: '' }] = await service.add({ ...joke, punchline: 'connecting' })
    proxy.stop()
    // The random wait before a retry is the first thing that follows a failed attempt.
    const random = vi.spyOn(Math, 'random').mockImplementationOnce(() => {
      proxy.resume()
      return 10
    })
    expect((await service.thumbUp(id)).status).toBe(200)
    random.mockRestore()
    const connect = vi.spyOn(Agent.prototype, 'createConnection').mockImplementationOnce(() => {
      const socket = new Socket()
      Object.defineProperty(socket, 'connecting', { value: true })
      return socket
    })
    expect((await later(() => service.thumbUp(id))).status).toBe(200)
    expect(connect).toHaveBeenCalledTimes(2)
    connect.mockRestore()
    expect(await service.jokes({ id })).toMatchObject([{ thumbsUp: 2 }])
  })

  it('an upvote reuses a connection unless it has been idle for long', async () => {
    const [{ id } = { id: '' }] = await service.add({ ...joke, punchline: 'idle' })
    await service.thumbUp(id)
    await service.thumbUp(id)
    const [before, after] = proxy.clientPorts.slice(-2)
    expect(after).toBe(before)
    await later(() => service.thumbUp(id))
    expect(proxy.clientPorts.at(-1)).not.toBe(before)
    expect(await service.jokes({ id })).toMatchObject([{ thumbsUp: 3 }])
  })

  it('an upvote is a 503 and not counted if it is throttled for long', async () => {
    const [{ id } = { id: '' }] = await service.add({ ...joke, punchline: 'throttled' })
    proxy.plan = always('UpdateItem', 'throttle')
    expectUnavailable(await service.thumbUp(id), UPVOTE_NOT_COUNTED)
    expect(await service.jokes({ id })).toMatchObject([{ thumbsUp: 0 }])
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

  it('jokes and words that DynamoDB leaves unprocessed at first are read and written', async () => {
    proxy.plan = first('BatchWriteItem', 'leave unprocessed', 'leave unprocessed')
    const [added] = await service.add({ ...joke, punchline: 'unprocessed' })
    proxy.plan = first('BatchGetItem', 'leave unprocessed', 'leave unprocessed')
    expect(await service.jokes({ searchString: 'unprocessed' })).toEqual([added])
  })
})

const SOME_FAULTS = FAULTS.filter(([fault]) => fault !== 'stall' && fault !== 'trickle')

const REQUESTS = 80
const CLIENTS = 32

it.each(SOME_FAULTS)(
  'no joke is lost and no upvote counted twice while one call in five fails (%s)',
  async (fault, _, counted) => {
    const { service, proxy, stop } = await startBehindProxy(ENDLESS.includes(fault) ? IMPATIENT : undefined)
    const [{ id } = { id: '' }] = await service.add({ joke: 'Target', category: 'School' })
    const votes = { sent: 0, acknowledged: 0 }
    const added: Joke[] = []
    let call = 0
    proxy.plan = () => (hash(call++) % 5 === 0 ? fault : undefined)

    const create = async (number: number) => {
      const answer = await service.create({ joke: `Storm${number} of ${fault}`, category: 'Classic' })
      if (answer.status === 201) added.push(v.parse(Joke, answer.body))
      else expectUnavailable(answer, JOKE_MAY_HAVE_BEEN_ADDED)
    }
    const upvote = async () => {
      votes.sent += 1
      const answer = await service.thumbUp(id)
      if (answer.status === 200) votes.acknowledged += 1
      else expectUnavailable(answer, fault === 'throttle' ? UPVOTE_NOT_COUNTED : UPVOTE_MAY_HAVE_COUNTED)
    }
    const list = async (number: number) => {
      const answer = await service.list(number % 2 ? { searchString: 'target' } : { numberofJokes: '5' })
      if (answer.status !== 200) expectUnavailable(answer, LISTING_FAILED)
    }
    await byClients(CLIENTS, REQUESTS, async (number) => [create, upvote, list, upvote][number % 4]?.(number))
    proxy.plan = () => undefined

    const listed = new Map((await service.pages({ numberofJokes: '250' })).flat().map((joke) => [joke.id, joke]))
    for (const joke of added) {
      expect(listed.get(joke.id)).toEqual(joke)
      const word = joke.joke.split(' ')[0] ?? ''
      expect((await service.jokes({ searchString: word })).map(({ id }) => id)).toContain(joke.id)
    }
    const { thumbsUp } = listed.get(id) ?? {}
    expect(votes.acknowledged).toBeGreaterThan(REQUESTS / 8)
    expect(thumbsUp).toBeGreaterThanOrEqual(votes.acknowledged)
    // Some calls that hang are only slow.
    const mayLoseAnswers = fault !== 'throttle' && (counted === 1 || ENDLESS.includes(fault))
    expect(thumbsUp).toBeLessThanOrEqual(mayLoseAnswers ? votes.sent : votes.acknowledged)
    expect(added.length).toBeGreaterThan(REQUESTS / 8)
    await stop()
  },
)

/** Calls `work` with a clock six seconds ahead, so that existing connections count as idle. */
async function later<Result>(work: () => Promise<Result>): Promise<Result> {
  const time = Date.now() + 6_000
  const now = vi.spyOn(Date, 'now').mockImplementation(() => time)
  return work().finally(() => now.mockRestore())
}

/** Spreads faults over the calls, the same way in each run. */
function hash(number: number): number {
  return createHash('sha256').update(String(number)).digest().readUInt32BE()
}
