/** The service, as the page uses it. */
import type { Fault } from '../shared/errors.ts'
import type { Joke } from '../shared/joke.ts'

/** The service's functions end after 10 seconds. */
const TIMEOUT_MS = 15_000

/** Why something did not work, in a sentence for a person. */
export class Failure extends Error {
  /** Whether there was no connection, no answer, or an answer that says no. */
  readonly reason: 'offline' | 'silent' | 'refused'
  /** What is wrong with which field. */
  readonly faults: Fault[]
  /** The equal joke that exists. */
  readonly duplicateOf: string | undefined
  /** When trying again makes sense, in seconds. */
  readonly retryAfter: number | undefined

  constructor(
    message: string,
    reason: Failure['reason'],
    answer: { faults?: Fault[]; duplicateOf?: string; retryAfter?: number } = {},
  ) {
    super(message)
    this.reason = reason
    this.faults = answer.faults ?? []
    this.duplicateOf = answer.duplicateOf
    this.retryAfter = answer.retryAfter
  }
}

/** What went wrong, whatever was thrown. */
export function toFailure(error: unknown): Failure {
  return error instanceof Failure ? error : new Failure('Something went wrong on this page.', 'refused')
}

export interface Page {
  jokes: Joke[]
  /** Address of the next page. */
  next: string | undefined
}

/** Gets a page of a listing. A search may have found nothing on it, and yet go on. */
export async function getPage(address: string, signal?: AbortSignal): Promise<Page> {
  const response = await call(address, {}, signal)
  const link = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1]
  return { jokes: await response.json(), next: link && new URL(link, response.url).href }
}

/** Adds a joke. */
export async function addJoke(joke: Record<'joke' | 'punchline' | 'category', string>): Promise<Joke> {
  const headers = { 'content-type': 'application/json' }
  return (await call('/joke', { method: 'POST', headers, body: JSON.stringify(joke) })).json()
}

/** Upvotes a joke; returns it as it is right after. */
export async function thumbUp(id: string): Promise<Joke> {
  return (await call(`/thumbsUp/${id}`, { method: 'POST' })).json()
}

/** @throws {Failure} if it does not work; the signal's reason if it was aborted by that */
async function call(address: string, init: RequestInit, signal?: AbortSignal): Promise<Response> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  const ended = signal === undefined ? timeout : AbortSignal.any([timeout, signal])
  const response = await fetch(address, { ...init, signal: ended }).catch((error) => {
    if (signal?.aborted) throw error
    throw navigator.onLine
      ? new Failure('The service does not answer.', 'silent')
      : new Failure('You are offline.', 'offline')
  })
  if (response.ok) return response
  const { detail, errors, id } = await response.json().catch(() => ({}))
  const retryAfter = Number(response.headers.get('retry-after'))
  throw new Failure(detail ?? `The service answers ${response.status}.`, 'refused', {
    faults: errors,
    duplicateOf: id,
    ...(retryAfter > 0 && { retryAfter }),
  })
}

/** The longest pause before trying again, in seconds. */
const MAX_PAUSE = 60

/**
 * Calls until it works, as long as each failure says when to try again; the pauses double.
 *
 * @param onPause told what failed, and each second how many are left until the next try
 */
export async function persist<Result>(
  call: () => Promise<Result>,
  onPause: (failure: Failure, secondsLeft: number) => void,
  signal: AbortSignal,
): Promise<Result> {
  for (let factor = 1; ; factor *= 2) {
    try {
      return await call()
    } catch (error) {
      const failure = toFailure(error)
      if (signal.aborted || failure.retryAfter === undefined) throw error
      for (let left = Math.min(failure.retryAfter * factor, MAX_PAUSE); left > 0; left--) {
        onPause(failure, left)
        await second(signal)
        signal.throwIfAborted()
      }
      onPause(failure, 0)
    }
  }
}

function second(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => {
    setTimeout(resolve, 1_000)
    signal.addEventListener('abort', resolve)
  })
}
