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

/** The end of the help of commands that write. */
export const RERUN = '\nIf it stops or fails, run it again: it finishes what remains.'

/** Begins the definition of a command that works on a service. The examples are what follows `bin/jokes`. */
export function define(name: string, description: string, ...examples: string[]) {
  return new Command(name)
    .summary(`${description.split(/\.(?: |$)/, 1)}`)
    .description(description)
    .option('--stack <name>', 'a deployed stack, such as JokeService; by default, the service of npm start')
    .addHelpText('after', ['\nExamples:', ...examples.map((example) => `  bin/jokes ${example}`)].join('\n'))
}

/** Characters that could move a terminal's cursor or reorder letters. */
const UNSAFE = /[[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]--[\t\n]]/gv

/** Puts a text on one line, and escapes what a terminal would obey. */
export function printable(text: string): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return text.replaceAll(/\s+/g, ' ').replaceAll(UNSAFE, escaped)
}

/** Quotes an argument for a shell, if it needs that. No name needs the characters that a terminal would obey. */
export function quoted(argument: string): string {
  if (/^[\w@%+=:,./-]+$/.test(argument)) return argument
  return `'${argument.replaceAll(UNSAFE, '').replaceAll("'", "'\\''")}'`
}

/** Returns a count with its noun: `1 joke`, `2 jokes`. */
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
  if ('path' in error && 'errno' in error)
    return `Cannot use ${error.path}: ${getSystemErrorMessage(Number(error.errno))}.`
  return 'syscall' in error ? `The system refused: ${error.message}.` : inspect(error)
}
