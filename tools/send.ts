/** Requests to a service that may be busy or out of reach for a while. */
import { setTimeout } from 'node:timers/promises'

/** With the waits below, some two minutes: longer than a deployment or a restart takes. */
const ATTEMPTS = 12
const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 20_000
/** API Gateway ends every request after 30 seconds. */
const TIMEOUT_MS = 35_000

/** "Later", as said by the service, by API Gateway, and by whatever else may stand in front. */
const PASSING = [429, 502, 503, 504]

/** The service is there no more, or not at all. */
export class OutOfReach extends Error {
  override name = 'OutOfReach'
}

/**
 * Sends a request, and again after growing waits as long as the answer is "later" or none comes. For requests that
 * may be repeated only.
 *
 * @param stop ends the waiting
 * @throws {OutOfReach} where that goes on for minutes
 */
export async function send(url: URL, init: RequestInit = {}, stop?: AbortSignal): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((error) => error)
    if (answer instanceof Response && !PASSING.includes(answer.status)) return answer
    if (attempt === ATTEMPTS)
      throw new OutOfReach(
        `${url.origin} ${answer instanceof Response ? `answers ${answer.status}` : 'does not answer'}.`,
      )
    const asked = answer instanceof Response ? await secondsAsked(answer) : 0
    const growing = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS)
    // At random, so that those who were refused together don't come back together.
    await setTimeout(asked * 1_000 + Math.random() * growing, undefined, { ...(stop && { signal: stop }) })
  }
}

/** How long an answer asks to wait. What else it says is let go, so that its connection can be used again. */
async function secondsAsked({ headers, body }: Response): Promise<number> {
  await body?.cancel()
  // A date, which nobody sends in these cases, counts as nothing.
  return Number(headers.get('retry-after')) || 0
}

/** The address of an operation of the service. */
export function addressOf(service: string, operation: string): URL {
  return new URL(operation, service.endsWith('/') ? service : `${service}/`)
}
