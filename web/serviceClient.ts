/** The page's requests to the service. */
import * as v from 'valibot'
import { nextPageOf } from '../shared/nextLink.ts'
import { type Problem, problemIn } from '../shared/problem.ts'
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

const Jokes = v.array(Joke)

const UNREACHABLE = "We can't reach the jokes right now."
const TOO_MANY = 'Too many people at once. Try again in a moment.'

/** The longest wait for a response. It is longer than the timeout of the functions. */
const TIMEOUT_MS = 15_000

/** The pause before the only retry of a listing, as in the service's `Retry-After`. */
const RETRY_MS = 1_000

/** Why a request failed. The message is for the user. */
export class Failure extends Error {
  readonly isOffline = !navigator.onLine
  readonly problem: Problem

  constructor(message: string, problem: Problem = {}) {
    super(message)
    this.problem = problem
  }
}

/** Turns any error that is no `Failure` into one. */
export function toFailure(error: unknown): Failure {
  return error instanceof Failure ? error : new Failure('Something went wrong. Please reload the page.')
}

export interface ListPage {
  jokes: Joke[]
  /** URL of the next page. */
  next: string | undefined
  /** The number of jokes on all pages, or `undefined` if the service has not said. */
  total: number | undefined
}

/** 24 jokes fill the last row of two and of three columns. */
const PAGE_SIZE = 24

/** The URL of the first page of a view's jokes. */
export function listingUrl(view: View): string {
  return view.id === undefined
    ? filteredUrl(view, PAGE_SIZE, ORDERS[view.order].query)
    : `/joke?id=${encodeURIComponent(view.id)}`
}

/** The URL of ten random jokes that match a view. */
export function randomUrl(view: View): string {
  return filteredUrl(view, 10, 'sortBy=random')
}

function filteredUrl({ search, categories }: View, count: number, order: string): string {
  const query = new URLSearchParams({ searchString: search.trim(), categories: `${categories}` })
  return `/joke?${query}&numberofJokes=${count}&${order}`
}

/** Gets a page of a listing. If the service is busy, asks once more. */
export async function getPage(url: string, signal?: AbortSignal): Promise<ListPage> {
  let response = await send(url, {}, signal)
  if (response.status === 429 || response.status === 503) {
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    response = await send(url, {}, signal)
  }
  const jokes = await read(Jokes, response, signal)
  const total = Number(response.headers.get('x-total-count')) || undefined
  return { jokes, next: nextPageOf(response)?.href, total }
}

/** @param fields the fields of the joke, by their names in the API */
export async function addJoke(fields: FormData, signal: AbortSignal): Promise<Joke> {
  const headers = { 'content-type': 'application/json' }
  const json = JSON.stringify(Object.fromEntries(fields))
  return read(Joke, await send('/joke', { method: 'POST', headers, body: json }, signal), signal)
}

/** Upvotes a joke, and returns it with the new count. */
export async function upvoteJoke(id: string): Promise<Joke> {
  return read(Joke, await send(`/thumbsUp/${id}`, { method: 'POST' }))
}

/** @throws {Failure} if no response comes; the signal's reason if the signal aborts the request */
async function send(url: string, init: RequestInit, signal?: AbortSignal): Promise<Response> {
  const end = AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...(signal ? [signal] : [])])
  return fetch(url, { ...init, signal: end }).catch(() => {
    signal?.throwIfAborted()
    throw new Failure(navigator.onLine ? UNREACHABLE : "You're offline.")
  })
}

/** @throws {Failure} if the response is a problem or breaks off; the signal's reason if the signal aborts it */
async function read<Body>(schema: v.GenericSchema<Body>, response: Response, signal?: AbortSignal): Promise<Body> {
  const { ok, status } = response
  const body: unknown = await response.json().catch(() => signal?.throwIfAborted())
  if (ok && v.is(schema, body)) return body
  const problem = problemIn(body)
  // Details of a 5xx are for programmers.
  throw new Failure(status === 429 ? TOO_MANY : (status < 500 && problem.detail) || UNREACHABLE, problem)
}
