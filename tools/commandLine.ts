/** What the commands share: options, help, errors and progress. Results go to standard output, all else to standard error. */
import { basename } from 'node:path'
import { getSystemErrorMessage, inspect, type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { MultiBar, Presets, type SingleBar } from 'cli-progress'
import { WrongAnswer } from '../probe/probe.ts'
import { InvalidInput, Unavailable } from '../shared/errors.ts'

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
  args = process.argv.slice(2),
): Promise<void> {
  try {
    if (args.includes('--help') || args.includes('-h')) return console.log(usage)
    refuseSwallowed(Object.keys(options), args)
    const given = parseArgs({ args, allowPositionals: true, options })
    refuseEmpty(given)
    await run(given)
  } catch (error) {
    process.exitCode = 1
    console.error(sentenceOf(error))
  }
}

/**
 * npm takes options that stand before `--` for itself, and sets a variable for each. Without them, the command would do
 * something else.
 */
function refuseSwallowed(names: string[], args: string[]): void {
  const swallowed = names
    .filter((name) => !['', 'false'].includes(process.env[`npm_config_${name.replaceAll('-', '_')}`] ?? ''))
    .map((name) => `--${name}`)
    .filter((option) => !args.some((arg) => arg === option || arg.startsWith(`${option}=`)))
  if (swallowed.length === 0) return
  const line = `${npmRun()} … ${swallowed.join(' … ')}`
  throw new WrongUsage(
    `npm has kept ${swallowed.join(' and ')} for itself. Put all options after --, as in: ${line}. If they are in a .npmrc, take them out.`,
  )
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

/**
 * Returns the only argument that is not an option.
 *
 * @param request asks for it, as in `Name one file.`
 * @throws {WrongUsage} if there is none, or more than one
 */
export function onlyArgument([argument, ...others]: string[], request: string): string {
  if (argument === undefined || others.length > 0) throw new WrongUsage(request)
  return argument
}

const STOPPED = 'Stopped before the end.'

/** Aborts on Ctrl-C and SIGTERM, with a {@link CannotContinue}. npm forwards Ctrl-C, so it may arrive twice. */
export function abortOnSignals(stop: AbortController): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort(new CannotContinue(STOPPED)))
}

/** Between the lines that say how far a command is. */
const REPORT_EVERY_MS = 10_000

/** A progress bar, once started. If standard error is not a terminal, a line every ten seconds stands for it. */
export class Progress {
  // Drawings count as updates, so the time left becomes unknown when nothing happens.
  readonly #bars = new MultiBar(
    { clearOnComplete: true, etaAsynchronousUpdate: true, etaBuffer: 100, formatValue },
    Presets.shades_classic,
  )
  #bar: SingleBar | undefined
  #total = 0
  #done = 0
  /** What was done at each report. */
  #reported = [0]
  #reports: NodeJS.Timeout | undefined

  /**
   * @param format in the syntax of `cli-progress`
   * @param total 0: unknown
   */
  start(format: string, total = 0): void {
    this.#bar = this.#bars.create(total, 0, undefined, { format })
    this.#total = total
    this.#reports = setInterval(() => this.#report(), REPORT_EVERY_MS).unref()
  }

  increment(count = 1): void {
    this.#bar?.increment(count)
    this.#done += count
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

  /** Beside a bar, only the first report is of use: it tells how fast the command is. */
  #report(): void {
    const recent = this.#reported.slice(-3)
    const rate = (this.#done - (recent[0] ?? 0)) / ((recent.length * REPORT_EVERY_MS) / 1_000)
    this.#reported.push(this.#done)
    if (this.#bars.isActive && recent.length > 1) return
    const left = this.#total - this.#done
    const end = left > 0 && rate > 0 ? ` The other ${left} take about ${duration(left / rate)}.` : ''
    this.log(`${this.#done}${this.#total ? ` of ${this.#total}` : ''}, ${Number(rate.toPrecision(2))} a second.${end}`)
  }
}

/** A time for people, rounded up. */
function duration(seconds: number): string {
  const minutes = Math.ceil(seconds / 60)
  if (seconds < 100) return `${Math.ceil(seconds)} s`
  return minutes < 100 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** `{eta}` is empty while it is unknown: `NULL` or `INF`. */
function formatValue(value: number, _: unknown, type: string): string {
  if (type !== 'eta') return `${value}`
  return Number.isFinite(value) ? `, ${duration(value)} left` : ''
}

/** What to print of an error: a sentence, or if the user can do nothing about it, its stack trace. */
export function sentenceOf(error: unknown): string {
  if (error instanceof CannotContinue || error instanceof InvalidInput || error instanceof WrongAnswer)
    return error.message
  if (error instanceof Unavailable) return `${error.message} ${sentenceOf(error.cause)}`
  if (!(error instanceof Error)) return String(error)
  if (['TimeoutError', 'AbortError'].includes(error.name)) return 'It took too long to answer.'
  if (error.name === 'ResourceNotFoundException') return 'A table does not exist.'
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
