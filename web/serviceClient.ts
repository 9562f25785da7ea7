/** The page's requests to the service. */
import { signal } from '@preact/signals'
import * as v from 'valibot'
import { PROBLEM_CODES, type ProblemCode } from '../shared/errors.ts'
import { nextPageOf } from '../shared/nextLink.ts'
import { ORDERS, type View } from './urlState.ts'

/** The fields of a joke that the page uses. A newer service may know more categories than the page. */
export const Joke = v.object({
  id: v.string(),
  joke: v.string(),
  punchline: v.string(),
  category: v.string(),
  thumbsUp: v.number(),
})
export type Joke = v.InferOutput<typeof Joke>

/** A problem document (RFC 9457). A newer service may send other codes. */
const Problem = v.object({
  code: v.optional(v.string()),
  errors: v.optional(v.array(v.object({ field: v.string() }))),
  /** The id of the equal joke that exists. */
  id: v.optional(v.string()),
})
type Problem = v.InferOutput<typeof Problem>

/** The longest wait for a response. It is longer than the timeout of the functions. */
const TIMEOUT_MS = 30_000

/** After this time, the page says that it is still waiting. */
const SLOW_MS = 3_000

/** The pause before the only repetition of a request, as in the service's `Retry-After`. */
const RETRY_MS = 1_000

/**
 * Why a request failed. Besides the service's codes, it is `offline` if the request was never sent, and `busy` if API
 * Gateway refused it. It is `unreachable` if no answer of the service came.
 */
type FailureCode = ProblemCode | 'offline' | 'busy' | 'unreachable'

export class Failure extends Error {
  readonly code: FailureCode
  readonly problem: Problem

  constructor(code: FailureCode, problem: Problem = {}) {
    super(code)
    this.code = code
    this.problem = problem
  }
}

/** Turns any error that is no `Failure` into one, as for a bug of the page. */
export function toFailure(error: unknown): Failure {
  return error instanceof Failure ? error : new Failure('bug')
}

/** Says to users why no jokes came. */
export function sentenceFor({ code }: Failure): string {
  if (code === 'offline') return "You're offline."
  if (code === 'busy') return 'Too many people at once. Try again in a moment.'
  if (code === 'unreachable' || code === 'unavailable') return "We can't reach the jokes right now."
  return 'Something went wrong on our side. Please reload the page.'
}

export interface ListPage {
  jokes: Joke[]
  /** URL of the next page. */
  next: string | undefined
  /** The number of jokes on all pages, or 0 if the service has not said. */
  total: number
}

/** 24 jokes fill the last row of two and of three columns. */
const PAGE_SIZE = 24

/** The URL of the first page of a view's jokes, which is at least as long as the part that is known. */
export function listingUrl(view: View, known = 0): string {
  return view.id === undefined
    ? filteredUrl(view, Math.max(PAGE_SIZE, known), ORDERS[view.order].query)
    : `/joke?id=${encodeURIComponent(view.id)}`
}

/** The URL of the first jokes that match a view, in an order of the service. */
export function filteredUrl({ search, categories }: View, count: number, order: string): string {
  const query = new URLSearchParams({ searchString: search.trim(), categories: `${categories}` })
  return `/joke?${query}&numberofJokes=${count}&${order}`
}

/** Gets a page of a listing. If the service is busy, asks once more. */
export async function getPage(url: string, signal?: AbortSignal): Promise<ListPage> {
  let response = await send(url, {}, signal)
  if (response.status === 429 || response.status === 503) {
    await pause()
    response = await send(url, {}, signal)
  }
  const jokes = await read(v.array(Joke), response, signal)
  return { jokes, next: nextPageOf(response)?.href, total: Number(response.headers.get('x-total-count')) }
}

/** @param fields the fields of the joke, by their names in the API */
export async function addJoke(fields: object, signal: AbortSignal): Promise<Joke> {
  const headers = { 'content-type': 'application/json' }
  const json = JSON.stringify(fields)
  return read(Joke, await send('/joke', { method: 'POST', headers, body: json }, signal), signal)
}

export async function upvoteJoke(id: string): Promise<Joke> {
  return read(Joke, await send(`/thumbsUp/${id}`, { method: 'POST' }))
}

export function pause(): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, RETRY_MS))
}

/** Whether the user has been waiting for so long that the page says so. */
const isSlow = signal(false)

/** Says what the user waits for. */
export function waitingFor(doing: string): string {
  return isSlow.value ? `Still ${doing}…` : `${doing[0]?.toUpperCase()}${doing.slice(1)}…`
}

/** Returns the result of a request for which the user waits. */
export async function awaited<Result>(request: Promise<Result>): Promise<Result> {
  const timer = setTimeout(() => {
    isSlow.value = true
  }, SLOW_MS)
  return request.finally(() => {
    clearTimeout(timer)
    isSlow.value = false
  })
}

/** @throws {Failure} if no response comes; the signal's reason if the signal aborts the request */
async function send(url: string, init: RequestInit, signal?: AbortSignal): Promise<Response> {
  const code = navigator.onLine ? 'unreachable' : 'offline'
  const end = AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...(signal ? [signal] : [])])
  return fetch(url, { ...init, signal: end }).catch(() => {
    signal?.throwIfAborted()
    throw new Failure(code)
  })
}

/** @throws {Failure} if the response is a problem or breaks off; the signal's reason if the signal aborts it */
async function read<Body>(schema: v.GenericSchema<Body>, response: Response, signal?: AbortSignal): Promise<Body> {
  const { ok, status } = response
  const body: unknown = await response.json().catch(() => signal?.throwIfAborted())
  if (ok && v.is(schema, body)) return body
  const problem = v.is(Problem, body) ? body : {}
  throw new Failure(codeOf(status, problem), problem)
}

/** API Gateway answers some requests itself, without a code. */
function codeOf(status: number, { code }: Problem): FailureCode {
  if (status === 429) return 'busy'
  if (status === 413) return 'too-large'
  return PROBLEM_CODES.find((known) => known === code) ?? 'unreachable'
}
