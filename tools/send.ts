/** Requests to a service that may be busy or unreachable for a while. */
import { setTimeout as wait } from 'node:timers/promises'
import { CannotContinue } from './commandLine.ts'

/** Longer than a deployment or a restart takes. */
const PATIENCE_MS = 120_000
/** A service that has not answered for so long is reported, and again from time to time. */
const SILENCE_MS = 3_000
const REPORT_EVERY_MS = 10_000
const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 5_000
/** API Gateway ends every request after 30 seconds. */
const TIMEOUT_MS = 35_000

/** "Later", as said by the service, by API Gateway, and by whatever else may stand in front. */
const PASSING = [429, 502, 503, 504]

/** A service, as commands that may send several requests at once know it. */
export class Target {
  readonly url: string
  readonly #say: (line: string) => void
  readonly #stop: AbortSignal | undefined
  /** When the first request was sent that came after the last answer; absent: nothing is awaited. */
  #waitingSince: number | undefined
  #trouble = ''
  #nextReport = 0

  /**
   * @param url the service's address
   * @param say is told when the service does not answer, and when it does again
   * @param stop ends requests and waiting
   * @throws {CannotContinue} where that is no address of a service
   */
  constructor(url: string, say: (line: string) => void, stop?: AbortSignal) {
    if (!URL.canParse(url) || !/^https?:/.test(url))
      throw new CannotContinue(`${url} is not the address of a service. It must begin with http:// or https://.`)
    this.url = url.replace(/\/$/, '')
    this.#say = say
    this.#stop = stop
  }

  /**
   * Sends a request, and again with growing waits as long as the answer is "later" or none comes. For requests that
   * may be repeated only.
   *
   * @param path below the service's address, or a whole address
   * @throws {CannotContinue} where no request to this service has been answered for two minutes
   */
  async send(path: string | URL, init: RequestInit = {}): Promise<Response> {
    const url = new URL(path, `${this.url}/`)
    const watch = setInterval(() => this.#report(), 1_000)
    try {
      for (let longest = FIRST_WAIT_MS; ; longest = Math.min(2 * longest, LONGEST_WAIT_MS)) {
        this.#waitingSince ??= performance.now()
        const answer = await this.#attempt(url, init)
        if (answer instanceof Response && !PASSING.includes(answer.status)) {
          this.#answered()
          return answer
        }
        if (this.#patienceLeft() <= 0) throw new CannotContinue(`${this.url} ${this.#trouble}, for two minutes now.`)
        // At random, so that those who were refused together don't come back together.
        const pause = (await secondsAsked(answer)) * 1_000 + Math.random() * longest
        await wait(Math.min(pause, this.#patienceLeft()), undefined, { ...(this.#stop && { signal: this.#stop }) })
      }
    } finally {
      clearInterval(watch)
    }
  }

  /** An answer that the service does not give. */
  unexpected({ status }: Response, detail?: string): CannotContinue {
    return new CannotContinue(`${this.url} answers ${status}${detail ? `: ${detail}` : '. Is it a Joke Service?'}`)
  }

  /** Returns nothing where no answer came. */
  async #attempt(url: URL, init: RequestInit): Promise<Response | undefined> {
    const signals = [AbortSignal.timeout(TIMEOUT_MS), ...(this.#stop ? [this.#stop] : [])]
    try {
      const answer = await fetch(url, { ...init, signal: AbortSignal.any(signals) })
      this.#trouble = `answers ${answer.status}`
      return answer
    } catch (error) {
      this.#stop?.throwIfAborted()
      this.#trouble = `does not answer${reasonOf(error)}`
      return undefined
    }
  }

  #answered(): void {
    if (this.#nextReport > 0) this.#say(`${this.url} answers again.`)
    this.#waitingSince = undefined
    this.#trouble = ''
    this.#nextReport = 0
  }

  #patienceLeft(): number {
    this.#waitingSince ??= performance.now()
    return this.#waitingSince + PATIENCE_MS - performance.now()
  }

  #report(): void {
    const left = this.#patienceLeft()
    if (left > PATIENCE_MS - SILENCE_MS || performance.now() < this.#nextReport) return
    this.#nextReport = performance.now() + REPORT_EVERY_MS
    const seconds = Math.max(0, Math.round(left / 1_000))
    this.#say(`${this.url} ${this.#trouble || 'does not answer'}. Trying for another ${seconds} seconds.`)
  }
}

function reasonOf(error: unknown): string {
  const { code } = Object(Object(error).cause)
  return typeof code === 'string' ? ` (${code})` : ''
}

/** How long an answer asks to wait. The rest of it is discarded, so that its connection can be used again. */
async function secondsAsked(answer: Response | undefined): Promise<number> {
  await answer?.body?.cancel()
  // A date, which nobody sends in these cases, counts as nothing.
  return Number(answer?.headers.get('retry-after')) || 0
}
