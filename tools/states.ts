/** `bin/jokes approve`, `remove`, `undo` and `erase`: change the states of jokes, and print a line for each. */
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import * as v from 'valibot'
import { JokeId } from '../shared/joke.ts'
import type { Store } from '../shared/store/store.ts'
import { type Action, act, type Outcome } from './changes.ts'
import { chooseStore, defineForStore } from './chooseStore.ts'
import { CannotContinue, printable, WrongUsage } from './commandLine.ts'
import { CHANGES_A_SECOND, changeEach } from './each.ts'
import { describe } from './find.ts'
import { plural } from './plural.ts'

/** For each action, its past participle and its help. */
const HELP: Record<Action, [done: string, help: string]> = {
  approve: ['approved', 'Lists jokes that wait for approval. They keep the dates at which they were added.'],
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
  const [, help] = HELP[action]
  const count = (jokes: number) => (action === 'erase' ? ` --count ${jokes}` : '')
  const examples = [
    `${action} 4aPyoroA2qmZQ6vYOkx67i${count(1)}`,
    `${action} --ids jokes.txt${count(12)} --stack JokeService`,
  ]
  return defineForStore(
    action,
    `${help} Prints a line for each joke. Other commands read the lines with --ids.`,
    examples,
  )
    .argument('[joke...]', "links to jokes, as the page's Share button gives, or ids from the API")
    .option('--ids <file>', 'a file whose lines begin with links or ids, as find prints them; - is standard input')
    .action(async (named, { ids: file, ...options }) => {
      if (file === undefined && named.length === 0) throw new WrongUsage('Name jokes by ids, links or --ids.')
      const ids = [
        ...new Set([...named.flatMap((each) => idsIn(each)), ...(file === undefined ? [] : await idsInFile(file))]),
      ]
      if (action === 'erase' && String(ids.length) !== Object(options).count)
        throw new CannotContinue(
          `Nothing was erased. To erase ${plural(ids.length, 'joke')} for ever, add --count ${ids.length}.`,
        )
      await actOnAll(await chooseStore(options), ids, action)
    })
}

/** Prints a line for each joke, and then the numbers. The exit code is 1 if some could not be changed. */
async function actOnAll(store: Store, ids: string[], action: Action): Promise<void> {
  const counts = { changed: 0, 'done already': 0, left: 0 }
  const actOnOne = async (id: string) => {
    const changed = await act(store, id, action)
    counts[changed.result] += 1
    return { isChanged: changed.result === 'changed', line: `${id}  ${describeChange(changed, action)}` }
  }
  try {
    await changeEach(ids, CHANGES_A_SECOND, actOnOne)
  } finally {
    const left = ids.length - counts.changed - counts['done already'] - counts.left
    const parts = [
      `${plural(counts.changed, 'joke')} ${HELP[action][0]}`,
      counts['done already'] > 0 && `${counts['done already']} done already`,
      counts.left > 0 && `${counts.left} left as they were`,
      left > 0 && `${left} to do: run the same command again`,
    ]
    console.error(`${parts.filter(Boolean).join(', ')}.`)
  }
  if (counts.left > 0) process.exitCode = 1
}

function describeChange({ result, item }: Outcome, action: Action): string {
  if (!item) return 'no joke has this id'
  const { jokeState: state } = item
  if (result === 'changed') return `was ${state}, ${HELP[action][0]}${action === 'erase' ? '' : `  ${describe(item)}`}`
  if (result === 'done already') return `is ${state} already`
  return `is ${state}, left as it was`
}

/**
 * Returns the ids in a link to jokes, such as `https://…/?id=…`, or the id itself.
 *
 * @param place is printed before the reason, if it is neither
 * @throws {CannotContinue}
 */
function idsIn(named: string, place = ''): string[] {
  const ids = URL.parse(named, 'http://localhost')?.searchParams.get('id')?.split(',') ?? [named]
  if (ids.every((id) => v.is(JokeId, id))) return ids
  throw new CannotContinue(
    `${place}${printable(named)} is neither the id of a joke nor a link to jokes. Nothing was changed.`,
  )
}

async function idsInFile(file: string): Promise<string[]> {
  const lines = (file === '-' ? await text(process.stdin) : await readFile(file, 'utf8')).split('\n')
  return lines.flatMap((line, index) => {
    const [first = ''] = line.trim().split(/\s/)
    return first ? idsIn(first, `Line ${index + 1} of ${file}: `) : []
  })
}
