/** Reads files, standard input, and answers to questions. */
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { buffer } from 'node:stream/consumers'
import { CannotContinue } from './commandLine.ts'

/** Reads a file; `-` is standard input. */
export function readInput(file: string): Promise<Buffer> {
  return file === '-' ? buffer(process.stdin) : readFile(file)
}

/**
 * Asks a question on the terminal.
 *
 * @param instead advice where there is no terminal, such as `add --yes`
 * @throws {CannotContinue} if there is no terminal, or the input ends
 */
export async function ask(question: string, instead: string): Promise<string> {
  if (!process.stdin.isTTY) throw new CannotContinue(`${question} There is no terminal to ask on: ${instead}.`)
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const closed = Promise.withResolvers<never>()
  terminal.on('close', () => closed.reject(new CannotContinue('Stopped.')))
  terminal.on('SIGINT', () => {
    process.exitCode = 130
    terminal.close()
  })
  try {
    return (await Promise.race([terminal.question(`${question} `), closed.promise])).trim()
  } finally {
    terminal.close()
  }
}

/**
 * Confirms a change that cannot be undone: its number of jokes must be typed, or `given` on the command line.
 *
 * @throws {CannotContinue} if it is another number
 */
export async function confirmNumber(question: string, number: number, given: string | undefined): Promise<void> {
  const answer = given ?? (await ask(`${question} Type their number:`, `add --count ${number}`))
  if (answer !== String(number))
    throw new CannotContinue(`You typed "${answer}", but the number of jokes is ${number}. Nothing was changed.`)
}
