/** Help, errors, signals and progress of all commands. Results go to standard output, everything else to standard error. */
import { constants } from 'node:os'
import { getSystemErrorMessage, inspect } from 'node:util'
import { ResourceNotFoundException } from '@aws-sdk/client-dynamodb'
import { Command } from '@commander-js/extra-typings'
import { CannotStart } from '../infra/local/startup.ts'
import { ProblemError } from '../shared/errors.ts'
import { WrongAnswer } from '../shared/probe.ts'

/** Ends a command for a reason that its user can do something about. The message says what. */
export class CannotContinue extends Error {
  override name = 'CannotContinue'
}

/** Refuses the command line. The message is printed with a pointer to the help. */
export class WrongUsage extends CannotContinue {}

/**
 * Begins the definition of a command, or of the program.
 *
 * @param examples what follows `bin/jokes` on the command line
 */
export function define(name: string, description: string, examples: string[]) {
  const lines = examples.map((example) => `  bin/jokes ${example}\n`)
  return new Command(name)
    .summary(`${description.split('.', 1)}.`)
    .description(description.replaceAll('\n', ' '))
    .addHelpText('after', `\nExamples:\n${lines.join('')}`)
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .configureOutput({ writeOut: (text) => console.log(text.trimEnd()), outputError: () => {} })
    .exitOverride()
}

/** A signal repeated within this time is the same: a terminal sends Ctrl+C to a command, and `bin/jokes` passes it on. */
const SAME_SIGNAL_MS = 1_000

/**
 * Aborts `stop` with a {@link CannotContinue} on Ctrl+C or SIGTERM. A second signal ends the process, because what has
 * begun may hang. The exit code is that of the signal, such as 130.
 *
 * @param progress is stopped at the first signal
 * @returns a function that ends this. Node.js 22, on which commands run too, does not know `using`
 */
export function abortOnSignals(stop: AbortController, progress = new Progress()): () => void {
  let endsFrom = Number.POSITIVE_INFINITY
  const abort = (signal: 'SIGINT' | 'SIGTERM') => {
    process.exitCode = 128 + constants.signals[signal]
    if (performance.now() > endsFrom) process.exit()
    if (endsFrom < Number.POSITIVE_INFINITY) return
    endsFrom = performance.now() + SAME_SIGNAL_MS
    progress.stop()
    console.error('The command finishes what it has begun. A second Ctrl+C ends it at once.')
    stop.abort(new CannotContinue('Stopped before the end.'))
  }
  process.on('SIGINT', abort).on('SIGTERM', abort)
  return () => void process.off('SIGINT', abort).off('SIGTERM', abort)
}

const PROGRESS_EVERY_MS = 10_000

/** Prints the progress of a command on standard error, a line every ten seconds. */
export class Progress {
  #done = 0
  #timer: NodeJS.Timeout | undefined

  /** @param total absent if it is unknown */
  start(total?: number): void {
    const of = total === undefined ? '' : ` of ${total}`
    this.#timer = setInterval(() => console.error(`${this.#done}${of}`), PROGRESS_EVERY_MS)
  }

  increment(count = 1): void {
    this.#done += count
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}

/** Puts a client's text on one line, and escapes characters that could move a terminal's cursor or reorder letters. */
export function printable(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** Returns the text to print for an error: a sentence, or a stack trace if the user can do nothing about it. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if ([CannotContinue, CannotStart, WrongAnswer].some((explained) => error instanceof explained)) return error.message
  if (error instanceof ProblemError)
    return error.cause === undefined ? error.message : `${error.message} ${sentenceOf(error.cause)}`
  if (['TimeoutError', 'AbortError'].includes(error.name)) return 'It took too long to answer.'
  if (error instanceof ResourceNotFoundException) return 'A table does not exist. Check its name.'
  // AWS refused the call, for example because a login expired or a right is missing.
  if ('$fault' in error) return `${error.name}: ${error.message}`
  if ('syscall' in error && (error.syscall === 'connect' || error.syscall === 'getaddrinfo'))
    return `Cannot connect: ${error.message}.`
  if ('code' in error && 'errno' in error && typeof error.errno === 'number')
    return `Cannot use ${'path' in error ? error.path : 'the file'}: ${getSystemErrorMessage(error.errno)}.`
  return inspect(error)
}
