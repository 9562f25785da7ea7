/** The page's requests to the service. */
import type { Fault } from '../shared/errors.ts'
import type { Joke } from '../shared/joke.ts'
import { nextPageOf } from '../shared/nextLink.ts'
import { ORDERS, type View } from './urlState.ts'

/** Longer than the service may take for any answer. */
const TIMEOUT_MS = 15_000

/** The fields of the service's error documents (RFC 9457) that the page uses. */
interface Problem {
  /** The HTTP status; absent: the service did not answer. */
  status?: number
  detail?: string
  /** What is wrong with which field. */
  errors?: Fault[]
  /** The equal joke that already exists. */
  id?: string
}

/** Why a request failed. The message is for the user. */
export class Failure extends Error {
  /** `refused`: the service has answered with an error, or the page itself has failed. */
  readonly reason: 'offline' | 'unanswered' | 'refused'
  readonly problem: Problem
  /** The response's `Retry-After`, in seconds; 0: there is no automatic retry. */
  readonly retryAfter: number

  constructor(message: string, reason: Failure['reason'], problem: Problem = {}, retryAfter = 0) {
    super(message)
    this.reason = reason
    this.problem = problem
    this.retryAfter = retryAfter
  }
}

/** Turns anything that was thrown into a failure. */
export function toFailure(error: unknown): Failure {
  return error instanceof Failure
    ? error
    : new Failure('Something went wrong on this page. Please reload it.', 'refused')
}

export interface ListPage {
  jokes: Joke[]
  /** URL of the next page. */
  next: string | undefined
}

/** Fills the last row of two or three columns. */
const PAGE_SIZE = '24'

/** The URL of the first page of a view's jokes. */
export function listingUrl({ search, category, order, id }: View): string {
  if (id !== undefined) return `/joke?${new URLSearchParams({ id })}`
  const query = { searchString: search.trim(), category: category ?? '', numberofJokes: PAGE_SIZE }
  return `/joke?${new URLSearchParams(query)}&${ORDERS[order].query}`
}

/** The URL of two random jokes of a view: two, in case one of them is on the page already. */
export function randomUrl({ search, category }: View): string {
  const query = { searchString: search.trim(), category: category ?? '', sortBy: 'random', numberofJokes: '2' }
  return `/joke?${new URLSearchParams(query)}`
}

/** Gets a page of a listing. A page of a search may be empty although it has a next one. */
export async function getPage(url: string, signal?: AbortSignal): Promise<ListPage> {
  const response = await call(url, {}, signal)
  return { jokes: await response.json(), next: nextPageOf(response)?.href }
}

export async function addJoke(joke: Record<'joke' | 'punchline' | 'category', string>): Promise<Joke> {
  const headers = { 'content-type': 'application/json' }
  return (await call('/joke', { method: 'POST', headers, body: JSON.stringify(joke) })).json()
}

/** Upvotes a joke, and returns it as it is afterwards. */
export async function thumbUp(id: string): Promise<Joke> {
  return (await call(`/thumbsUp/${id}`, { method: 'POST' })).json()
}

/** @throws {Failure} if the request fails; the signal's reason if the signal aborts it */
async function call(url: string, init: RequestInit, signal?: AbortSignal): Promise<Response> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  const end = signal === undefined ? timeout : AbortSignal.any([timeout, signal])
  const response = await fetch(url, { ...init, signal: end }).catch((error) => {
    if (signal?.aborted) throw error
    throw navigator.onLine
      ? new Failure('The service does not answer.', 'unanswered')
      : new Failure('You are offline.', 'offline')
  })
  if (response.ok) return response
  const { status } = response
  const problem: Problem = { ...(await response.json().catch(() => ({}))), status }
  const message = problem.detail ?? `The service answers ${status}.`
  throw new Failure(message, 'refused', problem, Number(response.headers.get('retry-after')))
}

/** The longest wait before a retry, in seconds. */
const MAX_WAIT = 60

/**
 * Makes a request, and retries it as long as each failure says when to retry. Each wait doubles.
 *
 * @param onWait called with the failure, and each second with the seconds left until the retry
 */
export async function withRetries<Result>(
  request: () => Promise<Result>,
  onWait: (failure: Failure, secondsLeft: number) => void,
  signal: AbortSignal,
): Promise<Result> {
  for (let factor = 1; ; factor *= 2) {
    try {
      return await request()
    } catch (error) {
      const failure = toFailure(error)
      if (signal.aborted || !(failure.retryAfter > 0)) throw error
      for (let left = Math.min(failure.retryAfter * factor, MAX_WAIT); left > 0; left--) {
        onWait(failure, left)
        await waitSecond(signal)
        signal.throwIfAborted()
      }
      onWait(failure, 0)
    }
  }
}

/** Waits for a second, or until the signal aborts. */
function waitSecond(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => {
    setTimeout(resolve, 1_000)
    signal.addEventListener('abort', resolve)
  })
}
