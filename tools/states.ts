/** `bin/jokes approve`, `remove`, `undo` and `erase`: change the states of jokes, and print a line for each. */
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import * as v from 'valibot'
import { JokeId } from '../shared/joke.ts'
import { type Action, act, type Outcome } from './changes.ts'
import { CannotContinue, define, plural, printable, RERUN } from './commandLine.ts'
import { forEach } from './each.ts'
import { describe } from './find.ts'
import { chooseStore } from './store.ts'

/** For each action, its past participle and its help. */
const HELP: Record<Action, [done: string, help: string]> = {
  approve: ['approved', 'Approves waiting jokes, so that they appear in listings. To see them first: find --waiting.'],
  remove: [
    'removed',
    'Removes jokes from all listings. Their texts and votes are kept, so that undo brings them back.',
  ],
  undo: ['brought back', 'Brings removed jokes back to where they were: listed, or waiting for approval.'],
  erase: ['erased', 'Erases removed jokes for ever. Only their ids stay, so that nobody can add them again.'],
}

export const approve = commandFor('approve')
export const remove = commandFor('remove')
export const undo = commandFor('undo')
export const erase = commandFor('erase').option('--count <n>', 'the number of jokes; without it, nothing is erased')

function commandFor(action: Action) {
  const count = (jokes: number) => (action === 'erase' ? ` --count ${jokes}` : '')
  const examples = [
    `${action} D6-iOPHD7UoIaTyCl6O9nZ${count(1)}`,
    `${action} --ids jokes.txt${count(12)} --stack JokeService`,
  ]
  return define(action, HELP[action][1], ...examples)
    .argument('[joke...]', "ids of jokes, or links from the page's Share button")
    .option('--ids <file>', 'a file whose lines begin with ids or links, as find prints them; - is standard input')
    .addHelpText('after', RERUN)
    .action(async (named, { ids: file, stack, ...options }) => {
      if (named.length === 0 && file === undefined)
        throw new CannotContinue(`Name jokes by ids, by links or by --ids. See bin/jokes ${action} --help.`)
      const inFile = file === undefined ? [] : await idsInFile(file)
      const ids = [...new Set([...named.flatMap((each) => idsIn(each)), ...inFile])]
      if (action === 'erase' && Object(options).count !== `${ids.length}`)
        throw new CannotContinue(
          `Nothing was erased. To erase ${plural(ids.length, 'joke')} for ever, add --count ${ids.length}.`,
        )
      await actOnAll(action, ids, stack)
    })
}

/** Prints a line for each joke, and then the numbers. The exit code is 1 if some could not be changed. */
async function actOnAll(action: Action, ids: string[], stack: string | undefined): Promise<void> {
  const store = await chooseStore(stack)
  const counts = { changed: 0, 'done already': 0, left: 0 }
  await forEach(ids, async (id) => {
    const outcome = await act(store, id, action)
    counts[outcome.result] += 1
    console.log(`${id}  ${describeOutcome(outcome, action)}`)
  })
  const { changed, 'done already': done, left } = counts
  const rest = `${done > 0 ? `, ${done} done already` : ''}${left > 0 ? `, ${left} unchanged` : ''}`
  console.error(`${plural(changed, 'joke')} ${HELP[action][0]}${rest}.`)
  if (left > 0) process.exitCode = 1
}

function describeOutcome({ result, item }: Outcome, action: Action): string {
  if (!item) return 'no joke has this id'
  const { jokeState: state } = item
  // An erased text must stay in no terminal and in no log.
  if (result === 'changed') return `was ${state}, ${HELP[action][0]}${action === 'erase' ? '' : `  ${describe(item)}`}`
  return result === 'done already' ? `is ${state} already` : `is ${state}, so it is unchanged`
}

/**
 * Returns the ids in a link to jokes, such as `https://…/?id=…`, or the id itself.
 *
 * @param place is printed before the reason, if it is neither
 * @throws {CannotContinue}
 */
export function idsIn(named: string, place = ''): string[] {
  const ids = URL.parse(named, 'http://localhost')?.searchParams.get('id')?.split(',') ?? [named]
  if (ids.every((id) => v.is(JokeId, id))) return ids
  throw new CannotContinue(
    `${place}${printable(named)} is neither the id of a joke nor a link to jokes. Nothing was changed.`,
  )
}

async function idsInFile(file: string): Promise<string[]> {
  const lines = (file === '-' ? await text(process.stdin) : readFileSync(file, 'utf8')).split('\n')
  return lines.flatMap((line, index) => {
    const [first = ''] = line.trim().split(/\s/)
    return first ? idsIn(first, `Line ${index + 1} of ${file}: `) : []
  })
}
