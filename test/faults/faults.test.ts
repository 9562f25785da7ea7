/** The service while calls to the database fail, are slow or never end, and while clients compete. */
import { Agent } from 'node:http'
import { Socket } from 'node:net'
import * as v from 'valibot'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { configOf } from '../../infra/local/localDatabase.ts'
import { FUNCTION_LIMITS } from '../../infra/routes.ts'
import {
  JOKE_MAY_HAVE_BEEN_ADDED,
  LISTING_FAILED,
  UPVOTE_MAY_HAVE_COUNTED,
  UPVOTE_NOT_COUNTED,
} from '../../shared/errors.ts'
import { Joke } from '../../shared/joke.ts'
import { parseListing } from '../../shared/listing.ts'
import { listJokes } from '../../shared/store/jokes.ts'
import { PATIENT } from '../../shared/store/limits.ts'
import { forEachAtOnce, Pace } from '../../shared/store/operators/pace.ts'
import { changeState, findRecord, TRANSITIONS } from '../../shared/store/operators/removal.ts'
import { reindex, sweep } from '../../shared/store/operators/tableScans.ts'
import { openStore } from '../../shared/store/store.ts'
import { expectUnavailable, type Fault, first, giveUpAfter, startBehindProxy, stopAll } from '../support/faults.ts'
import { byId } from '../support/service.ts'

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
  vi.spyOn(FUNCTION_LIMITS, 'timeoutMs', 'get').mockReturnValue(60_000)
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
      const target = v.parse(Joke, (await service.create(joke)).body)
      proxy.plan = first(fault, 'GetItem', 'BatchWriteItem', 'PutItem', 'UpdateItem')
      const words = ['packet1', 'packet2', 'packet3']
      const [upvote, ...added] = await Promise.all([
        service.thumbUp(target.id),
        ...words.map((punchline) => service.add({ ...joke, punchline })),
      ])
      if (status === 200) expect(upvote.status).toBe(200)
      else expectUnavailable(upvote, UPVOTE_MAY_HAVE_COUNTED)

      const all = byId([{ ...target, thumbsUp: counted }, ...added.flat()])
      proxy.plan = first(fault, 'Query', 'BatchGetItem')
      const found = await Promise.all([
        ...words.map((searchString) => service.jokes({ searchString })),
        service.jokes().then(byId),
        service.jokes({ sortBy: 'random' }).then(byId),
      ])
      expect(found).toEqual([...added, all, all])
    })
  }

  it.concurrent('a call that is never answered returns a 503 after some attempts', async () => {
    const { service, proxy } = await startBehindProxy(giveUpAfter(300))
    let call = 0
    proxy.plan = () => ENDLESS[call++ % ENDLESS.length]
    const id = 'x'.repeat(22)
    const queries = [{}, { searchString: 'packet road' }, { sortBy: 'random' }, { id }]
    for (const answer of await Promise.all(queries.map((query) => service.list(query))))
      expectUnavailable(answer, LISTING_FAILED)
    expectUnavailable(await service.create(joke), JOKE_MAY_HAVE_BEEN_ADDED)
    expectUnavailable(await service.thumbUp(id), UPVOTE_MAY_HAVE_COUNTED)
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

  it('a joke whose put or entries failed can be added again', async () => {
    for (const operation of ['PutItem', 'BatchWriteItem']) {
      proxy.plan = (called) => (called === operation ? 'throttle' : undefined)
      const halfway = { ...joke, punchline: `halfway ${operation}` }
      expectUnavailable(await service.create(halfway), JOKE_MAY_HAVE_BEEN_ADDED)
      proxy.plan = () => undefined
      expect(await service.jokes({ searchString: halfway.punchline })).toEqual([])
      expect((await service.jokes()).filter(({ punchline }) => punchline === halfway.punchline)).toEqual([])
      await service.add(halfway)
    }
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
    expectUnavailable(await service.thumbUp(id), UPVOTE_NOT_COUNTED)
    expect(await service.jokes({ id })).toMatchObject([{ thumbsUp: 0 }])
  })

  it('a command changes a joke once if the response is lost', async () => {
    const { store } = service
    const [id = ''] = await service.addTexts('Nobody answered.')
    for (const [change, operation, state] of [
      [TRANSITIONS.remove, 'UpdateItem', 'removed'],
      [TRANSITIONS.undo, 'UpdateItem', 'listed'],
      [TRANSITIONS.remove, 'UpdateItem', 'removed'],
      [TRANSITIONS.undo, 'BatchWriteItem', 'listed'],
      [TRANSITIONS.remove, 'BatchWriteItem', 'removed'],
      [TRANSITIONS.erase, 'PutItem', 'erased'],
    ] as const) {
      proxy.plan = first('drop after', operation)
      await changeState(store, id, change)
      expect(await findRecord(store, id)).toMatchObject({ state })
    }
  })
})

