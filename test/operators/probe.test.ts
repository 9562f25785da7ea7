/** The probe, on a schedule and before a deploy. `npm run smoke` has tests of its own. */
import { text as textOf } from 'node:stream/consumers'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { lambdaContext } from '../../infra/local/invocation.ts'
import { type Handlers, handlersOf } from '../../infra/local/server.ts'
import { handler as beforeTraffic } from '../../probe/beforeTraffic.ts'
import { type Ask, askAt, probe } from '../../probe/checks.ts'
import { handler as scheduled } from '../../probe/schedule.ts'
import { emptyTables, itemsOf, put } from '../support/access.ts'
import { listen } from '../support/listen.ts'
import { startService } from '../support/service.ts'

const service = await startService()
const { store } = service
beforeEach(() => emptyTables(store))
afterEach(() => void vi.unstubAllEnvs())
afterAll(service.stop)

const text = { joke: 'Is this a joke about probes?', punchline: 'It is.', category: 'French humour' }
const everything = async () => [await itemsOf(store, store.jokesTable), await itemsOf(store, store.wordsTable)]

describe('the probe', () => {
  it('finds nothing wrong with the service, and changes nothing', async () => {
    const lines: string[] = []
    await probe(askAt(service.url), (line) => lines.push(line))
    expect(lines.at(-1)).toBe('No jokes with words yet, so there is nothing to search for.')
    await service.add(text)
    const before = await everything()
    await probe(askAt(`${service.url}/`), (line) => lines.push(line))
    expect(lines.at(-1)).toBe('It adds no joke twice.')
    expect(await everything()).toEqual(before)
  })

  it('does not add a joke whose text was edited by hand', async () => {
    const [joke] = await service.add(text)
    await put(store, store.jokesTable, { ...joke, joke: 'Edited', shelf: text.category, words: ' edited' })
    await probe(askAt(service.url))
    expect(await itemsOf(store, store.jokesTable)).toHaveLength(1)
  })

  it.each<[string, object, { status?: number; body?: string }, RegExp]>([
    ['a listing that fails', { routeKey: 'GET /joke' }, { status: 500 }, /^GET \/joke is answered 500 instead of 200/],
    ['HTML', { routeKey: 'GET /joke' }, { body: '<html>' }, /not answered with JSON: <html>$/],
    ['jokes of another shape', { routeKey: 'GET /joke' }, { body: '[{"id":7}]' }, /wrong shape/],
    ['an empty search', { query: expect.objectContaining({ searchString: text.joke }) }, { body: '[]' }, /not list/],
    [
      'an empty answer to an id',
      { query: expect.objectContaining({ id: expect.anything() }) },
      { body: '[]' },
      /not list/,
    ],
    ['a joke that is added twice', { routeKey: 'POST /joke' }, { status: 201 }, /201 instead of 409/],
    ['an upvote that is wrongly refused', { routeKey: 'POST /thumbsUp/{id}' }, { status: 400 }, /400 instead of 404/],
  ])('notices %s', async (_, which, wrong, message) => {
    await service.add(text)
    const ask = askAt(service.url)
    const asked: Ask = async (question) => {
      const right = await ask(question)
      return expect.objectContaining(which).asymmetricMatch(question) ? { ...right, ...wrong } : right
    }
    await expect(probe(asked)).rejects.toThrow(message)
  })

  it('fails on its schedule while the service does not answer', async () => {
    vi.stubEnv('API_URL', service.url)
    await expect(scheduled()).resolves.toBeUndefined()
    vi.stubEnv('API_URL', 'http://127.0.0.1:1')
    await expect(scheduled()).rejects.toThrow(/^GET \/joke is not answered: /)
  })
})

describe('before a deploy', () => {
  const VERSIONS = { 'GET /joke': 'List', 'POST /joke': 'Create', 'POST /thumbsUp/{id}': 'ThumbsUp' }

  /** What the hook tells CodeDeploy, if the functions have these versions. Stands in for Lambda and CodeDeploy. */
  async function outcome(handlers: Handlers): Promise<unknown> {
    const calls: Record<string, Handlers[keyof Handlers]> = { ...handlers }
    const reports: unknown[] = []
    const { server, url } = await listen(async (request, response) => {
      const body = JSON.parse(await textOf(request))
      const [, version = ''] = /functions\/(.+)\/invocations/.exec(decodeURIComponent(`${request.url}`)) ?? []
      const fail = (error: unknown) => {
        response.setHeader('x-amz-function-error', 'Unhandled')
        return { errorMessage: `${error}` }
      }
      if (version === '') reports.push(body)
      response.end(JSON.stringify((await calls[version]?.(body, lambdaContext(version)).catch(fail)) ?? {}))
    })
    for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'local')
    vi.stubEnv('AWS_ENDPOINT_URL', url)
    vi.stubEnv('VERSIONS', JSON.stringify(VERSIONS))
    await beforeTraffic({ DeploymentId: 'd-1', LifecycleEventHookExecutionId: 'e-1' })
    server.close()
    return reports
  }
  const report = (status: string) => [{ deploymentId: 'd-1', lifecycleEventHookExecutionId: 'e-1', status }]

  it('lets new versions through that answer the probe', async () => {
    await service.add(text)
    const before = await everything()
    expect(await outcome(handlersOf(store))).toEqual(report('Succeeded'))
    expect(await everything()).toEqual(before)
  })

  it.each(['Create', 'List', 'ThumbsUp'] as const)('stops a deploy whose %s crashes', async (name) => {
    await service.add(text)
    const error = vi.spyOn(console, 'error').mockReturnValue()
    const crash = () => Promise.reject(new Error('Cannot load'))
    expect(await outcome({ ...handlersOf(store), [name]: crash })).toEqual(report('Failed'))
    expect(String(error.mock.calls[0]?.[0])).toContain('Cannot load')
    error.mockRestore()
  })
})
