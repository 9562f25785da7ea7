/** Help, errors and output of all commands. Results go to standard output, everything else to standard error. */
import { getSystemErrorMessage, inspect } from 'node:util'
import { Command } from '@commander-js/extra-typings'
import { codeOf, messageOf } from '../infra/local/causes.ts'
import { CannotStart } from '../infra/local/startup.ts'
import { ProblemError } from '../shared/errors.ts'

/** Ends a command for a reason that its user can do something about. The message says what. */
export class CannotContinue extends Error {
  override name = 'CannotContinue'
}

export const RERUN = '\nIf it stops or fails, run it again: it finishes what remains.'

export function define(name: string, description: string, ...examples: string[]) {
  return new Command(name)
    .summary(`${description.split(/\.(?: |$)/, 1)}`)
    .description(description)
    .option('--stack <name>', 'a deployed stack, such as JokeService; by default, the service of npm start')
    .addHelpText('after', ['\nExamples:', ...examples.map((example) => `  bin/jokes ${example}`)].join('\n'))
}

/** Characters that could move a terminal's cursor or reorder letters. */
const UNSAFE = /[[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]--[\t\n]]/gv

/** Escapes what a terminal would obey. In JSON, that leaves the value as it is. */
export function escaped(text: string): string {
  return text.replaceAll(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Puts a text, or its beginning of this length, on one line that a terminal only shows. */
export function printable(text: string, length = Number.POSITIVE_INFINITY): string {
  const shown = text.length > length ? `${text.slice(0, length)}…` : text
  return escaped(shown.replaceAll(/\s+/g, ' '))
}

/** Quotes an argument for a shell, if it needs that. No name needs the characters that a terminal would obey. */
export function quoted(argument: string): string {
  if (/^[\w@%+=:,./-]+$/.test(argument)) return argument
  return `'${argument.replaceAll(UNSAFE, '').replaceAll("'", "'\\''")}'`
}

export function plural(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun}s`}`
}

/** Returns the text to print for an error: a sentence, or a stack trace if the user can do nothing about it. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof CannotContinue || error instanceof CannotStart) return error.message
  if (error instanceof ProblemError) return error.cause === undefined ? error.message : sentenceOf(error.cause)
  if (['TimeoutError', 'AbortError'].includes(error.name)) return 'An answer took too long.'
  // AWS refused the call, for example because a login expired or a permission is missing.
  if ('$fault' in error) return `${error.name}: ${error.message}`
  if (codeOf(error) === 'ECONNREFUSED') return `No database answers: ${messageOf(error)}. Run npm start first.`
  if ('path' in error && 'errno' in error) return `${error.path}: ${getSystemErrorMessage(Number(error.errno))}.`
  if (error instanceof RangeError) return `The input is too large, or nested too deeply: ${error.message}.`
  return 'syscall' in error ? `The system refused: ${error.message}.` : inspect(error)
}
