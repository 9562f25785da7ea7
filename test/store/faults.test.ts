/** The service while calls to the database fail, are slow or never end, and while clients compete. */
import { Agent } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import * as v from 'valibot'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { configOf } from '../../infra/local/localDatabase.ts'
import { FUNCTION_LIMITS, USUAL_LIMITS } from '../../infra/routes.ts'
import { PROBLEMS, type ProblemCode } from '../../shared/errors.ts'
import { identify, Joke, JokeInput } from '../../shared/joke.ts'
import { parseListing } from '../../shared/listing.ts'
import { createJoke, listJokes, thumbsUpJoke } from '../../shared/store/jokes.ts'
import { CACHE, type Limits } from '../../shared/store/limits.ts'
import { readItem } from '../../shared/store/reads.ts'
import { openStore } from '../../shared/store/store.ts'
import { type Action, act } from '../../tools/changes.ts'
import { type Fault, first, startProxy } from '../support/faults.ts'
import { type Answer, expectProblem, startService } from '../support/service.ts'

const joke = {
  joke: 'Why did the packet cross the road?',
  punchline: 'To be dropped there.',
  category: 'Classic',
} as const

/** For each fault, what a client hears of its upvote, and how often the upvote is counted. */
const FAULTS: [fault: Fault, code: ProblemCode, counted: number][] = [
  ['drop before', 'unknown-outcome', 0],
  ['drop after', 'unknown-outcome', 1],
  ['fail before', 'unknown-outcome', 0],
  ['fail after', 'unknown-outcome', 1],
  ['throttle', 'not-counted', 0],
  ['hang', 'unknown-outcome', 0],
  ['stall', 'unknown-outcome', 1],
  ['trickle', 'unknown-outcome', 0],
]
/** Faults that only a time limit ends. */
const ENDLESS: Fault[] = ['hang', 'stall', 'trickle']

beforeAll(() => {
  // On a busy machine, a request may take longer than the timeout in Lambda, and a refresh longer than its limit.
  for (const limits of [USUAL_LIMITS, FUNCTION_LIMITS.List])
    vi.spyOn(limits, 'timeoutMs', 'get').mockReturnValue(60_000)
  vi.spyOn(CACHE, 'refreshMs', 'get').mockReturnValue(3_000)
  // Each listing refreshes.
  vi.spyOn(CACHE, 'freshMs', 'get').mockReturnValue(0)
})
const stops: (() => void)[] = []
afterAll(async () => {
  vi.restoreAllMocks()
  for (const stop of stops) await stop()
})

/** Limits that end each attempt after this time, and all calls of a request after four times this time. */
function giveUpAfter(milliseconds: number) {
  return { connectMs: milliseconds, attemptMs: milliseconds, operationMs: 4 * milliseconds }
}

/** Limits longer than any attempt on a busy machine. Only a connection that is never established ends soon. */
const PATIENT = { ...giveUpAfter(30_000), connectMs: 1_000 }

/** The lines that services logged. The calls of a spy would be lost when a concurrent test starts. */
const logged: unknown[] = []

/** Starts the service behind a proxy, until all tests have ended. Its logs are recorded, not printed. */
async function startBehindProxy(limits: Partial<Limits> = PATIENT) {
  for (const method of ['error', 'warn'] as const)
    vi.spyOn(console, method).mockImplementation((line) => void logged.push(line))
  const proxy = await startProxy()
  const service = await startService(limits, proxy.endpoint)
  stops.push(service.stop, proxy.stop)
  return { proxy, service, store: service.store }
}

/** Expects a 503 with this code, and the cause in the log. */
function expectUnavailable(answer: Answer, code: ProblemCode, retryAfter: string | null = '1'): void {
  const { detail } = PROBLEMS[code]
  expectProblem(answer, { status: 503, title: 'Service Unavailable', code, detail })
  expect(answer.headers.get('retry-after')).toBe(retryAfter)
  const error = expect.objectContaining({ name: 'ProblemError', code, message: detail })
  expect(logged).toContainEqual(expect.objectContaining({ error, cause: expect.any(Error) }))
}

