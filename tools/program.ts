/** `bin/jokes COMMAND`: finds the command, runs it, and explains its errors. */
import { getSystemErrorMessage } from 'node:util'
import { CommanderError } from '@commander-js/extra-typings'
import * as v from 'valibot'
import manifest from '../package.json' with { type: 'json' }
import { JokeId } from '../shared/joke.ts'
import { define, sentenceOf, WrongUsage } from './commandLine.ts'
import { exportJokes } from './export.ts'
import { find } from './find.ts'
import { importJokes } from './import.ts'
import { restore } from './restore.ts'
import { smoke } from './smoke.ts'
import { approve, erase, remove, undo } from './states.ts'

const COMMANDS = [importJokes, exportJokes, find, approve, remove, undo, erase, restore, smoke]

const program = define('bin/jokes', 'Works with the jokes of a service.', [
  'import test/sample-jokes.json',
  'remove 4aPyoroA2qmZQ6vYOkx67i --stack JokeService',
])
program.version(manifest.version)
for (const command of COMMANDS) program.addCommand(command)

for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // A reader such as `head` may close the output. The command finishes its work without it.
    if (error.code === 'EPIPE') return
    // After another error, such as a full disk, nobody could know what it has done.
    console.error(`Cannot write the output: ${getSystemErrorMessage(error.errno ?? 0)}.`)
    process.exit(1)
  })

/**
 * Runs a command. An error is printed as a sentence, and sets exit code 1. An error that the user can do nothing about is
 * printed with a stack trace.
 */
export async function main(args: string[]): Promise<void> {
  try {
    if (args.some((arg) => arg === '' || /^--[a-z-]+=$/.test(arg)))
      throw new WrongUsage('An argument is empty, perhaps because a variable of the shell is not set.')
    await program.parseAsync(args.length > 0 ? idsLast(args) : ['--help'], { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return
    // A signal has set another one.
    process.exitCode ||= 1
    const help = COMMANDS.some((command) => command.name() === args[0]) ? `${args[0]} --help` : '--help'
    const isUsage = error instanceof WrongUsage || error instanceof CommanderError
    console.error(isUsage ? `${error.message}\nSee bin/jokes ${help}.` : sentenceOf(error))
  }
}

/** Moves ids that begin with a hyphen behind `--`. One id in 64 does, and no option is as long as an id. */
function idsLast(args: string[]): string[] {
  const isDashed = (arg: string) => arg.startsWith('-') && v.is(JokeId, arg)
  const dashed = args.filter(isDashed)
  return dashed.length > 0 && !args.includes('--') ? [...args.filter((arg) => !isDashed(arg)), '--', ...dashed] : args
}
