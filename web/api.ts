/** The service, as the page uses it. */
import type { Fault } from '../shared/errors.ts'
import type { Joke } from '../shared/joke.ts'

/** The service's functions end after 10 seconds. */
const TIMEOUT_MS = 15_000

/** Why something did not work, in a sentence for a person. */
export class Failure extends Error {
  /** What is wrong with which field. */
  readonly faults: Fault[]
  /** The joke that is there already. */
  readonly duplicateOf: string | undefined

  constructor(message: string, faults: Fault[] = [], duplicateOf?: string) {
    super(message)
    this.faults = faults
    this.duplicateOf = duplicateOf
  }
}

export interface Page {
  jokes: Joke[]
  /** Address of the next page. */
  next: string | undefined
}

/** Gets a page of a listing. Searching a large collection may take several requests until something is found. */
export async function getPage(address: string, signal?: AbortSignal): Promise<Page> {
  for (let next = address; ; ) {
    const response = await call(next, {}, signal)
    const jokes: Joke[] = await response.json()
    const link = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1]
    if (link === undefined) return { jokes, next: undefined }
    next = new URL(link, response.url).href
    if (jokes.length > 0) return { jokes, next }
  }
}

/** Adds a joke. */
export async function addJoke(joke: Partial<Joke>): Promise<Joke> {
  const headers = { 'content-type': 'application/json' }
  return (await call('/joke', { method: 'POST', headers, body: JSON.stringify(joke) })).json()
}

/** Upvotes a joke; returns it as it is right after. */
export async function thumbUp(id: string): Promise<Joke> {
  return (await call(`/thumbsUp/${id}`, { method: 'POST' })).json()
}

/** @throws {Failure} where it does not work; what `signal` was told where it was that which ended it */
async function call(address: string, init: RequestInit, signal?: AbortSignal): Promise<Response> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  const ended = signal === undefined ? timeout : AbortSignal.any([timeout, signal])
  const response = await fetch(address, { ...init, signal: ended }).catch((error) => {
    if (signal?.aborted) throw error
    throw new Failure(
      navigator.onLine
        ? 'The service does not answer. It may be back in a moment.'
        : 'You are offline. The jokes will be here when you are back.',
    )
  })
  if (response.ok) return response
  const { detail, errors, id } = await response.json().catch(() => ({}))
  throw new Failure(detail ?? `The service answers ${response.status}.`, errors, id)
}
