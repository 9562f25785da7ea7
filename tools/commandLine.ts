/** What the commands share: options, help, errors and progress. Standard output is for results, standard error for all else. */
import { getSystemErrorMessage, type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { MultiBar, Presets, type SingleBar } from 'cli-progress'

/** A reason to stop that the user can do something about, in plain sentences. */
export class CannotContinue extends Error {
  override name = 'CannotContinue'
}

/**
 * Reads the command line and runs a command. `--help` prints its usage instead. Errors become sentences and exit
 * code 1; only those that the user can do nothing about come with a stack trace.
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
    if (args.includes('--help')) console.log(usage)
    else await run(parseArgs({ args, allowPositionals: true, options }))
  } catch (error) {
    process.exitCode = 1
    console.error(sentenceOf(error))
  }
}

/** A bar in a terminal, once started; nothing elsewhere. */
export class Progress {
  readonly #bars = new MultiBar({ clearOnComplete: true }, Presets.shades_classic)
  #bar: SingleBar | undefined

  /**
   * @param format as `cli-progress` takes it
   * @param total 0: not known
   */
  start(format: string, total = 0): void {
    this.#bar = this.#bars.create(total, 0, undefined, { format })
  }

  increment(): void {
    this.#bar?.increment()
  }

  /** Prints a line on standard error, above the bar. */
  say = (line: string): void => {
    if (this.#bars.isActive) this.#bars.log(`${line}\n`)
    else console.error(line)
  }

  stop(): void {
    if (!this.#bars.isActive) return
    // Lines that have not been shown yet would be lost.
    this.#bars.update()
    this.#bars.stop()
  }
}

function sentenceOf(error: unknown): unknown {
  if (error instanceof CannotContinue) return error.message
  if (!(error instanceof Error && 'code' in error)) return error
  if ('errno' in error && typeof error.errno === 'number')
    return `Cannot use ${'path' in error ? error.path : 'the file'}: ${getSystemErrorMessage(error.errno)}.`
  // Node.js goes on with how to pass a value that looks like an option.
  if (String(error.code).startsWith('ERR_PARSE_ARGS')) return `${error.message.split('. ', 1)[0]}. See --help.`
  return error
}
