/** Requests to a service that may be busy or unreachable for a while. */
import { setTimeout as wait } from 'node:timers/promises'
import { codeOf } from '../shared/causes.ts'
import { nextPageOf } from '../shared/nextLink.ts'
import { type Problem, problemIn } from '../shared/problem.ts'
import { CannotContinue } from './commandLine.ts'

/** The service of `npm start`. */
export const LOCAL_URL = 'http://localhost:3000'
const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]']

/** Longer than a deployment or a restart takes. */
const GIVE_UP_AFTER_MS = 120_000
/** If the service has not answered for this long, the user is told, and again at intervals. */
const FIRST_REPORT_MS = 3_000
const REPORT_EVERY_MS = 10_000
const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 5_000
/** API Gateway ends every request after 30 seconds. */
const TIMEOUT_MS = 35_000

/** "Try again later" from the service, API Gateway, or a proxy. */
const RETRIED_STATUSES = [429, 502, 503, 504]

/**
 * Checks the address of a service, and removes the slash at its end.
 *
 * @throws {CannotContinue} if it is not an HTTP address
 */
export function parseServiceUrl(url: string): string {
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new CannotContinue(`${url} is not the address of a service. It must begin with http:// or https://.`)
  return url.replace(/\/$/, '')
}

/** A service that a command sends requests to, possibly several at once. */
export class Target {
  readonly url: string
  readonly #log: (line: string) => void
  readonly #stop: AbortSignal
  /** When the first attempt since the last answer began; undefined: none has begun since. */
  #waitingSince: number | undefined
  /** Why there is no useful answer, for example `answers 503`. */
  #trouble = ''
  #nextReport = 0
  #hasAnswered = false

  /**
   * @param url the service's address
   * @param log is called with a line for the user when the service stops answering, and when it answers again
   * @param stop ends requests and waiting
   * @throws {CannotContinue} if `url` is not an HTTP address
   */
  constructor(url: string, log: (line: string) => void, stop: AbortSignal) {
    this.url = parseServiceUrl(url)
    this.#log = log
    this.#stop = stop
  }

  /**
   * Sends a request, and retries it with growing waits while the service is busy or does not answer. Only for requests
   * that may be repeated.
   *
   * @param path relative to the service's address, or a whole address
   * @throws {CannotContinue} if no request to this service was answered for two minutes, or if it is on this machine and
   *   does not run
   */
  async send(path: string | URL, init: RequestInit = {}): Promise<Response> {
    const url = new URL(path, `${this.url}/`)
    const reports = setInterval(() => this.#report(), 1_000)
    try {
      for (let longest = FIRST_WAIT_MS; ; longest = Math.min(2 * longest, LONGEST_WAIT_MS)) {
        this.#waitingSince ??= performance.now()
        const response = await this.#attempt(url, init)
        if (response && !RETRIED_STATUSES.includes(response.status)) {
          this.#answered()
          return response
        }
        if (this.#timeLeft() <= 0) throw new CannotContinue(`${this.url} ${this.#trouble}. Gave up after two minutes.`)
        // Random, so that requests that failed together are not retried together.
        const pause = (await retryAfterOf(response)) * 1_000 + Math.random() * longest
        await wait(Math.min(pause, this.#timeLeft()), undefined, { signal: this.#stop })
      }
    } finally {
      clearInterval(reports)
    }
  }

  /**
   * Gets a page of a listing.
   *
   * @returns its jokes, unchecked, and the address of the next page if there is one
   * @throws {CannotContinue} as {@link send}, and if the response is not a list
   */
  async getPage(path: string | URL): Promise<{ jokes: unknown[]; next: URL | undefined }> {
    const response = await this.send(path)
    const jokes = await bodyOf(response)
    if (!response.ok || !Array.isArray(jokes)) throw this.unexpected(response, problemIn(jokes))
    return { jokes, next: nextPageOf(response) }
  }

  /** Adds a joke. The response may be a refusal. */
  async postJoke(joke: unknown): Promise<{ response: Response; problem: Problem }> {
    const headers = { 'content-type': 'application/json' }
    const response = await this.send('joke', { method: 'POST', headers, body: JSON.stringify(joke) })
    return { response, problem: problemIn(await bodyOf(response)) }
  }

  /** The error for a response that a Joke Service would not give. */
  unexpected({ status }: Response, { detail }: Problem): CannotContinue {
    return new CannotContinue(`${this.url} answers ${status}${detail ? `: ${detail}` : '. Is it a Joke Service?'}`)
  }

  /** Returns undefined if no response came. */
  async #attempt(url: URL, init: RequestInit): Promise<Response | undefined> {
    const signal = AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), this.#stop])
    try {
      const response = await fetch(url, { ...init, signal })
      // Waits for the whole body, so that one that breaks off is retried, too.
      await response.clone().arrayBuffer()
      this.#trouble = `answers ${response.status}`
      return response
    } catch (error) {
      this.#stop.throwIfAborted()
      const code = error instanceof Error && codeOf(error.cause)
      this.#trouble = `does not answer${code ? ` (${code})` : ''}`
      // If it has answered before, it may be restarting.
      if (code === 'ECONNREFUSED' && LOCAL_HOSTS.includes(url.hostname) && !this.#hasAnswered)
        throw new CannotContinue(`${this.url} ${this.#trouble}. Is npm start running?`)
      return undefined
    }
  }

  #answered(): void {
    if (this.#nextReport > 0) this.#log(`${this.url} answers again.`)
    this.#hasAnswered = true
    this.#waitingSince = undefined
    this.#trouble = ''
    this.#nextReport = 0
  }

  #timeLeft(): number {
    this.#waitingSince ??= performance.now()
    return this.#waitingSince + GIVE_UP_AFTER_MS - performance.now()
  }

  #report(): void {
    const left = this.#timeLeft()
    if (left > GIVE_UP_AFTER_MS - FIRST_REPORT_MS || performance.now() < this.#nextReport) return
    this.#nextReport = performance.now() + REPORT_EVERY_MS
    const seconds = Math.max(0, Math.round(left / 1_000))
    this.#log(`${this.url} ${this.#trouble || 'does not answer'}. Trying for another ${seconds} seconds.`)
  }
}

/** Returns undefined if the body is not JSON. */
function bodyOf(response: Response): Promise<unknown> {
  return response.json().catch(() => undefined)
}

/** The seconds that a response asks to wait. Discards its body, so that the connection can be reused. */
async function retryAfterOf(response: Response | undefined): Promise<number> {
  await response?.body?.cancel()
  // A date, which none of these senders uses, counts as 0.
  return Number(response?.headers.get('retry-after')) || 0
}
