/** Sends requests to a service that may be busy or unreachable for a while. */
import { existsSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { DEFAULT_PORT, readAddress, urlOf } from '../infra/local/startup.ts'
import { codeOf } from '../shared/causes.ts'
import { nextPageOf } from '../shared/nextLink.ts'
import { type Problem, problemIn } from '../shared/problem.ts'
import { CannotContinue } from './commandLine.ts'

export const URL_HELP =
  'address of the service; by default, the one that npm start runs with the same PORT and HOST. Write "$URL" with its ' +
  'quotation marks, so that an unset variable is refused'

const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]']

/** A deployment or a restart takes less time. Shorter troubles than the other are not reported. */
const [GIVE_UP_AFTER_MS, REPORT_AFTER_MS] = [120_000, 3_000]
/** Limits of the waits after an attempt without an answer. */
const [FIRST_WAIT_MS, LONGEST_WAIT_MS] = [100, 5_000]
/** Limits of the pause between two requests, after refusals. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [50, 2_000]
/** API Gateway ends every request after 30 seconds. */
const TIMEOUT_MS = 35_000
/** Status of a request that the throttle of a route refuses. */
const TOO_MANY = 429
const RETRIED_STATUSES = [TOO_MANY, 502, 503, 504]

/** Returns the address of `npm start` with the same `PORT` and `HOST`. @throws {CannotContinue} if `PORT` is 0 */
export function localUrl(): string {
  const address = readAddress(DEFAULT_PORT)
  if (address.port === 0) throw new CannotContinue('With PORT=0, name the address that npm start has printed.')
  return urlOf(address, 'localhost')
}

/** Completes an address such as `localhost:3000`, and removes the slash at its end. @throws {CannotContinue} if it is no address */
export function parseServiceUrl(address: string): string {
  const isLocal = LOCAL_HOSTS.includes(URL.parse(`http://${address}`)?.hostname ?? '')
  const url = /^https?:|:\/\//.test(address) ? address : `${isLocal ? 'http' : 'https'}://${address}`
  // A shell may have expanded one pattern to several files.
  if (existsSync(address) || !URL.canParse(url) || !/^https?:/.test(url))
    throw new CannotContinue(`${address} is not the address of a service, such as https://jokes.example.`)
  return url.replace(/\/$/, '')
}

/** A service that a command sends requests to, possibly several at once. */
export class Target {
  readonly url: string
  readonly #stop: AbortSignal
  #hasAnswered = false
  /** Start of the first attempt since the last answer. */
  #waitingSince: number | undefined
  #isReported = false
  /** Milliseconds between two requests. No response tells the throttle's rate, so refusals and answers adjust the pause. */
  #pause = 0
  #pauseChangedAt = 0
  /** Resolves when the last request in the queue may be sent. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(url: string, stop: AbortSignal) {
    this.url = parseServiceUrl(url)
    this.#stop = stop
  }

  /**
   * Sends a request that may be repeated. Retries with growing waits while the service is busy or silent. Pauses between
   * requests while the service throttles them.
   *
   * @throws {CannotContinue} after two minutes without an answer, or at once if a service on this machine does not run
   */
  async send(path: string | URL, init: RequestInit = {}): Promise<Response> {
    const url = new URL(path, `${this.url}/`)
    for (let longest = FIRST_WAIT_MS; ; longest = Math.min(2 * longest, LONGEST_WAIT_MS)) {
      this.#turn = this.#turn.then(() => this.#wait(this.#pause))
      await this.#turn
      const sentAt = performance.now()
      this.#waitingSince ??= sentAt
      const { response, trouble } = await this.#attempt(url, init)
      if (response && !RETRIED_STATUSES.includes(response.status)) return this.#answered(response)
      const isThrottled = response?.status === TOO_MANY
      if (isThrottled) this.#slowDown(sentAt)
      const left = GIVE_UP_AFTER_MS - this.#waited(trouble)
      // Requests that failed together must not be repeated together. Pauses separate throttled requests anyway.
      const random = isThrottled ? 0 : Math.random() * longest
      // A date counts as 0. Neither the service nor API Gateway sends one.
      const seconds = Number(response?.headers.get('retry-after')) || 0
      await this.#wait(Math.min(seconds * 1_000 + random, left))
    }
  }

