/** The service as its clients see it: over HTTP, each with tables of its own. */
import { randomUUID } from 'node:crypto'
import * as v from 'valibot'
import { inject, vi } from 'vitest'
import { createTables, LOCAL_ENVIRONMENT } from '../../infra/local/localDatabase.ts'
import { loadHandlers, startServer } from '../../infra/local/server.ts'
import { Joke } from '../../shared/joke.ts'
import { nextPageOf } from '../../shared/nextLink.ts'
import type * as Limits from '../../shared/store/limits.ts'
import { checkAnswer } from './contract.ts'

export interface Answer {
  status: number
  headers: Headers
  body: unknown
}

/**
 * Starts the service on the project's database, with empty tables.
 *
 * @param limits overrides constants of `limits.ts`
 * @param endpoint of the database, or of a proxy in front of it
 */
export async function startService(
  limits: { [Name in keyof typeof Limits]?: number } = {},
  endpoint = inject('endpoint'),
) {
  Object.assign(process.env, LOCAL_ENVIRONMENT, {
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    JOKES_TABLE: `Jokes-${randomUUID()}`,
    WORDS_TABLE: `JokeWords-${randomUUID()}`,
  })
  await createTables()
  // The functions read limits and environment when they are loaded.
  vi.resetModules()
  vi.doMock('../../shared/store/limits.ts', async (original) => ({ ...(await original<object>()), ...limits }))
  const handlers = loadHandlers()
  await handlers
  const server = await startServer(handlers, 0, () => {})
  return new Service(`http://127.0.0.1:${server.port}`, server.stop)
}

export class Service {
  readonly url: string
  readonly stop: () => Promise<void>

  constructor(url: string, stop: () => Promise<void>) {
    this.url = url
    this.stop = stop
  }

  /** Any request; its answer must be one that `openapi.json` describes. */
  async request(path: string, init?: RequestInit): Promise<Answer> {
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
    return this.request('/joke', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  }

  /** GET /joke */
  list(query: Record<string, string> = {}): Promise<Answer> {
    return this.request(`/joke?${new URLSearchParams(query)}`)
  }

  /** POST /thumbsUp/{id} */
  thumbUp(id: string): Promise<Answer> {
    return this.request(`/thumbsUp/${id}`, { method: 'POST' })
  }

  /** Adds jokes that are new, and returns them as the service did. */
  async add(...jokes: object[]): Promise<Joke[]> {
    const added: Joke[] = []
    for (const joke of jokes) added.push(v.parse(Joke, expectStatus(201, await this.create(joke))))
    return added
  }

  /** The jokes on one page of a listing. */
  async jokes(query: Record<string, string> = {}): Promise<Joke[]> {
    return v.parse(v.array(Joke), expectStatus(200, await this.list(query)))
  }

  /** All pages of a listing, following the links. */
  async pages(query: Record<string, string> = {}): Promise<Joke[][]> {
    const pages: Joke[][] = []
    for await (const page of this.follow(query)) pages.push(page)
    return pages
  }

  /** One page of a listing after the other; what happens between them is up to the caller. */
  async *follow(query: Record<string, string> = {}): AsyncGenerator<Joke[]> {
    for (let path: string | undefined = `/joke?${new URLSearchParams(query)}`; path !== undefined; ) {
      const answer: Answer = await this.request(path)
      path = nextOf(answer, path)
      yield v.parse(v.array(Joke), expectStatus(200, answer))
    }
  }
}

/** The body of an answer that must have a status. */
function expectStatus(status: number, answer: Answer): unknown {
  if (answer.status !== status)
    throw new Error(`Expected ${status}, got ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** The path of the next page. */
function nextOf({ headers }: Answer, path: string): string | undefined {
  const next = nextPageOf({ headers, url: `http://localhost${path}` })
  return next && next.pathname + next.search
}
