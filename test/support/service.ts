/** The service over HTTP, as its clients use it. Each start creates a new table. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import * as v from 'valibot'
import { afterAll, beforeEach, expect, inject, vi } from 'vitest'
import { configOf, createTable } from '../../infra/local/localDatabase.ts'
import { type Handlers, handlersOf, startServer } from '../../infra/local/server.ts'
import { type FunctionName, mapFunctions, TABLE_CALLS } from '../../infra/routes.ts'
import { Joke, type JokeInput } from '../../shared/joke.ts'
import { nextPageOf } from '../../shared/nextLink.ts'
import type { Site } from '../../shared/site/files.ts'
import { CACHE, LIMITS, type Limits } from '../../shared/store/limits.ts'
import { openStore, type Store } from '../../shared/store/store.ts'
import { encodedSite } from '../../web/site.ts'
import { checkAnswer } from './contract.ts'

const PATIENT = { ...LIMITS, connectMs: 60_000, attemptMs: 60_000, operationMs: 60_000, previewMs: 60_000 }

export interface Answer {
  status: number
  headers: Headers
  body: unknown
}

let site: Promise<Site> | undefined

/** Builds the page only once, because tests open it many times. */
export function buildSiteOnce(): Promise<Site> {
  site ??= encodedSite()
  return site
}

/**
 * Starts the service with an empty table, on the database of the Vitest project or a proxy in front of it. The
 * default limits are longer than any call on a busy machine.
 */
export async function startService(limits: Partial<Limits> = {}, endpoint = inject('endpoint')) {
  const store = await createStore(limits, endpoint)
  const server = await startServer(withRights(handlersOf(store, buildSiteOnce), store), 0, () => {})
  return Object.assign(new Service(`http://127.0.0.1:${server.port}`, server.stop), { store })
}

/** Returns handlers whose calls to the database fail, as on AWS, unless their functions have the right to make them. */
function withRights(handlers: Handlers, store: Store): Handlers {
  const running = new AsyncLocalStorage<FunctionName>()
  for (const client of [store.database, store.databaseOnce])
    client.middlewareStack.add((next, { commandName }) => (args) => {
      const name = running.getStore()
      if (name && !TABLE_CALLS[name].some((call) => commandName === `${call}Command`))
        throw new Error(`${name} may not make the call ${commandName}: see TABLE_CALLS in infra/routes.ts.`)
      return next(args)
    })
  return mapFunctions((name) => (event, context) => running.run(name, () => handlers[name](event, context)))
}

/** Creates a store with an empty table. */
export async function createStore(limits: Partial<Limits> = {}, endpoint = inject('endpoint')): Promise<Store> {
  const config = configOf(endpoint)
  const jokesTable = `Jokes-${randomUUID()}`
  await createTable(jokesTable, config)
  return openStore({ jokesTable }, config, { ...PATIENT, ...limits })
}

/** Opens another store on the same table, as another process does. */
export function openAgain({ jokesTable }: Store): Store {
  return openStore({ jokesTable }, configOf(inject('endpoint')), PATIENT)
}

/** Lets each listing of the file's tests wait for its refresh, so that it shows what others have just written. */
export function waitForRefreshes(): void {
  beforeEach(() => void vi.spyOn(CACHE, 'refreshMs', 'get').mockReturnValue(60_000))
  afterAll(() => void vi.restoreAllMocks())
}

/** The body with which a client adds a joke. */
type Sent = Omit<v.InferInput<typeof JokeInput>, 'category'> & { category: string }

export class Service {
  readonly url: string
  readonly stop: () => Promise<void>

  constructor(url: string, stop = async () => {}) {
    this.url = url
    this.stop = stop
  }

  /**
   * Sends any request.
   *
   * @throws {Error} if `openapi.json` does not describe the answer
   */
  async request(path: string | URL, init?: RequestInit): Promise<Answer> {
    const response = await fetch(new URL(path, this.url), init)
    const text = await response.text()
    const { status, headers } = response
    const isText = headers.get('content-type')?.startsWith('text/plain')
    const answer = { status, headers, body: isText ? text : text === '' ? undefined : JSON.parse(text) }
    checkAnswer(init?.method ?? 'GET', response.url, answer)
    return answer
  }

  /** POST /joke */
  create(body: unknown): Promise<Answer> {
    const headers = { 'content-type': 'application/json' }
    return this.request('/joke', { method: 'POST', headers, body: JSON.stringify(body) })
  }

  /** GET /joke */
  list(query: Record<string, string> = {}): Promise<Answer> {
    return this.request(`/joke?${new URLSearchParams(query)}`)
  }

  /** POST /thumbsUp/{id} */
  thumbUp(id: string): Promise<Answer> {
    return this.request(`/thumbsUp/${id}`, { method: 'POST' })
  }

  /** Adds new jokes, and returns the jokes of the responses. */
  async add(...jokes: Sent[]): Promise<Joke[]> {
    const added: Joke[] = []
    for (const joke of jokes) added.push(v.parse(Joke, expectStatus(201, await this.create(joke))))
    return added
  }

  /** Adds new jokes without punchlines, and returns their ids in this order. */
  async addTexts(...texts: string[]): Promise<string[]> {
    return (await this.add(...texts.map((joke) => ({ joke, category: 'Classic' })))).map(({ id }) => id)
  }

  /** The jokes on the first page of a listing. */
  async jokes(query: Record<string, string> = {}): Promise<Joke[]> {
    return v.parse(v.array(Joke), expectStatus(200, await this.list(query)))
  }

  /** Requests all pages of a listing, one by one. */
  async pages(query: Record<string, string> = {}): Promise<Joke[][]> {
    const pages: Joke[][] = []
    let url: URL | undefined = new URL(`/joke?${new URLSearchParams(query)}`, this.url)
    while (url !== undefined) {
      const answer = await this.request(url)
      pages.push(v.parse(v.array(Joke), expectStatus(200, answer)))
      url = nextPageOf({ headers: answer.headers, url: url.href })
    }
    return pages
  }

  /** The cursor in the `Link` header of a listing's first page. */
  async cursor(query: Record<string, string> = {}): Promise<string> {
    const { headers } = await this.list(query)
    return `${nextPageOf({ headers, url: this.url })?.searchParams.get('cursor')}`
  }
}

/** Expects a problem document (RFC 9457) with these members, `type` and `requestId` aside, and no others. */
export function expectProblem({ status, headers, body }: Answer, members: { status: number; [name: string]: unknown }) {
  expect(status).toBe(members.status)
  expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
  expect(body).toEqual({ type: 'about:blank', requestId: expect.any(String), ...members })
}

/** The ids of jokes, sorted. */
export function idsOf(jokes: { id: string }[]): string[] {
  return jokes.map(({ id }) => id).toSorted()
}

/** Returns the body of an answer, and throws if the answer has another status. */
function expectStatus(status: number, answer: Answer): unknown {
  if (answer.status !== status)
    throw new Error(`Expected ${status}, got ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body
}