  /** Gets a page of a listing, with unchecked jokes. @throws {CannotContinue} as {@link send}, or if the body is no list */
  async getPage(path: string | URL): Promise<{ jokes: unknown[]; next: URL | undefined }> {
    const response = await this.send(path)
    const jokes = await bodyOf(response)
    if (!response.ok || !Array.isArray(jokes)) throw this.unexpected(response, problemIn(jokes))
    return { jokes, next: nextPageOf(response) }
  }

  /** Adds a joke. The response may be a refusal. If the joke was added, `body` has its id. */
  async postJoke(joke: unknown): Promise<{ response: Response; body: Problem }> {
    const headers = { 'content-type': 'application/json' }
    const response = await this.send('joke', { method: 'POST', headers, body: JSON.stringify(joke) })
    return { response, body: problemIn(await bodyOf(response)) }
  }

  /** Makes the error for a response that a Joke Service would not give. */
  unexpected({ status }: Response, { detail }: Problem): CannotContinue {
    return new CannotContinue(`${this.url} answers ${status}${detail ? `: ${detail}` : '. Check its URL.'}`)
  }

  async #attempt(url: URL, init: RequestInit): Promise<{ response?: Response; trouble: string }> {
    try {
      const limit = AbortSignal.timeout(TIMEOUT_MS)
      // After Ctrl+C, the outcome of a change that has begun is still awaited.
      const signal = init.method === 'POST' ? limit : AbortSignal.any([limit, this.#stop])
      const response = await fetch(url, { ...init, signal })
      // A body that breaks off must be retried like a missing response.
      await response.clone().arrayBuffer()
      return { response, trouble: `${this.url} answers ${response.status}.` }
    } catch (error) {
      this.#stop.throwIfAborted()
      const code = (error instanceof Error && codeOf(error.cause)) || 'no response'
      const trouble = `${this.url} does not answer (${code}).`
      // A service that has answered before may be restarting.
      if (code === 'ECONNREFUSED' && LOCAL_HOSTS.includes(url.hostname) && !this.#hasAnswered)
        throw new CannotContinue(
          `${trouble} Is npm start running? If it has another address, set the same PORT and HOST.`,
        )
      return { trouble }
    }
  }

  /** @param sentAt time of the refused request. A request sent before the last change says nothing about the new pause */
  #slowDown(sentAt: number): void {
    if (sentAt < this.#pauseChangedAt) return
    this.#pause = Math.min(Math.max(1.25 * this.#pause, FIRST_PAUSE_MS), LONGEST_PAUSE_MS)
    this.#pauseChangedAt = performance.now()
  }

  /** Returns the milliseconds without an answer, and reports a long trouble once for all requests. */
  #waited(trouble: string): number {
    const waited = performance.now() - (this.#waitingSince ?? performance.now())
    if (waited >= GIVE_UP_AFTER_MS) throw new CannotContinue(`${trouble} Gave up after two minutes.`)
    if (waited >= REPORT_AFTER_MS && !this.#isReported) console.error(`${trouble} Trying again for up to two minutes.`)
    this.#isReported ||= waited >= REPORT_AFTER_MS
    return waited
  }

  #answered(response: Response): Response {
    if (this.#isReported) console.error(`${this.url} answers again.`)
    this.#isReported = false
    this.#waitingSince = undefined
    this.#hasAnswered = true
    this.#pause *= 0.99
    return response
  }

  async #wait(milliseconds: number): Promise<void> {
    if (milliseconds > 0) await wait(milliseconds, undefined, { signal: this.#stop })
  }
}

/** Returns `undefined` if the body is not JSON. */
function bodyOf(response: Response): Promise<unknown> {
  return response.json().catch(() => undefined)
}
