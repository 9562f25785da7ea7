/** What the service promises when the database's answers get lost, come late, are refusals or never come. */
import { createHash } from 'node:crypto'
import { Agent } from 'node:http'
import { Socket } from 'node:net'
import { ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest'
import { FUNCTION_LIMITS } from '../../infra/routes.ts'
import { Joke } from '../../shared/joke.ts'
import { emptyTables, internals } from '../support/access.ts'
import { type Fault, FaultProxy, type Plan } from '../support/faults.ts'
import { type Answer, type Service, startService } from '../support/service.ts'

let proxy: FaultProxy
// Every failure goes to the log.
const log = vi.spyOn(console, 'error').mockImplementation(() => {})
beforeAll(async () => {
  proxy = await FaultProxy.before(inject('endpoint'))
})
afterEach(() => {
  proxy.plan = () => undefined
})
afterAll(() => proxy.stop())

const start = () => startService({ AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint })

/** What passes, so that a call that may be repeated gets its answer. */
const passing: Fault[] = [
  'drop before',
  'drop after',
  'fail before',
  'fail after',
  'throttle',
  'delay',
  'hang',
  'stall',
  'trickle',
]

/** The first calls of an operation meet these faults, all others none. */
function first(operation: string, ...faults: Fault[]): Plan {
  return (called) => (called === operation ? faults.shift() : undefined)
}

function always(operation: string, fault: Fault): Plan {
  return (called) => (called === operation ? fault : undefined)
}

function expectUnavailable({ status, headers, body }: Answer, detail: string): void {
  expect(status).toBe(503)
  expect(headers.get('content-type')).toBe('application/problem+json')
  expect(headers.get('retry-after')).toBe('1')
  expect(body).toEqual({ type: 'about:blank', title: 'Service Unavailable', status: 503, detail })
  const error = expect.objectContaining({ name: 'Unavailable', message: detail, cause: expect.anything() })
  expect(log).toHaveBeenCalledWith(expect.objectContaining({ error }))
}

const joke = {
  joke: 'Why did the packet cross the road?',
  punchline: 'To be dropped on the other side.',
  category: 'Classic',
}
const MAYBE_ADDED = 'The joke may or may not have been added: send it again to be sure.'
const MAYBE_COUNTED = 'The upvote may or may not have been counted.'
const NOT_COUNTED = 'The upvote was not counted: try again.'
const NOT_READ = 'The jokes could not be read just now: try again.'

/** The requests take half of the functions' timeout; the rest is for setting up. */
const TIMEOUT_MS = FUNCTION_LIMITS.timeoutMs

describe('before the function is ended', () => {
  it('answers 503 where no call is ever answered in full', { timeout: TIMEOUT_MS }, async () => {
    const service = await start()
    const [added] = await service.add(joke)
    const endless: Fault[] = ['hang', 'stall', 'trickle']
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
    await service.stop()
  })

  it('answers 503 where each step of a request takes long', { timeout: TIMEOUT_MS }, async () => {
    const service = await start()
    await service.add(joke)
    const calls = new Map<string, number>()
    proxy.plan = (operation) => {
      const call = (calls.get(operation) ?? 0) + 1
      calls.set(operation, call)
      const isFirstStep = operation === 'BatchWriteItem' || operation === 'Query'
      return isFirstStep && call > 2 ? undefined : 'hang'
    }
    const requests = [
      [service.create({ ...joke, joke: 'Another one' }), MAYBE_ADDED],
      [service.list({ searchString: 'packet' }), NOT_READ],
    ] as const
    for (const [answer, detail] of requests) expectUnavailable(await answer, detail)
    await service.stop()
  })
})

/** Does something as if the connections of before had been idle for some seconds. */
async function later<Result>(work: () => Promise<Result>): Promise<Result> {
  const time = Date.now() + 6_000
  const now = vi.spyOn(Date, 'now').mockImplementation(() => time)
  return work().finally(() => now.mockRestore())
}

/** Starts a service that does not wait for long. */
function startImpatient(ATTEMPT_MS: number): Promise<Service> {
  const limits = { CONNECT_MS: ATTEMPT_MS, ATTEMPT_MS, FIRST_WAIT_MS: 10, OPERATION_MS: 4 * ATTEMPT_MS }
  vi.doMock('../../shared/store/limits.ts', async (original) => ({ ...(await original<object>()), ...limits }))
  return start()
}

describe('one fault', () => {
  let service: Service
  beforeAll(async () => {
    service = await startImpatient(250)
  })
  afterAll(() => service.stop())

  describe('a new joke', () => {
    it.each(
      ['GetItem', 'BatchWriteItem', 'PutItem'].flatMap((operation) =>
        passing.map((fault) => [operation, fault] as const),
      ),
    )('is added where its first %s meets a %s', async (operation, fault) => {
      proxy.plan = first(operation, fault)
      const [added] = await service.add({ ...joke, punchline: `${operation} ${fault}` })
      expect(await service.jokes({ searchString: `${operation} ${fault}` })).toEqual([added])
    })

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
      ['hang', 0],
      ['stall', 1],
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
    it.each(
      passing.flatMap((fault) => [
        [fault, 'Query', {}] as const,
        [fault, 'Query', { searchString: 'packet' }] as const,
        [fault, 'BatchGetItem', { searchString: 'packet' }] as const,
        [fault, 'BatchGetItem', { sortBy: 'random' }] as const,
      ]),
    )('is complete where a %s meets the first call of %s, %j', async (fault, operation, query) => {
      const before = await service.jokes({ ...query, numberofJokes: '250' })
      proxy.plan = first(operation, fault)
      const after = await service.jokes({ ...query, numberofJokes: '250' })
      expect(byId(after)).toEqual(byId(before))
    })

    it('is complete where its jokes are left unprocessed at first', async () => {
      const before = await service.jokes({ searchString: 'packet' })
      proxy.plan = first('BatchGetItem', 'leave unprocessed', 'leave unprocessed')
      expect(await service.jokes({ searchString: 'packet' })).toEqual(before)
    })
  })
})

describe('a storm', () => {
  const faults: Fault[] = ['drop before', 'drop after', 'fail before', 'fail after', 'throttle', 'delay', 'hang']
  /** Where an upvote may be counted without the client hearing of it. Of the calls that hang, some are only slow. */
  const losesAnswers = ['drop after', 'fail after', 'hang']

  it.each(faults)('of one %s in five calls loses nothing and counts nothing twice', async (fault) => {
    // Nothing but what hangs is late, on however busy a machine.
    const service = await startImpatient(fault === 'hang' ? 1_000 : 30_000)
    const target = await service.add(
      ...[0, 1, 2, 3].map((number) => ({ joke: `Target ${number}`, category: 'School' })),
    )
    const tally = new Map(target.map(({ id }) => [id, { sent: 0, acknowledged: 0 }]))
    const added: Joke[] = []
    let call = 0
    proxy.plan = () => (hash(call++) % 5 === 0 ? fault : undefined)

    const create = async (number: number) => {
      const answer = await service.create({ joke: `Storm${number} of ${fault}`, category: 'Classic' })
      if (answer.status === 201) added.push(v.parse(Joke, answer.body))
      else expectUnavailable(answer, MAYBE_ADDED)
    }
    const upvote = async (number: number) => {
      const [id, votes] = [...tally][number % tally.size] ?? ['', { sent: 0, acknowledged: 0 }]
      votes.sent += 1
      const answer = await service.thumbUp(id)
      if (answer.status === 200) votes.acknowledged += 1
      else expectUnavailable(answer, fault === 'throttle' ? NOT_COUNTED : MAYBE_COUNTED)
    }
    const list = async (number: number) => {
      const answer = await service.list(number % 2 ? { searchString: 'target' } : { numberofJokes: '5' })
      if (answer.status !== 200) expectUnavailable(answer, NOT_READ)
    }
    let next = 0
    const client = async () => {
      for (let number = next++; number < 300; number = next++)
        await [create, upvote, list, upvote][number % 4]?.(number)
    }
    await Promise.all(Array.from({ length: 32 }, client))
    proxy.plan = () => undefined

    const listed = new Map((await service.pages({ numberofJokes: '250' })).flat().map((joke) => [joke.id, joke]))
    for (const joke of added) {
      expect(listed.get(joke.id)).toEqual(joke)
      const word = joke.joke.split(' ')[0] ?? ''
      expect((await service.jokes({ searchString: word })).map(({ id }) => id)).toContain(joke.id)
    }
    for (const [id, { sent, acknowledged }] of tally) {
      const counted = listed.get(id)?.thumbsUp
      expect(counted).toBeGreaterThanOrEqual(acknowledged)
      expect(counted).toBeLessThanOrEqual(losesAnswers.includes(fault) ? sent : acknowledged)
    }
    expect(added.length).toBeGreaterThan(40)
    await service.stop()
  })
})

/** Spreads faults over the calls, the same way each time. */
function hash(number: number): number {
  return createHash('sha256').update(String(number)).digest().readUInt32BE()
}

function byId(jokes: Joke[]): Joke[] {
  return jokes.toSorted((one, other) => one.id.localeCompare(other.id))
}
