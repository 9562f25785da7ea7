/** `bin/jokes approve`, `remove`, `undo`, `erase` and `correct`: change jokes, and print a line for each. */
import * as v from 'valibot'
import { CATEGORIES, JokeId } from '../shared/joke.ts'
import { type Action, act, correct } from './changes.ts'
import { CannotContinue, define, plural, printable, RERUN } from './commandLine.ts'
import { forEach } from './each.ts'
import { categoryNamed } from './fields.ts'
import { readText } from './files.ts'
import { describe } from './find.ts'
import { chooseStore } from './store.ts'

const HELP: Record<Action, [done: string, help: string]> = {
  approve: ['approved', 'Approves waiting jokes, so that they appear in listings. To see them first: find --waiting.'],
  remove: ['removed', 'Removes jokes from all listings. Their texts and votes are kept for undo.'],
  undo: ['brought back', 'Brings removed jokes back to where they were: listed, or waiting for approval.'],
  erase: ['erased', 'Erases removed jokes for ever. Only their ids stay, so that nobody can add them again.'],
}

const withCount = commandFor('erase').option('--count <n>', 'the number of jokes; without it, nothing is erased')
export const stateCommands = [commandFor('approve'), commandFor('remove'), commandFor('undo'), withCount]

export const correctJoke = define(
  'correct',
  'Corrects the category, capitals, accents or punctuation of a joke. Its id, votes and date stay the same.',
  "correct 4aPyoroA2qmZQ6vYOkx67i --punchline 'He used up all his cache!'",
  'correct 4aPyoroA2qmZQ6vYOkx67i --category School --stack JokeService',
)
  .allowUnknownOption()
  .argument('<joke>', "the id of a joke, or a link from the page's Share button")
  .option('--joke <text>', 'its new setup')
  .option('--punchline <text>', "its new punchline; ' ' removes it, if the setup has its words")
  .option('--category <name>', `its new category: ${CATEGORIES.join(', ')}`, categoryNamed)
  .addHelpText('after', `\nA joke with other words is another joke: remove the old one, and add the new one.${RERUN}`)
  .action(async (named, { stack, ...texts }) => {
    if (Object.keys(texts).length === 0)
      throw new CannotContinue('Say what to correct: --joke, --punchline or --category.')
    const [id = '', ...others] = idsIn(named)
    if (others.length > 0) throw new CannotContinue('Name one joke at a time.')
    const corrected = await correct(await chooseStore(stack), id, texts)
    for (const { category, joke, punchline } of [corrected.before, corrected.after])
      console.log(printable([category, joke, punchline].filter(Boolean).join(' / ')))
    console.error('1 joke corrected.')
  })

/** Takes unknown options for ids, because one id in 64 begins with a hyphen. */
function commandFor(action: Action) {
  const count = action === 'erase' ? ' --count 1' : ''
  const examples = ['4aPyoroA2qmZQ6vYOkx67i', '--ids found.txt'].map((named) => `${action} ${named}${count}`)
  return define(action, HELP[action][1], ...examples)
    .argument('[joke...]', "ids of jokes, or links from the page's Share button")
    .allowUnknownOption()
    .option('--ids <file>', 'a file whose lines begin with ids or links, as find prints them; - is standard input')
    .addHelpText('after', RERUN)
    .action(async (named, { ids: file, stack, ...options }) => {
      if (named.length === 0 && file === undefined)
        throw new CannotContinue(`Name jokes by ids, by links or by --ids. See bin/jokes ${action} --help.`)
      const lines = file === undefined ? [] : (await readText(file)).split(/[\r\n]/)
      const begin = lines.flatMap((line) => line.trim().split(/\s/, 1)).filter(Boolean)
      const ids = [...new Set([...named, ...begin].flatMap(idsIn))]
      if (action === 'erase' && Object(options).count !== `${ids.length}`)
        throw new CannotContinue(`Nothing was erased. To erase these jokes for ever, add --count ${ids.length}.`)
      await actOnAll(action, ids, stack)
    })
}

async function actOnAll(action: Action, ids: string[], stack: string | undefined): Promise<void> {
  const store = await chooseStore(stack)
  const [done] = HELP[action]
  let changed = 0
  await forEach(ids, async (id) => {
    const { item, state } = await act(store, id, action)
    if (!state) process.exitCode = 1
    const before = item ? item.jokeState : 'unknown'
    if (!item || !state || state === before) return console.log(`${id}  is ${before}, so it is unchanged`)
    changed += 1
    // An erased text must stay in no terminal and in no log.
    console.log(`${id}  was ${before}, ${done}${action === 'erase' ? '' : `  ${describe(item)}`}`)
  })
  console.error(`${plural(changed, 'joke')} ${done}, ${ids.length - changed} unchanged.`)
}

/** Returns the ids in a link to jokes, such as `https://…/?id=…`, or the id itself. */
function idsIn(named: string): string[] {
  const ids = URL.parse(named, 'http://localhost')?.searchParams.get('id')?.split(',') ?? [named]
  if (ids.every((id) => v.is(JokeId, id))) return ids
  throw new CannotContinue(
    `${printable(named, 100)} is neither the id of a joke nor a link to jokes. Nothing was changed.`,
  )
}