describe('a call', () => {
  for (const [fault, code, counted] of FAULTS) {
    const isEndless = ENDLESS.includes(fault)
    // Faults that end at once do not wait, so running them concurrently gains nothing.
    const test = isEndless ? it.concurrent : it
    test(`a failed call is retried, but no upvote (${fault})`, async () => {
      const { service, proxy } = await startBehindProxy(isEndless ? giveUpAfter(3_000) : undefined)
      proxy.plan = first(fault, 'Scan', 'PutItem')
      // A load that is throttled ends at once, and the next listing continues it.
      if (fault === 'throttle') expectUnavailable(await service.list(), 'unavailable')
      expect(await service.jokes()).toEqual([])
      const added = v.parse(Joke, (await service.create(joke)).body)
      proxy.plan = first(fault, 'UpdateItem')
      // Programs obey Retry-After, and another upvote may count twice.
      expectUnavailable(await service.thumbUp(added.id), code, code === 'unknown-outcome' ? null : '1')
      proxy.plan = first(fault, 'GetItem')
      expect(await service.jokes({ id: added.id })).toEqual([{ ...added, thumbsUp: counted }])
    })

    it.concurrent(`a listing whose refresh fails is answered from memory (${fault})`, async () => {
      const { service, proxy, store } = await startBehindProxy()
      const [{ id } = { id: '' }] = await service.add(joke)
      expect(await service.jokes()).toHaveLength(1)
      await createJoke(openStore(store, configOf(inject('endpoint'))), { ...joke, joke: 'Not in memory yet' })
      proxy.plan = (operation) => (operation === 'Query' ? fault : undefined)
      expect(await service.jokes()).toMatchObject([{ id }])
      const aborted = { notRefreshed: expect.objectContaining({ name: 'AbortError' }) }
      if (isEndless) expect(logged).toContainEqual(aborted)
      proxy.plan = () => undefined
      // Unlike `expect.poll`, this may run in concurrent tests.
      await vi.waitFor(async () => expect(await service.jokes()).toHaveLength(2), 60_000)
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
    expectUnavailable(await service.thumbUp(id), 'unknown-outcome', null)
  })
})

describe('calls that fail or conflict', async () => {
  const { service, proxy, store } = await startBehindProxy()
  /** The same store for others, whose calls do not fail. */
  const near = openStore(store, configOf(inject('endpoint')))
  afterEach(() => {
    proxy.plan = () => undefined
  })

  it('only the log has the details of a 500, and a 404 stores and logs nothing', async () => {
    using _send = vi.spyOn(store.databaseOnce, 'send').mockRejectedValueOnce(new Error('the password is 1234'))
    const id = 'x'.repeat(22)
    const [failed, refused] = [await service.thumbUp(id), await service.thumbUp(id)]
    const { detail } = PROBLEMS.bug
    expectProblem(failed, { status: 500, title: 'Internal Server Error', code: 'bug', detail })
    const lineOf = ({ body }: Answer) => logged.find((line) => Object(line).apiRequestId === Object(body).requestId)
    expect(lineOf(failed)).toMatchObject({ error: new Error('the password is 1234') })
    expect([refused.status, lineOf(refused)]).toEqual([404, undefined])
    expect(await readItem(store, id)).toBeUndefined()
  })

  it('a new joke keeps an upvote that arrives before its retried put', async () => {
    const faults = first('drop after', 'PutItem')
    let isUpvoted = false
    proxy.plan = async (operation) => {
      const fault = await faults(operation, {})
      if (operation === 'PutItem' && fault === undefined && !isUpvoted) {
        isUpvoted = true
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

  it('an upvote reuses a connection, unless it was idle for long', async () => {
    const [id = ''] = await service.addTexts('Connecting')
    using connect = vi.spyOn(Agent.prototype, 'createConnection')
    expect([(await service.thumbUp(id)).status, connect.mock.calls]).toEqual([200, []])
    using _sixSecondsLater = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 6_000)
    expect([(await service.thumbUp(id)).status, connect.mock.calls.length]).toEqual([200, 1])
  })

  it('a change by an operator whose response is lost is done', async () => {
    const [id = ''] = await service.addTexts('Nobody answered.')
    for (const [action, after] of [
      ['remove', 'removed'],
      ['undo', 'listed'],
      ['remove', 'removed'],
      ['erase', 'erased'],
    ] as const) {
      proxy.plan = first('drop after', action === 'erase' ? 'PutItem' : 'UpdateItem')
      expect(await act(store, id, action)).toMatchObject({ result: 'done already', item: { jokeState: after } })
    }
  })

  it('a joke is removed by the first attempt although it is upvoted meanwhile', async () => {
    const [id = ''] = await service.addTexts('Popular')
    proxy.plan = async (operation) => {
      if (operation === 'UpdateItem') await thumbsUpJoke(near, id)
      return undefined
    }
    expect(await act(store, id, 'remove')).toMatchObject({ result: 'changed' })
    expect(await readItem(near, id)).toMatchObject({ jokeState: 'removed', thumbsUp: 1, edits: 1 })
  })

  it('a command gives up on a joke that others change again and again', async () => {
    const [id = ''] = await service.addTexts('Disputed')
    proxy.plan = async (operation) => {
      if (operation === 'UpdateItem') for (const action of ['remove', 'undo'] as const) await act(near, id, action)
      return undefined
    }
    await expect(act(store, id, 'remove')).rejects.toThrow(`Others keep changing the joke ${id}.`)
    expect(await readItem(near, id)).toMatchObject({ jokeState: 'listed', edits: 20 })
  })

  it('a joke that another client adds after a failed put is a duplicate', async () => {
    proxy.plan = async () => {
      proxy.plan = () => undefined
      await createJoke(near, v.parse(JokeInput, joke))
      return 'drop before' as const
    }
    expect(await service.create(joke)).toMatchObject({ status: 409, body: { code: 'duplicate', id: identify(joke) } })
  })

  it('failing calls leave exact data', async () => {
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
      else expectUnavailable(answer, 'unknown-outcome', null)
    }
    const numbers = Array(160).keys()
    const client = async () => {
      for (const number of numbers) await (number % 2 ? upvote() : create(number))
    }
    await Promise.all(Array.from({ length: 16 }, client))
    proxy.plan = () => undefined

    expect(added.length).toBeGreaterThan(20)
    for (const joke of added) expect(await service.jokes({ searchString: joke.joke })).toEqual([joke])
    const [{ thumbsUp } = { thumbsUp: 0 }] = await service.jokes({ id })
    expect(votes.acknowledged).toBeGreaterThan(40)
    expect(thumbsUp).toBeGreaterThanOrEqual(votes.acknowledged)
    expect(thumbsUp).toBeLessThanOrEqual(votes.sent)
  })
})

describe('attempts that arrive late', () => {
  const ATTEMPT_MS = 2_500

  /** Lets the first attempt take effect during the second one, which has none. */
  const firstIsLate = [{ until: () => setTimeout(1.6 * ATTEMPT_MS) }, 'hang'] as const
  const twoHang = ['hang', 'hang'] as const

  it.concurrent.for(
    (['create', 'remove', 'undo'] as const).flatMap((name) => [
      { name, faults: firstIsLate },
      { name, faults: twoHang },
    ]),
  )('what $name wrote is soon listed by another service: $faults', async ({ name, faults }, { onTestFinished }) => {
    const limits = { attemptMs: ATTEMPT_MS, connectMs: ATTEMPT_MS, operationMs: 4 * ATTEMPT_MS }
    const { service, proxy, store } = await startBehindProxy(limits)
    const id = identify(joke)
    if (name !== 'create') await service.add(joke)
    if (name === 'undo') await act(store, id, 'remove')
    const another = openStore(store, configOf(inject('endpoint')))
    const list = async () => (await listJokes(another, parseListing({}))).jokes
    // The other service lists all the time, so that its refreshes read the changes of ten seconds.
    const listing = setInterval(() => void list().catch(() => {}), 200)
    onTestFinished(() => clearInterval(listing))
    let attempt = 0
    proxy.plan = (operation) => {
      if (operation !== (name === 'create' ? 'PutItem' : 'UpdateItem')) return undefined
      const fault = faults[attempt++]
      return typeof fault === 'object' ? { until: fault.until() } : fault
    }
    if (name === 'create') expect((await service.create(joke)).status).toBe(201)
    else expect((await act(store, id, name)).result).toMatch(/changed|done already/)
    const expected = name === 'remove' ? [] : [joke]
    // Only once in a minute would it read older changes again.
    await vi.waitFor(async () => expect(await list()).toMatchObject(expected), 20_000)
  })

  it.each<[first: Action, last: Action, state: string]>([
    ['undo', 'remove', 'removed'],
    ['remove', 'undo', 'listed'],
    ['remove', 'erase', 'erased'],
  ])('the first attempt to %s changes nothing after a later command: %s', async (action, last, state) => {
    const { service, proxy, store } = await startBehindProxy(giveUpAfter(500))
    const [id = ''] = await service.addTexts('Late')
    if (action === 'undo') await act(store, id, 'remove')
    const later = Promise.withResolvers<void>()
    const effect = Promise.withResolvers<number>()
    let attempt = 0
    proxy.plan = (operation) =>
      operation === 'UpdateItem' && ++attempt === 1 ? { until: later.promise, onEffect: effect.resolve } : undefined
    expect(await act(store, id, action)).toMatchObject({ result: 'changed' })
    expect(await act(store, id, last)).toMatchObject({ result: 'changed' })
    const before = await readItem(store, id)
    later.resolve()
    expect(await effect.promise).toBe(400)
    expect(await readItem(store, id)).toEqual(before)
    expect(before?.jokeState).toBe(state)
  })
})

it('the page of a joke waits only for a moment for its preview', async () => {
  const { proxy, service } = await startBehindProxy({ ...PATIENT, previewMs: 1_000 })
  const [id = ''] = await service.addTexts('Slow')
  const open = async () => {
    const response = await fetch(`${service.url}/?id=${id}`)
    return { etag: response.headers.get('etag'), title: /og:title" content="(.*?)"/.exec(await response.text())?.[1] }
  }
  proxy.plan = () => 'hang'
  const general = await open()
  proxy.plan = () => undefined
  expect(general.title).toBe('Joke Service')
  const own = await vi.waitFor(async () => {
    const opened = await open()
    expect(opened.title).toBe('Slow')
    return opened
  }, 60_000)
  expect(own.etag).not.toBe(general.etag)
})
