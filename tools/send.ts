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
/** Between two requests after the first refusal, and at most: short enough to notice soon when more are let through. */
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 2_000
/** API Gateway ends every request after 30 seconds. */
const TIMEOUT_MS = 35_000

/** API Gateway answers this where more requests arrive than the throttle of a route lets through. */
const TOO_MANY = 429
/** "Try again later" from the service, API Gateway, or a proxy. */
const RETRIED_STATUSES = [TOO_MANY, 502, 503, 504]

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
  /** Milliseconds between two requests. No response tells how many are let through, so refusals and answers change it. */
  #pause = 0
  #pauseChangedAt = 0
  /** Resolves when the last of the waiting requests may be sent. */
  #turn: Promise<unknown> = Promise.resolve()

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
   * Sends a request, and retries it with growing waits while the service is busy or does not answer. While
   * the service refuses requests because there are too many, there are pauses between them. Only for requests that may be
   * repeated.
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
        this.#turn = this.#turn.then(() => this.#wait(this.#pause))
        await this.#turn
        const sentAt = performance.now()
        this.#waitingSince ??= sentAt
        const response = await this.#attempt(url, init)
        if (response && !RETRIED_STATUSES.includes(response.status)) {
          this.#answered()
          return response
        }
        if (response?.status === TOO_MANY) this.#slowDown(sentAt)
        if (this.#timeLeft() <= 0) throw new CannotContinue(`${this.url} ${this.#trouble}. Gave up after two minutes.`)
        // Random, so that requests that failed together are not retried together. The pauses see to that for the others.
        const random = response?.status === TOO_MANY ? 0 : Math.random() * longest
        await this.#wait(Math.min((await retryAfterOf(response)) * 1_000 + random, this.#timeLeft()))
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

  /** Adds a joke. The response may be a refusal. Of an added joke, `body` has the id. */
  async postJoke(joke: unknown): Promise<{ response: Response; body: Problem }> {
    const headers = { 'content-type': 'application/json' }
    const response = await this.send('joke', { method: 'POST', headers, body: JSON.stringify(joke) })
    return { response, body: problemIn(await bodyOf(response)) }
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
        throw new CannotContinue(
          `${this.url} ${this.#trouble}. Is npm start running? If it has another port, add its address to the command.`,
        )
      return undefined
    }
  }

  /** @param sentAt when the refused request was sent; others that were on their way then say nothing about a new pause */
  #slowDown(sentAt: number): void {
    if (sentAt < this.#pauseChangedAt) return
    this.#pause = Math.min(Math.max(1.25 * this.#pause, FIRST_PAUSE_MS), LONGEST_PAUSE_MS)
    this.#pauseChangedAt = performance.now()
  }

  #answered(): void {
    this.#pause *= 0.99
    if (this.#nextReport > 0) this.#log(`${this.url} answers again.`)
    this.#hasAnswered = true
    this.#waitingSince = undefined
    this.#trouble = ''
    this.#nextReport = 0
  }

  async #wait(milliseconds: number): Promise<void> {
    if (milliseconds > 0) await wait(milliseconds, undefined, { signal: this.#stop })
  }

  #timeLeft(): number {
    const now = performance.now()
    return (this.#waitingSince ?? now) + GIVE_UP_AFTER_MS - now
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
