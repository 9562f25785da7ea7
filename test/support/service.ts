/** The service over HTTP, as its clients use it. Each start creates a new table. */
import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import * as v from 'valibot'
import { expect, inject, vi } from 'vitest'
import { configOf, createTable } from '../../infra/local/localDatabase.ts'
import { handlersOf, startServer } from '../../infra/local/server.ts'
import { Joke, type JokeInput } from '../../shared/joke.ts'
import { nextPageOf } from '../../shared/nextLink.ts'
import type { Site } from '../../shared/site/files.ts'
import { LIMITS, type Limits } from '../../shared/store/limits.ts'
import { openStore, type Store } from '../../shared/store/store.ts'
import { encodedSite } from '../../web/site.ts'
import { checkAnswer } from './contract.ts'

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
 * Starts the service with an empty table, on the database of the Vitest project or a proxy in front of it. The given
 * limits override those of `limits.ts`.
 */
export async function startService(limits: Partial<Limits> = {}, endpoint = inject('endpoint')) {
  const store = await createStore(limits, endpoint)
  const server = await startServer(handlersOf(store, buildSiteOnce), 0, () => {})
  return Object.assign(new Service(`http://127.0.0.1:${server.port}`, server.stop), { store })
}

/** A service in this process. */
export type StartedService = Service & { store: Store }

/**
 * Opens the service of the contract's tests: the one at `SERVICE_URL`, which may have any jokes, or one in this process.
 * Its type has no store, so that these tests only send requests.
 */
export async function openService(): Promise<OpenedService> {
  const url = inject('serviceUrl')
  if (url !== undefined) {
    const { headers } = await fetch(new URL('/joke?numberofJokes=1', url))
    return new OpenedService(url, headers.get('server')?.startsWith('Werkzeug'))
  }
  const started = await startService()
  return new OpenedService(started.url, false, started.stop)
}

/** Creates a store with an empty table. */
export async function createStore(limits: Partial<Limits> = {}, endpoint = inject('endpoint')): Promise<Store> {
  const config = configOf(endpoint)
  const jokesTable = `Jokes-${randomUUID()}`
  await createTable(jokesTable, config)
  return openStore({ jokesTable }, config, { ...LIMITS, ...limits })
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

  /** All pages of a listing. */
  pages(query: Record<string, string> = {}): Promise<Joke[][]> {
    return Array.fromAsync(this.follow(query))
  }

  /** Requests the pages of a listing one by one. */
  async *follow(query: Record<string, string> = {}): AsyncGenerator<Joke[]> {
    let url: URL | undefined = new URL(`/joke?${new URLSearchParams(query)}`, this.url)
    while (url !== undefined) {
      const answer: Answer = await this.request(url)
      url = nextPageOf({ headers: answer.headers, url: url.href })
      yield v.parse(v.array(Joke), expectStatus(200, answer))
    }
  }

  /** The cursor in the `Link` header of a listing's first page. */
  async cursor(query: Record<string, string> = {}): Promise<string> {
    const { headers } = await this.list(query)
    return `${nextPageOf({ headers, url: this.url })?.searchParams.get('cursor')}`
  }
}

/** A service whose listings may lag behind its writes, and have jokes of other tests. */
class OpenedService extends Service {
  /** A word that no joke has yet. The jokes of a test file contain it, so that searches for it find no others. */
  readonly word = randomWord()
  /**
   * Whether it is `sam local start-api`. Unlike API Gateway, it exposes no headers to pages, and keeps capitals in names of
   * request headers. It answers bodies that are not in UTF-8 with 502, and unknown routes with 403.
   */
  readonly isSam: boolean

  constructor(url: string, isSam = false, stop?: () => Promise<void>) {
    super(url, stop)
    this.isSam = isSam
  }

  override async request(path: string | URL, init?: RequestInit): Promise<Answer> {
    const answer = await super.request(path, init)
    if (answer.status !== 429) return answer
    await setTimeout(Number(answer.headers.get('retry-after') ?? 0.5) * 1_000)
    return this.request(path, init)
  }

  /** Adds new jokes that contain the word, and waits until listings have them. */
  override async add(...jokes: Sent[]): Promise<Joke[]> {
    const added = await super.add(...jokes)
    await this.expectFound(this.word, added)
    return added
  }

  /** Waits until a search for a word finds these jokes, with these votes. */
  async expectFound(searchString: string, jokes: Joke[]): Promise<void> {
    const find = async () => (await this.pages({ searchString, numberofJokes: '250' })).flat()
    // Unlike `expect.poll`, this may also run before the tests.
    await vi.waitFor(async () => expect(await find()).toEqual(expect.arrayContaining(jokes)), 10_000)
  }
}

/** A word that no joke has yet. */
function randomWord(): string {
  return `w${randomBytes(8).toString('hex')}`
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