it('commands finish while the database throttles', async () => {
  const { service, proxy } = await startBehindProxy()
  const ids = await service.addTexts('One throttled joke', 'Another throttled joke', 'A third throttled joke')
  const report = vi.fn()
  const store = openStore(service.store, configOf(proxy.endpoint), PATIENT, new Pace(report))
  // More calls are throttled than a request has attempts. Real waits would only take time.
  using _random = vi.spyOn(Math, 'random').mockReturnValue(0)
  proxy.plan = first('throttle', 'GetItem')
  await findRecord(store, 'any')
  expect(report).toHaveBeenCalledTimes(1)
  let call = 0
  proxy.plan = (operation) => {
    if (++call % 8 === 0) return undefined
    return operation === 'BatchWriteItem' && call % 2 === 0 ? 'leave unprocessed' : 'throttle'
  }
  const direct = openStore(service.store, configOf(inject('endpoint')))
  for (const [change, found] of [
    [TRANSITIONS.remove, 0],
    [TRANSITIONS.undo, 3],
    [TRANSITIONS.remove, 0],
    [TRANSITIONS.erase, 0],
  ] as const) {
    await Promise.all(ids.map((id) => changeState(store, id, change)))
    const { jokes } = await listJokes(direct, parseListing({ searchString: 'throttled' }))
    expect(jokes).toHaveLength(found)
  }
  for await (const _ of reindex(store, true));
  for await (const _ of sweep(store));
  expect(report).toHaveBeenCalledTimes(1)
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
    else expectUnavailable(answer, JOKE_MAY_HAVE_BEEN_ADDED)
  }
  const upvote = async () => {
    votes.sent += 1
    const answer = await service.thumbUp(id)
    if (answer.status === 200) votes.acknowledged += 1
    else expectUnavailable(answer, UPVOTE_MAY_HAVE_COUNTED)
  }
  const list = async (number: number) => {
    const answer = await service.list(number % 8 === 2 ? { searchString: 'target' } : { numberofJokes: '5' })
    if (answer.status !== 200) expectUnavailable(answer, LISTING_FAILED)
  }
  const numbers = [...Array(160).keys()]
  await forEachAtOnce({}, numbers, async (number) => [create, upvote, list, upvote][number % 4]?.(number))
  proxy.plan = () => undefined

  expect(added.length).toBeGreaterThan(20)
  for (const joke of added) expect(await service.jokes({ searchString: joke.joke })).toEqual([joke])
  const [{ thumbsUp } = { thumbsUp: 0 }] = await service.jokes({ id })
  expect(votes.acknowledged).toBeGreaterThan(40)
  expect(thumbsUp).toBeGreaterThanOrEqual(votes.acknowledged)
  expect(thumbsUp).toBeLessThanOrEqual(votes.sent)
})

it('one of two equal jokes is found, in the category stored', async () => {
  const { service } = await startBehindProxy()
  const categories = ['Classic', 'KnockKnock']
  await forEachAtOnce({}, Array(30).keys(), async (number) => {
    const joke = `Pair pair${number}`
    const answers = await Promise.all(categories.map((category) => service.create({ joke, category })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409])
    const added = v.parse(Joke, answers.find(({ status }) => status === 201)?.body)
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ id: added.id })
    const found = await Promise.all(
      ['', ...categories].map((category) => service.jokes({ searchString: `pair${number} `, category })),
    )
    // A search for pair1 also finds pair10.
    const [all, ...byCategory] = found.map((jokes) => jokes.filter(({ joke: text }) => text === joke))
    expect(all).toEqual([added])
    expect(byCategory).toEqual(categories.map((category) => (category === added.category ? [added] : [])))
  })
})
