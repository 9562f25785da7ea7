/** `bin/jokes approve`, `remove`, `undo` and `erase`: change the states of jokes, and print a line for each. */
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import * as v from 'valibot'
import { JokeId } from '../shared/joke.ts'
import { type Action, act } from './changes.ts'
import { CannotContinue, define, plural, printable, RERUN } from './commandLine.ts'
import { forEach } from './each.ts'
import { describe } from './find.ts'
import { chooseStore } from './store.ts'

/** For each action, its past participle and its help. */
const HELP: Record<Action, [done: string, help: string]> = {
  approve: ['approved', 'Approves waiting jokes, so that they appear in listings. To see them first: find --waiting.'],
  remove: ['removed', 'Removes jokes from all listings. Their texts and votes are kept for undo.'],
  undo: ['brought back', 'Brings removed jokes back to where they were: listed, or waiting for approval.'],
  erase: ['erased', 'Erases removed jokes for ever. Only their ids stay, so that nobody can add them again.'],
}

export const approve = commandFor('approve')
export const remove = commandFor('remove')
export const undo = commandFor('undo')
export const erase = commandFor('erase').option('--count <n>', 'the number of jokes; without it, nothing is erased')

/** Defines a command. It takes unknown options for ids, because one id in 64 begins with a hyphen. */
function commandFor(action: Action) {
  const count = action === 'erase' ? ' --count 1' : ''
  return define(action, HELP[action][1], `${action} D6-iOPHD7UoIaTyCl6O9nZ${count}`, `${action} --ids one.txt${count}`)
    .argument('[joke...]', "ids of jokes, or links from the page's Share button")
    .allowUnknownOption()
    .option('--ids <file>', 'a file whose lines begin with ids or links, as find prints them; - is standard input')
    .addHelpText('after', RERUN)
    .action(async (named, { ids: file, stack, ...options }) => {
      if (named.length === 0 && file === undefined)
        throw new CannotContinue(`Name jokes by ids, by links or by --ids. See bin/jokes ${action} --help.`)
      const lines = file === undefined ? '' : file === '-' ? await text(process.stdin) : readFileSync(file, 'utf8')
      const ids = [...new Set([...named, ...(lines.match(/(?<=^\s*)\S+/gm) ?? [])].flatMap(idsIn))]
      if (action === 'erase' && Object(options).count !== `${ids.length}`)
        throw new CannotContinue(`Nothing was erased. To erase these jokes for ever, add --count ${ids.length}.`)
      await actOnAll(action, ids, stack)
    })
}

/** Prints a line for each joke, and then the numbers. The exit code is 1 if some could not be changed. */
async function actOnAll(action: Action, ids: string[], stack: string | undefined): Promise<void> {
  const store = await chooseStore(stack)
  const [done] = HELP[action]
  let changed = 0
  await forEach(ids, async (id) => {
    const { item, state } = await act(store, id, action)
    if (!state) process.exitCode = 1
    const before = item ? item.jokeState : 'unknown'
    const isChanged = state && state !== before
    if (isChanged) changed += 1
    // An erased text must stay in no terminal and in no log.
    const joke = item && action !== 'erase' ? `  ${describe(item)}` : ''
    console.log(`${id}  ${isChanged ? `was ${before}, ${done}${joke}` : `is ${before}, so it is unchanged`}`)
  })
  console.error(`${plural(changed, 'joke')} ${done}, ${ids.length - changed} unchanged.`)
}

/** Returns the ids in a link to jokes, such as `https://…/?id=…`, or the id itself. @throws {CannotContinue} */
export function idsIn(named: string): string[] {
  const ids = URL.parse(named, 'http://localhost')?.searchParams.get('id')?.split(',') ?? [named]
  if (ids.every((id) => v.is(JokeId, id))) return ids
  throw new CannotContinue(`${printable(named)} is neither the id of a joke nor a link to jokes. Nothing was changed.`)
}
