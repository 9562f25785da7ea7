/** What the commands share: help, errors, signals and progress. Results go to standard output, all else to standard error. */
import { getSystemErrorMessage, inspect } from 'node:util'
import { ResourceNotFoundException } from '@aws-sdk/client-dynamodb'
import { Command } from '@commander-js/extra-typings'
import { MultiBar, Presets, type SingleBar } from 'cli-progress'
import { CannotStart } from '../infra/local/startup.ts'
import { WrongAnswer } from '../probe/probe.ts'
import { InvalidInput, Unavailable } from '../shared/errors.ts'

/** The command stops for a reason that its user can do something about. The message is for them. */
export class CannotContinue extends Error {
  override name = 'CannotContinue'
}

/** The command line is not accepted. */
export class WrongUsage extends CannotContinue {}

/**
 * Begins the definition of a command, or of the program, whose name is empty.
 *
 * @param examples what follows `bin/jokes` on the command line
 */
export function define(name: string, description: string, examples: string[]) {
  const lines = examples.map((example) => `  bin/jokes ${example}\n`)
  return new Command(name || 'bin/jokes')
    .summary(`${description.split('.', 1)}.`)
    .description(description.replaceAll('\n', ' '))
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .addHelpText('after', `\nExamples:\n${lines.join('')}`)
    .configureOutput({ writeOut: (text) => console.log(text.trimEnd()), outputError: () => {} })
    .exitOverride()
}

/** Aborts on Ctrl+C and SIGTERM, with a {@link CannotContinue}, until the result is disposed of. */
export function abortOnSignals(stop: AbortController): Disposable {
  const abort = () => stop.abort(new CannotContinue('Stopped before the end.'))
  for (const signal of SIGNALS) process.on(signal, abort)
  return {
    [Symbol.dispose]: () => {
      for (const signal of SIGNALS) process.off(signal, abort)
    },
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

const REPORT_EVERY_S = 10

/** Shows how far a command is: on a terminal as a bar, otherwise as a line every ten seconds. */
export class Progress {
  readonly #bars = new MultiBar({ clearOnComplete: true }, Presets.shades_classic)
  #bar: SingleBar | undefined
  #reports: NodeJS.Timeout | undefined
  #startedAt = 0
  #total = 0
  #done = 0

  /** @param total 0: unknown */
  start(total = 0): void {
    this.#total = total
    this.#startedAt = performance.now()
    this.#bar = this.#bars.create(total, 0, { text: '' }, { format: total > 0 ? '{bar} {text}' : '{text}' })
    this.#reports = setInterval(() => {
      if (this.#bars.isActive) this.increment(0)
      else this.log(this.#text())
    }, REPORT_EVERY_S * 1_000).unref()
    this.increment(0)
  }

  increment(count = 1): void {
    this.#done += count
    this.#bar?.update(this.#done, { text: this.#text() })
  }

  /** Prints a line on standard error, above the bar. */
  log = (line: string): void => {
    if (this.#bars.isActive) this.#bars.log(`${line}\n`)
    else console.error(line)
  }

  stop(): void {
    clearInterval(this.#reports)
    if (!this.#bars.isActive) return
    // Without this, lines that have not been drawn yet would be lost.
    this.#bars.update()
    this.#bars.stop()
  }

  #text(): string {
    const seconds = (performance.now() - this.#startedAt) / 1_000
    const rate = this.#done / seconds
    const minutesLeft = Math.ceil((this.#total - this.#done) / rate / 60)
    const parts = [
      this.#total > 0 ? `${this.#done} of ${this.#total}` : `${this.#done}`,
      seconds >= REPORT_EVERY_S && `${Number(rate.toPrecision(2))} a second`,
      seconds >= REPORT_EVERY_S && minutesLeft > 0 && Number.isFinite(minutesLeft) && `${minutesLeft} min left`,
    ]
    return parts.filter(Boolean).join(', ')
  }
}

/** Foreign text for a terminal, on one line: what could move its cursor or reorder its letters becomes visible. */
export function printable(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** What to print of an error: a sentence, or if the user can do nothing about it, its stack trace. */
export function sentenceOf(error: unknown): string {
  if (error instanceof CannotContinue || error instanceof CannotStart) return error.message
  if (error instanceof InvalidInput || error instanceof WrongAnswer) return error.message
  if (error instanceof Unavailable) return `${error.message} ${sentenceOf(error.cause)}`
  if (!(error instanceof Error)) return String(error)
  if (['TimeoutError', 'AbortError'].includes(error.name)) return 'It took too long to answer.'
  if (error instanceof ResourceNotFoundException) return 'A table does not exist. Is its name right?'
  // AWS has refused a call, for example because a login expired or a right is missing. A stack trace would not help.
  if ('$fault' in error) return `${error.name}: ${error.message}`
  if (!('code' in error)) return inspect(error)
  if ('syscall' in error && (error.syscall === 'connect' || error.syscall === 'getaddrinfo'))
    return `Cannot connect: ${error.message}.`
  if ('errno' in error && typeof error.errno === 'number')
    return `Cannot use ${'path' in error ? error.path : 'the file'}: ${getSystemErrorMessage(error.errno)}.`
  return inspect(error)
}
