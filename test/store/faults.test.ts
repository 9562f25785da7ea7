/** The service while calls to the database fail, are slow or never end, and while clients compete. */
import { Agent } from 'node:http'
import * as v from 'valibot'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { PROBLEMS, type ProblemCode } from '../../shared/errors.ts'
import { identify, Joke } from '../../shared/joke.ts'
import { parseListing } from '../../shared/listing.ts'
import { createJoke, listJokes, thumbsUpJoke } from '../../shared/store/jokes.ts'
import { CACHE, type Limits } from '../../shared/store/limits.ts'
import { readItem } from '../../shared/store/reads.ts'
import { act } from '../../tools/changes.ts'
import { type Fault, first, startProxy } from '../support/faults.ts'
import { type Answer, expectProblem, openAgain, startService } from '../support/service.ts'

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
  return { attemptMs: milliseconds, operationMs: 4 * milliseconds }
}

/** The lines that services logged. The calls of a spy would be lost when a concurrent test starts. */
const logged: unknown[] = []

/**
 * Starts the service behind a proxy, until all tests have ended. Its logs are recorded, not printed. The calls
 * of the store `near`, on the same table, have no faults.
 */
async function startBehindProxy(limits: Partial<Limits> = {}) {
  for (const method of ['error', 'warn'] as const)
    vi.spyOn(console, method).mockImplementation((line) => void logged.push(line))
  const proxy = await startProxy()
  const service = await startService(limits, proxy.endpoint)
  stops.push(service.stop, proxy.stop)
  const { store } = service
  return { proxy, service, store, near: openAgain(store) }
}

/** Expects a 503 with this code, and the cause in the log. */
function expectUnavailable(answer: Answer, code: ProblemCode, retryAfter: string | null = '1'): void {
  const { detail } = PROBLEMS[code]
  expectProblem(answer, { status: 503, title: 'Service Unavailable', code, detail })
  expect(answer.headers.get('retry-after')).toBe(retryAfter)
  const error = expect.objectContaining({ name: 'ProblemError', code, message: detail })
  expect(logged).toContainEqual(expect.objectContaining({ error, cause: expect.any(Error) }))
}

