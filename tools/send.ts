/** Requests to a service that may be busy or unreachable for a while. */
import { setTimeout as wait } from 'node:timers/promises'
import { DEFAULT_PORT, readAddress, urlOf } from '../infra/local/startup.ts'
import { codeOf } from '../shared/causes.ts'
import { nextPageOf } from '../shared/nextLink.ts'
import { type Problem, problemIn } from '../shared/problem.ts'
import { CannotContinue } from './commandLine.ts'

/** The help on the argument for the address of a service. */
export const URL_HELP =
  'address of the service; by default, the one that npm start runs with the same PORT and HOST. Write "$URL" with its ' +
  'quotation marks, so that an unset variable is refused'

const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]']

/** Longer than a deployment or a restart takes. */
const GIVE_UP_AFTER_MS = 120_000
const FIRST_REPORT_MS = 3_000
const REPORT_EVERY_MS = 10_000
/** Waits after an attempt without an answer. */
const [FIRST_WAIT_MS, LONGEST_WAIT_MS] = [100, 5_000]
/** Pauses between two requests, after refusals. */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [50, 2_000]
/** API Gateway ends every request after 30 seconds. */
const TIMEOUT_MS = 35_000
/** The throttle of a route has refused a request. */
const TOO_MANY = 429
const RETRIED_STATUSES = [TOO_MANY, 502, 503, 504]

/** The address of the service that `npm start` runs with the same `PORT` and `HOST`. @throws {CannotContinue} if none is known */
export function localUrl(): string {
  const address = readAddress(DEFAULT_PORT)
  if (address.port === 0) throw new CannotContinue('With PORT=0, name the address that npm start has printed.')
  return urlOf(address, 'localhost')
}

/** Removes the slash at the end of an address. @throws {CannotContinue} if it is not an HTTP address */
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
  /** When the first attempt since the last answer began. */
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

  /** @param log is called with a line when the service stops answering, and when it answers again */
  constructor(url: string, log: (line: string) => void, stop: AbortSignal) {
    this.url = parseServiceUrl(url)
    this.#log = log
    this.#stop = stop
  }

  /**
   * Sends a request that may be repeated. While the service is busy or silent, repeats it with growing waits. While the
   * service refuses requests because there are too many, pauses between them.
   *
   * @throws {CannotContinue} if nothing was answered for two minutes, or if the service is on this machine and does not run
   */
  async send(path: string | URL, init: RequestInit = {}): Promise<Response> {
    const url = new URL(path, `${this.url}/`)
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
      const isThrottled = response?.status === TOO_MANY
      if (isThrottled) this.#slowDown(sentAt)
      const left = (this.#waitingSince ?? performance.now()) + GIVE_UP_AFTER_MS - performance.now()
      if (left <= 0) throw new CannotContinue(`${this.url} ${this.#trouble}. Gave up after two minutes.`)
      this.#report(left)
      // Random, so that requests that failed together are not repeated together. The pauses see to that for the others.
      const random = isThrottled ? 0 : Math.random() * longest
      // A date, which none of these senders uses, counts as 0.
      const seconds = Number(response?.headers.get('retry-after')) || 0
      await this.#wait(Math.min(seconds * 1_000 + random, left))
    }
  }

  /** Gets a page of a listing: its jokes, unchecked. @throws {CannotContinue} as {@link send}, and if it is not a list */
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
          `${this.url} ${this.#trouble}. Is npm start running? If it has another address, set the same PORT and HOST.`,
        )
      return undefined
    }
  }

  /** @param sentAt when the refused request was sent; those on their way at a change say nothing about the new pause */
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
    this.#nextReport = 0
  }

  async #wait(milliseconds: number): Promise<void> {
    if (milliseconds > 0) await wait(milliseconds, undefined, { signal: this.#stop })
  }

  #report(left: number): void {
    if (left > GIVE_UP_AFTER_MS - FIRST_REPORT_MS || performance.now() < this.#nextReport) return
    this.#nextReport = performance.now() + REPORT_EVERY_MS
    this.#log(`${this.url} ${this.#trouble}. Trying for another ${Math.round(left / 1_000)} seconds.`)
  }
}

/** Returns undefined if the body is not JSON. */
function bodyOf(response: Response): Promise<unknown> {
  return response.json().catch(() => undefined)
}
