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
    .addHelpText('after', `\nExamples:\n${lines.join('').trimEnd()}`)
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .configureOutput({ writeOut: (text) => console.log(text.trimEnd()), outputError: () => {} })
    .exitOverride()
}

/** Escapes characters that could move a terminal's cursor or reorder letters. The result is the same text in JSON. */
function escaped(text: string): string {
  return text.replaceAll(/[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** Puts a client's text on one line, and escapes what could move a terminal's cursor or reorder letters. */
export function printable(text: string): string {
  return escaped(text.replaceAll(/\s+/g, ' '))
}

/** Quotes an argument for a shell, if it needs that. Invisible characters are written as bash and zsh read them. */
export function quoted(argument: string): string {
  if (/^[\w@%+=:,./-]+$/.test(argument)) return argument
  if (!/[\p{C}\p{Z}]/u.test(argument.replaceAll(' ', ''))) return `'${argument.replaceAll("'", "'\\''")}'`
  const bytesOf = (character: string) => Buffer.from(character).toString('hex').replaceAll(/../g, '\\x$&')
  return `$'${argument.replaceAll(/[\p{C}\p{Z}'\\]/gu, bytesOf)}'`
}

/** Returns the text to print for an error: a sentence, or a stack trace if the user can do nothing about it. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof CannotContinue || error instanceof CannotStart) return error.message
  if (error instanceof ProblemError) return error.cause === undefined ? error.message : sentenceOf(error.cause)
  if (['TimeoutError', 'AbortError'].includes(error.name)) return 'DynamoDB took too long to answer.'
  // AWS refused the call, for example because a login expired or a permission is missing.
  if ('$fault' in error) return `${error.name}: ${error.message}`
  if (codeOf(error) === 'ECONNREFUSED') return `No database answers: ${messageOf(error)}. Run npm start first.`
  if ('syscall' in error && (error.syscall === 'connect' || error.syscall === 'getaddrinfo'))
    return `Cannot connect: ${error.message}.`
  if ('code' in error && 'errno' in error && typeof error.errno === 'number')
    return `Cannot use ${'path' in error ? error.path : 'the file'}: ${getSystemErrorMessage(error.errno)}.`
  return inspect(error)
}
