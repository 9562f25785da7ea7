/** What the commands share: options, help, errors and progress. Results go to standard output, all else to standard error. */
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { getSystemErrorMessage, inspect, type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { ResourceNotFoundException } from '@aws-sdk/client-dynamodb'
import { MultiBar, Presets, type SingleBar } from 'cli-progress'
import * as v from 'valibot'
import { WrongAnswer } from '../probe/probe.ts'
import { InvalidInput, Unavailable } from '../shared/errors.ts'
import { JokeId } from '../shared/joke.ts'

/** The command stops for a reason that its user can do something about. The message is for them. */
export class CannotContinue extends Error {
  override name = 'CannotContinue'
}

/** The command line is not accepted. */
export class WrongUsage extends CannotContinue {
  constructor(message: string) {
    super(`${message} See ${npmRun()} --help.`)
  }
}

/** The two kinds of options. */
export const TEXT = { type: 'string' } as const
export const FLAG = { type: 'boolean', default: false } as const

/**
 * Reads the command line and runs a command. `--help` or `-h` prints its usage instead. Errors are printed as sentences and
 * set exit code 1; only those that the user can do nothing about come with a stack trace.
 *
 * @param usage the first line begins with `Usage: `
 */
export async function runCommand<const Options extends ParseArgsOptionsConfig>(
  usage: string,
  options: Options,
  run: (given: ReturnType<typeof parseArgs<{ allowPositionals: true; options: Options }>>) => void | Promise<void>,
): Promise<void> {
  const args = process.argv.slice(2)
  try {
    if (args.includes('--help') || args.includes('-h')) return console.log(usage)
    refuseSwallowed(Object.keys(options), args)
    const given = parseArgs({ args: args.filter((arg) => !isDashedId(arg)), allowPositionals: true, options })
    given.positionals.push(...args.filter(isDashedId))
    refuseEmpty(given)
    await run(given)
  } catch (error) {
    process.exitCode = 1
    console.error(sentenceOf(error))
  }
}

/** One id in 64 begins with a hyphen, like an option. No option is as long as an id. */
function isDashedId(arg: string): boolean {
  return arg.startsWith('-') && v.is(JokeId, arg)
}

/**
 * npm takes options that stand before `--` for itself, and sets a variable for each, as for those in a `.npmrc`. Without
 * them, the command would do something else.
 */
function refuseSwallowed(names: string[], args: string[]): void {
  const variableOf = (name: string) => `npm_config_${name.replaceAll('-', '_')}`
  const swallowed = names
    .filter((name) => !['', 'false'].includes(process.env[variableOf(name)] ?? ''))
    .filter((name) => !args.some((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`)))
  if (swallowed.length === 0) return
  for (const name of swallowed) {
    const advice = `Take it out, or begin the command line with ${variableOf(name)}=false.`
    for (const line of linesInNpmrc(name)) throw new CannotContinue(`${line} sets ${name} for all commands. ${advice}`)
  }
  const options = swallowed.map((name) => `--${name}`)
  throw new WrongUsage(
    `npm has kept ${options.join(' and ')} for itself. Put all options after --, as in: ${npmRun()} … ${options.join(' … ')}.`,
  )
}

/** The files and lines of npm's configuration that set an option. */
function linesInNpmrc(name: string): string[] {
  const { npm_config_local_prefix = '.', npm_config_userconfig = '', npm_config_globalconfig = '' } = process.env
  const files = [join(npm_config_local_prefix, '.npmrc'), npm_config_userconfig, npm_config_globalconfig]
  return files.filter(existsSync).flatMap((file) => {
    const lines = readFileSync(file, 'utf8').split('\n')
    return lines.flatMap((line, index) => (line.split('=')[0]?.trim() === name ? `Line ${index + 1} of ${file}` : []))
  })
}

/** How to run this command: without the hyphens, npm would take its options. */
function npmRun(): string {
  return `npm run ${basename(process.argv[1] ?? '', '.ts')} --`
}

/** Nobody means an empty value: a variable of the shell was not set. */
function refuseEmpty({ values, positionals }: { values: object; positionals: string[] }): void {
  const empty = Object.entries(values).find(([, value]) => [value].flat().includes(''))
  if (empty) throw new WrongUsage(`--${empty[0]} has an empty value.`)
  if (positionals.includes('')) throw new WrongUsage('An argument is empty.')
}

/** Aborts on Ctrl-C and SIGTERM, with a {@link CannotContinue}. npm forwards Ctrl-C, so it may arrive twice. */
export function abortOnSignals(stop: AbortController): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => stop.abort(new CannotContinue('Stopped before the end.')))
}

const REPORT_EVERY_S = 10

/** Shows how far a command is: on a terminal as a bar, otherwise as a line every ten seconds. */
export class Progress {
  readonly #bars = new MultiBar({ clearOnComplete: true }, Presets.shades_classic)
  #bar: SingleBar | undefined
  #total = 0
  #done = 0
  /** What was done at the start, and at each report. */
  readonly #reached = [0]
  /** What was done in each of the last thirty seconds. */
  #rate: number | undefined
  #reports: NodeJS.Timeout | undefined

  /** @param total 0: unknown */
  start(total = 0): void {
    this.#total = total
    const format = total > 0 ? '{bar} {text}' : '{text}'
    this.#bar = this.#bars.create(total, 0, { text: this.#text() }, { format })
    this.#reports = setInterval(() => this.#report(), REPORT_EVERY_S * 1_000).unref()
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

  #report(): void {
    const recent = this.#reached.slice(-3)
    this.#rate = (this.#done - (recent[0] ?? 0)) / (recent.length * REPORT_EVERY_S)
    this.#reached.push(this.#done)
    this.increment(0)
    if (!this.#bars.isActive) this.log(this.#text())
  }

  #text(): string {
    const [left, rate] = [this.#total - this.#done, this.#rate]
    const parts = [
      this.#total > 0 ? `${this.#done} of ${this.#total}` : `${this.#done}`,
      rate !== undefined && `${Number(rate.toPrecision(2))} a second`,
      left > 0 && rate && `${duration(left / rate)} left`,
    ]
    return parts.filter(Boolean).join(', ')
  }
}

/** A time for people, rounded up. */
function duration(seconds: number): string {
  const minutes = Math.ceil(seconds / 60)
  if (seconds < 100) return `${Math.ceil(seconds)} s`
  return minutes < 100 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** Foreign text for a terminal, on one line: what could move its cursor or reorder its letters becomes visible. */
export function printable(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** What to print of an error: a sentence, or if the user can do nothing about it, its stack trace. */
export function sentenceOf(error: unknown): string {
  if (error instanceof CannotContinue || error instanceof InvalidInput || error instanceof WrongAnswer)
    return error.message
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
  // Leaves out the rest of Node.js's message: how to pass a value that looks like an option.
  if (String(error.code).startsWith('ERR_PARSE_ARGS'))
    return new WrongUsage(`${error.message.split('. ', 1)[0]}.`).message
  return inspect(error)
}
