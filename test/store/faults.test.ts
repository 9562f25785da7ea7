/** The service while calls to the database fail, are slow or never end, and while clients compete. */
import { Agent } from 'node:http'
import { Socket } from 'node:net'
import pLimit from 'p-limit'
import * as v from 'valibot'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { FUNCTION_LIMITS, USUAL_LIMITS } from '../../infra/routes.ts'
import { Joke } from '../../shared/joke.ts'
import { act } from '../../shared/store/operators/states.ts'
import { expectUnavailable, type Fault, first, giveUpAfter, startBehindProxy, stopAll } from '../support/faults.ts'

const joke = { joke: 'Why did the packet cross the road?', punchline: 'To be dropped there.', category: 'Classic' }

/** For each fault, the status of an upvote whose first call meets it, and how often the upvote is counted. */
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
/** Faults that only a time limit ends. */
const ENDLESS: Fault[] = ['hang', 'stall', 'trickle']

beforeAll(() => {
  // On a busy machine, a request may take longer than the timeout in Lambda.
  for (const limits of [USUAL_LIMITS, FUNCTION_LIMITS.List])
    vi.spyOn(limits, 'timeoutMs', 'get').mockReturnValue(60_000)
})
afterAll(async () => {
  vi.restoreAllMocks()
  await stopAll()
})

describe('a call', () => {
  for (const [fault, status, counted] of FAULTS) {
    const isEndless = ENDLESS.includes(fault)
    // Faults that end at once do not wait, so running them concurrently gains nothing.
    const test = isEndless ? it.concurrent : it
    test(`a failed call is retried, an upvote only if certainly uncounted (${fault})`, async () => {
      const { service, proxy } = await startBehindProxy(isEndless ? giveUpAfter(3_000) : undefined)
      proxy.plan = first(fault, 'Query', 'PutItem')
      expect(await service.jokes()).toEqual([])
      const added = v.parse(Joke, (await service.create(joke)).body)
      proxy.plan = first(fault, 'UpdateItem')
      const upvote = await service.thumbUp(added.id)
      if (status === 200) expect(upvote.status).toBe(200)
      else expectUnavailable(upvote, 'unknown-outcome')
      proxy.plan = first(fault, 'BatchGetItem')
      expect(await service.jokes({ id: added.id })).toEqual([{ ...added, thumbsUp: counted }])
    })

    it.concurrent(`a listing whose refresh fails is answered from memory (${fault})`, async () => {
      const { service, proxy } = await startBehindProxy()
      const [{ id } = { id: '' }] = await service.add(joke)
      expect(await service.jokes()).toHaveLength(1)
      await service.add({ ...joke, joke: 'Not in memory yet' })
      proxy.plan = (operation) => (operation === 'Query' ? fault : undefined)
      expect(await service.jokes()).toMatchObject([{ id }])
      proxy.plan = () => undefined
      await expect.poll(() => service.jokes(), { timeout: 10_000 }).toHaveLength(2)
    })
  }

  it.concurrent('a call that is never answered returns a 503 after some attempts', async () => {
    const { service, proxy } = await startBehindProxy(giveUpAfter(300))
    let call = 0
    proxy.plan = () => ENDLESS[call++ % ENDLESS.length]
    const id = 'x'.repeat(22)
    const queries = [{}, { searchString: 'packet road' }, { sortBy: 'random' }, { id }]
    for (const answer of await Promise.all(queries.map((query) => service.list(query))))
      expectUnavailable(answer, 'unavailable')
    expectUnavailable(await service.create(joke), 'unknown-outcome')
    expectUnavailable(await service.thumbUp(id), 'unknown-outcome')
  })
})

describe('failing calls', async () => {
  const { service, proxy } = await startBehindProxy()
  afterEach(() => {
    proxy.plan = () => undefined
  })

  it('a new joke keeps an upvote that arrives before its retried put', async () => {
    const faults = first('drop after', 'PutItem')
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

  it('an upvote is counted once if its first connection fails', async () => {
    const [id = ''] = await service.addTexts('Connecting')
    proxy.stop()
    // The random wait before a retry directly follows the failed attempt.
    using _random = vi.spyOn(Math, 'random').mockImplementationOnce(() => {
      proxy.resume()
      return 10
    })
    expect((await service.thumbUp(id)).status).toBe(200)
    using connect = vi.spyOn(Agent.prototype, 'createConnection').mockImplementationOnce(() => {
      const socket = new Socket()
      Object.defineProperty(socket, 'connecting', { value: true })
      return socket
    })
    // Existing connections are then too idle to be reused.
    using _sixSecondsLater = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 6_000)
    expect((await service.thumbUp(id)).status).toBe(200)
    expect(connect).toHaveBeenCalledTimes(2)
    expect(await service.jokes({ id })).toMatchObject([{ thumbsUp: 2 }])
  })

  it('an upvote that stays throttled is not counted', async () => {
    const [id = ''] = await service.addTexts('Throttled')
    proxy.plan = (operation) => (operation === 'UpdateItem' ? 'throttle' : undefined)
    expectUnavailable(await service.thumbUp(id), 'not-counted')
    expect(await service.jokes({ id })).toMatchObject([{ thumbsUp: 0 }])
  })

  it('a change of state whose response is lost counts as made', async () => {
    const [id = ''] = await service.addTexts('Nobody answered.')
    for (const [action, before] of [
      ['remove', 'listed'],
      ['undo', 'removed'],
      ['remove', 'listed'],
      ['erase', 'removed'],
    ] as const) {
      proxy.plan = first('drop after', action === 'erase' ? 'PutItem' : 'UpdateItem')
      expect(await act(service.store, id, action)).toMatchObject({ result: 'changed', item: { state: before } })
    }
    expect(await act(service.store, id, 'erase')).toMatchObject({ result: 'done already', item: { state: 'erased' } })
  })
})

it('failing calls leave exact data', async () => {
  const { service, proxy } = await startBehindProxy()
  const [id = ''] = await service.addTexts('Target')
  const votes = { sent: 0, acknowledged: 0 }
  const added: Joke[] = []
  const faults: Fault[] = ['drop before', 'drop after', 'fail before', 'fail after']
  let call = 0
  proxy.plan = () => faults[(7 * call++) % (5 * faults.length)]

  const create = async (number: number) => {
    const answer = await service.create({ joke: `Storm${100 + number} came`, category: 'Classic' })
    if (answer.status === 201) added.push(v.parse(Joke, answer.body))
    else expectUnavailable(answer, 'unknown-outcome')
  }
  const upvote = async () => {
    votes.sent += 1
    const answer = await service.thumbUp(id)
    if (answer.status === 200) votes.acknowledged += 1
    else expectUnavailable(answer, 'unknown-outcome')
  }
  await pLimit(16).map(Array(160).keys(), async (number) => (number % 2 ? upvote() : create(number)))
  proxy.plan = () => undefined

  expect(added.length).toBeGreaterThan(20)
  for (const joke of added) expect(await service.jokes({ searchString: joke.joke })).toEqual([joke])
  const [{ thumbsUp } = { thumbsUp: 0 }] = await service.jokes({ id })
  expect(votes.acknowledged).toBeGreaterThan(40)
  expect(thumbsUp).toBeGreaterThanOrEqual(votes.acknowledged)
  expect(thumbsUp).toBeLessThanOrEqual(votes.sent)
})
