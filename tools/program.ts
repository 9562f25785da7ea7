/** `bin/jokes COMMAND`: finds the command, runs it, and explains its errors. */
import { Command, CommanderError } from '@commander-js/extra-typings'
import { codeOf } from '../infra/local/causes.ts'
import { CannotContinue, sentenceOf } from './commandLine.ts'
import { backup, exportJokes, restore } from './copies.ts'
import { find } from './find.ts'
import { importJokes } from './import.ts'
import { smoke } from './smoke.ts'
import { correctJoke, stateCommands } from './states.ts'

const program = new Command('bin/jokes')
  .description('Manages the jokes of a local or deployed Joke Service.')
  .exitOverride()
  .configureHelp({ subcommandTerm: (command) => command.name() })
  .configureOutput({ writeErr: (text) => console.error(text.trimEnd()) })
  .showHelpAfterError('Add --help to see how to use it.')
const commands = [importJokes, exportJokes, find, ...stateCommands, correctJoke, backup, restore, smoke]
for (const command of commands) program.addCommand(command.copyInheritedSettings(program))

for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error) => {
    // A reader such as `head` may close the output. The command finishes its work without it.
    if (codeOf(error) !== 'EPIPE') throw error
  })

/** Runs a command. An error sets exit code 1, and is printed as a sentence if the user can do something about it. */
export async function main(args: string[]): Promise<void> {
  try {
    // With --created-by "$id", for example, an unset variable would select all jokes.
    if (args.some((arg) => /^(--[\w-]+=)?$/.test(arg)))
      throw new CannotContinue('An argument is empty, perhaps because a variable of the shell is not set.')
    await program.parseAsync(args.length > 0 ? args : ['--help'], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) console.error(sentenceOf(error))
    // After Ctrl+C, smoke has set another exit code.
    process.exitCode ||= error instanceof CommanderError ? error.exitCode : 1
  }
}
