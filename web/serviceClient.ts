/** The page's requests to the service. */
import * as v from 'valibot'
import { PROBLEM_CODES } from '../shared/errors.ts'
import { nextPageOf } from '../shared/nextLink.ts'
import { ORDERS, type View } from './urlState.ts'

/** The fields of a joke that the page uses. A newer service may know more categories than the page. */
const Joke = v.object({
  id: v.string(),
  joke: v.string(),
  punchline: v.string(),
  category: v.string(),
  thumbsUp: v.number(),
})
export type Joke = v.InferOutput<typeof Joke>

/**
 * Why a request failed, the cause of its error. Besides the service's codes, there is `offline` if the request was never
 * sent, `busy` if API Gateway refused it, and `unreachable` for everything else, including the codes of a newer service.
 */
const Problem = v.fallback(
  v.object({
    code: v.fallback(v.picklist([...PROBLEM_CODES, 'offline', 'busy', 'unreachable']), 'unreachable'),
    errors: v.optional(v.array(v.object({ field: v.string() })), []),
    /** The id of the equal joke that exists. */
    id: v.optional(v.string()),
  }),
  { code: 'unreachable', errors: [] },
)
export type Problem = v.InferOutput<typeof Problem>

/** The longest wait for a response. It is longer than the timeout of the functions. */
const TIMEOUT_MS = 30_000

/** The longest pause before a request is repeated, in seconds. After a longer one, users repeat it themselves. */
const MAX_RETRY_AFTER = 5

/** Returns why a request failed. An error without a cause is a bug of the page. */
export function problemOf(error: unknown): Problem {
  return v.parse(Problem, error instanceof Error && error.cause ? error.cause : { code: 'bug' })
}

/** Says to users why no jokes came. */
export function sentenceFor({ code }: Problem): string {
  if (code === 'offline') return 'You’re offline.'
  if (code === 'busy') return 'Everyone wants a joke right now. Give us a moment, then try again.'
  if (code === 'unreachable' || code === 'unavailable') return 'We can’t reach the jokes right now.'
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

/** The URL of the first page of a view's jokes. */
export function listingUrl(view: View): string {
  return view.id === undefined ? filteredUrl(view, ORDERS[view.order].query) : `/joke?id=${encodeURIComponent(view.id)}`
}

/** The URL of the first jokes that match a view, in an order of the service. */
export function filteredUrl({ search, categories }: View, order: string): string {
  const query = new URLSearchParams({ searchString: search.trim(), categories: `${categories}` })
  return `/joke?${query}&numberofJokes=${PAGE_SIZE}&${order}`
}

/** The URL of a page with all jokes that are missing, as far as the service allows, or with the usual number. */
export function withMissing(url: string, missing: number): string {
  return url.replace(/(?<=numberofJokes=)\d+/, `${Math.max(PAGE_SIZE, missing)}`)
}

export async function getPage(url: string): Promise<ListPage> {
  const response = await send(url)
  const jokes = await read(v.array(Joke), response)
  return { jokes, next: nextPageOf(response)?.href, total: Number(response.headers.get('x-total-count')) }
}

/** The joke as JSON that the service may have added without saying so. */
let unconfirmed: unknown

/**
 * Adds a joke, or finds the equal one. If an earlier attempt was not confirmed, the equal joke counts as new.
 *
 * @param fields the fields of the joke, by their names in the API
 * @returns whether the joke is new, and its id, unless it is known to wait for approval
 */
export async function addJoke(fields: object): Promise<{ isNew: boolean; id?: string | undefined }> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify(fields)
  try {
    const { id } = await read(Joke, await send('/joke', { method: 'POST', headers, body }))
    return { isNew: true, id }
  } catch (error) {
    const { code, id } = problemOf(error)
    if (code === 'duplicate' || code === 'waiting') return { isNew: body === unconfirmed, id }
    throw error
  }
}

export async function upvoteJoke(id: string): Promise<Joke> {
  return read(Joke, await send(`/thumbsUp/${id}`, { method: 'POST' }))
}

export function pause(seconds: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, 1_000 * seconds))
}

/**
 * Sends a request, and sends it once more after the pause in `Retry-After`. An upvote that may have been counted has no
 * such header, nor has a 429 of API Gateway, so the user decides.
 *
 * @throws {Error} if no response comes
 */
async function send(url: string, init?: RequestInit, isRepeated = false): Promise<Response> {
  const code = navigator.onLine ? 'unreachable' : 'offline'
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => undefined)
  if (init?.body && (response ? response.status >= 500 : code === 'unreachable')) unconfirmed = init.body
  if (!response) throw new Error(code, { cause: { code } })
  const seconds = Number(response.headers.get('retry-after'))
  const mayRepeat = seconds > 0 && seconds <= MAX_RETRY_AFTER
  if (!mayRepeat || isRepeated) return response
  await pause(seconds)
  return send(url, init, true)
}

/** @throws {Error} if the response is a problem or breaks off */
async function read<Body>(schema: v.GenericSchema<Body>, response: Response): Promise<Body> {
  const body: unknown = await response.json().catch(() => ({}))
  if (response.ok && v.is(schema, body)) return body
  // API Gateway refuses requests without a code.
  const cause = response.status === 429 ? { code: 'busy' } : body
  throw new Error(response.statusText, { cause })
}