it.concurrent.for(FAULTS)('a failed call is retried, but no upvote: %s', async ([fault, code, counted]) => {
  const { service, proxy } = await startBehindProxy(ENDLESS.includes(fault) ? giveUpAfter(3_000) : undefined)
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

it.concurrent.for(ENDLESS)('a refresh that never ends is aborted, and answered from memory: %s', async (fault) => {
  const { service, proxy, near } = await startBehindProxy()
  await service.addTexts('In memory')
  expect(await service.jokes()).toHaveLength(1)
  await createJoke(near, joke)
  proxy.plan = (operation) => (operation === 'Query' ? fault : undefined)
  expect(await service.jokes()).toHaveLength(1)
  expect(logged).toContainEqual({ notRefreshed: expect.objectContaining({ name: 'AbortError' }) })
  proxy.plan = () => undefined
  // Unlike `expect.poll`, this may run in concurrent tests.
  await vi.waitFor(async () => expect(await service.jokes()).toHaveLength(2), 60_000)
})

it.concurrent('a call that is never answered returns a 503 after some attempts', async () => {
  // Repeated calls reach the limit of the operation, and an upvote that of its only attempt.
  const { service, proxy } = await startBehindProxy({ ...giveUpAfter(300), operationMs: 700 })
  let call = 0
  proxy.plan = () => ENDLESS[call++ % ENDLESS.length]
  const id = 'x'.repeat(22)
  for (const query of [{}, { id }]) expectUnavailable(await service.list(query), 'unavailable')
  expectUnavailable(await service.create(joke), 'unknown-outcome')
  expectUnavailable(await service.thumbUp(id), 'unknown-outcome', null)
})

it.concurrent.for(['create', 'remove'] as const)('another service soon lists a late write: %s', async (name, test) => {
  const { service, proxy, store, near } = await startBehindProxy(giveUpAfter(2_500))
  if (name === 'remove') await service.add(joke)
  const list = async () => (await listJokes(near, parseListing({}))).jokes
  // The other service lists all the time, so that its refreshes read the changes of ten seconds.
  const listing = setInterval(() => void list().catch(() => {}), 200)
  test.onTestFinished(() => clearInterval(listing))
  const second = Promise.withResolvers<void>()
  let attempts = 0
  proxy.plan = (operation) => {
    if (!/Put|Update/.test(operation) || ++attempts > 2) return undefined
    // The first attempt takes effect during the second one, which has none.
    if (attempts === 1) return (takeEffect) => second.promise.then(takeEffect)
    second.resolve()
    return 'hang'
  }
  if (name === 'create') expect((await service.create(joke)).status).toBe(201)
  else expect((await act(store, identify(joke), 'remove')).state).toBe('removed')
  // Only once in a minute would it read older changes again.
  await vi.waitFor(async () => expect(await list()).toMatchObject(name === 'create' ? [joke] : []), 20_000)
})

it.concurrent('a late first attempt changes nothing after a later command', async () => {
  const { service, proxy, store } = await startBehindProxy(giveUpAfter(3_000))
  const [id = ''] = await service.addTexts('Late')
  const late = Promise.withResolvers<() => Promise<number>>()
  let attempts = 0
  proxy.plan = (operation) => (operation === 'UpdateItem' && ++attempts === 1 ? late.resolve : undefined)
  await act(store, id, 'remove')
  expect(await act(store, id, 'undo')).toMatchObject({ item: { jokeState: 'removed' }, state: 'listed' })
  const takeEffect = await late.promise
  expect(await takeEffect()).toBe(400)
  expect(await readItem(store, id)).toMatchObject({ jokeState: 'listed' })
})

describe('calls that fail or conflict', async () => {
  const { service, proxy, store, near } = await startBehindProxy()
  afterEach(() => {
    proxy.plan = () => undefined
  })

  it('only the log has the details of a 500', async () => {
    const error = new Error('the password is 1234')
    using _send = vi.spyOn(store.databaseOnce, 'send').mockRejectedValueOnce(error)
    const { detail } = PROBLEMS.bug
    const problem = { status: 500, title: 'Internal Server Error', code: 'bug', detail }
    expectProblem(await service.thumbUp('x'.repeat(22)), problem)
    expect(logged).toContainEqual(expect.objectContaining({ error }))
  })

  it('a new joke keeps an upvote that arrives before its retried put', async () => {
    const text = { ...joke, joke: 'Upvoted early' }
    let puts = 0
    proxy.plan = async (operation) => {
      if (operation !== 'PutItem') return undefined
      if (++puts === 1) return 'drop after'
      await thumbsUpJoke(near, identify(text))
      return undefined
    }
    const [added] = await service.add(text)
    expect(await service.jokes({ id: identify(text) })).toEqual([{ ...added, thumbsUp: 1 }])
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
    for (const action of ['remove', 'undo', 'remove', 'erase'] as const) {
      proxy.plan = first('drop after', 'UpdateItem', 'PutItem')
      const { item, state } = await act(store, id, action)
      expect(state).not.toBe(item?.jokeState)
      expect(await readItem(near, id)).toMatchObject({ jokeState: state, edits: Number(item?.edits) + 1 })
    }
  })

  it('a joke is removed by the first attempt although it is upvoted meanwhile', async () => {
    const [id = ''] = await service.addTexts('Popular')
    proxy.plan = async (operation) => {
      if (operation === 'UpdateItem') await thumbsUpJoke(near, id)
      return undefined
    }
    expect(await act(store, id, 'remove')).toMatchObject({ state: 'removed' })
    expect(await readItem(near, id)).toMatchObject({ jokeState: 'removed', thumbsUp: 1, edits: 1 })
  })

  it('a joke that another client adds after a failed put is a duplicate', async () => {
    proxy.plan = async () => {
      proxy.plan = () => undefined
      await createJoke(near, joke)
      return 'drop before' as const
    }
    expect(await service.create(joke)).toMatchObject({ status: 409, body: { code: 'duplicate', id: identify(joke) } })
  })

  it('failing calls leave exact data', async () => {
    const [id = ''] = await service.addTexts('Target')
    const added: Joke[] = []
    let acknowledged = 0
    const faults: Fault[] = ['drop before', 'drop after', 'fail before', 'fail after']
    let call = 0
    proxy.plan = () => faults[(7 * call++) % (5 * faults.length)]

    const create = async (number: number) => {
      const answer = await service.create({ joke: `Storm${100 + number} came`, category: 'Classic' })
      if (answer.status === 201) added.push(v.parse(Joke, answer.body))
      else expectUnavailable(answer, 'unknown-outcome')
    }
    const upvote = async () => {
      const answer = await service.thumbUp(id)
      if (answer.status === 200) acknowledged += 1
      else expectUnavailable(answer, 'unknown-outcome', null)
    }
    const sent = 80
    for (let number = 0; number < sent; number += 8)
      await Promise.all(Array.from({ length: 8 }, (_, client) => [create(number + client), upvote()]).flat())
    proxy.plan = () => undefined

    expect(added.length).toBeGreaterThan(20)
    for (const joke of added) expect(await service.jokes({ searchString: joke.joke })).toEqual([joke])
    const [{ thumbsUp } = { thumbsUp: 0 }] = await service.jokes({ id })
    expect(acknowledged).toBeGreaterThan(40)
    expect(thumbsUp).toBeGreaterThanOrEqual(acknowledged)
    expect(thumbsUp).toBeLessThanOrEqual(sent)
  })
})

it('the page of a joke waits only for a moment for its preview', async () => {
  const { proxy, service, store } = await startBehindProxy({ previewMs: 100 })
  const [id = ''] = await service.addTexts('Slow')
  const open = async () => (await fetch(`${service.url}/?id=${id}`)).text()
  const hang = vi.fn(() => 'hang' as const)
  proxy.plan = hang
  expect(await open()).toContain('og:title" content="Joke Service"')
  // It does not wait until the call has failed, and is repeated.
  expect(hang.mock.calls.length).toBeLessThan(2)
  Object.assign(store.limits, { previewMs: 60_000 })
  proxy.plan = () => undefined
  expect(await open()).toContain('og:title" content="Slow"')
})
