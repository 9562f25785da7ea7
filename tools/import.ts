/** `bin/jokes import`: adds the jokes of a file to a store. */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { PROBLEMS, ProblemError } from '../shared/errors.ts'
import { CATEGORIES, type JokeInput } from '../shared/joke.ts'
import { createJoke } from '../shared/store/jokes.ts'
import type { Store } from '../shared/store/store.ts'
import { define, plural, printable, quoted, RERUN } from './commandLine.ts'
import { forEach } from './each.ts'
import { parseCategory, parseMap, readFields } from './fields.ts'
import { readRows } from './reader.ts'
import { Source } from './source.ts'
import { chooseStore } from './store.ts'

export const importJokes = define(
  'import',
  'Adds the jokes of a file. Without --waiting, they are listed at once.',
  'import jokes.csv --dry-run',
  'import jokes.json --map body=joke --category Classic --stack JokeService-dev',
)
  .argument('<file>', '.json, .jsonl, .csv, .tsv, or .txt with a joke a line; - reads JSON or CSV from standard input')
  .option('--map <mapping>', 'a meaning: NAME=joke, NAME=punchline, or by number, 3=category; repeatable', parseMap)
  .option('--category <name>', "for jokes without a known one, or for a value: 'pun=Word game'", parseCategory)
  .option('--waiting', 'the new jokes wait for approval')
  .option('--dry-run', 'only check the file')
  .addHelpText('after', `\nThe categories are ${CATEGORIES.join(', ')}. docs/interface.md describes the files.${RERUN}`)
  .action(async (file, { map, category, waiting, dryRun, stack }) => {
    const source = new Source(file)
    if (file !== '-' && statSync(file).isDirectory()) source.refuse('is a folder. Name a file in it.')
    const rows = readRows(source, file === '-' ? await buffer(process.stdin) : readFileSync(file))
    const { jokes, rejected, leftOut, nulls } = readFields(source, rows, map, category)
    if (leftOut.length > 0) console.error(`Fields left out: ${leftOut.slice(0, 20).map(printable).join(', ')}.`)
    if (nulls > 0) console.error(`Punchlines that are NULL or \\N count as absent: ${nulls}.`)
    for (const [name, text] of Object.entries(jokes[0] ?? {})) console.error(`First ${name}: ${printable(text)}`)
    for (const { reason } of rejected.slice(0, 10)) console.error(`Rejected: ${reason}`)
    if (rejected.length > 0) process.exitCode = 1
    if (dryRun)
      return console.log(`${plural(jokes.length, 'valid joke')}, ${rejected.length} rejected. Nothing was added.`)
    const options = `${waiting ? ' --waiting' : ''}${stack === undefined ? '' : ` --stack ${quoted(stack)}`}`
    await add({ ...(await chooseStore(stack)), approval: waiting === true }, jokes, options)
    if (rejected.length > 0) writeRejected(file, rejected, options)
  })

/** Adds jokes, and prints how to undo that. */
async function add(store: Store, jokes: JokeInput[], options: string): Promise<void> {
  const createdBy = `import-${new Date(store.now()).toISOString()}`
  const find = `bin/jokes find --created-by ${createdBy}${options} > added.txt`
  console.error(`To undo this import: ${find} && bin/jokes remove --ids added.txt${options.replace(' --waiting', '')}`)
  let [added, existing] = [0, 0]
  await forEach(jokes, async (joke) => {
    try {
      await createJoke(store, joke, createdBy)
      added += 1
    } catch (error) {
      if (!(error instanceof ProblemError) || PROBLEMS[error.code].status !== 409) throw error
      existing += 1
    }
  })
  const state = store.approval ? ' as waiting' : ''
  console.log(`${plural(added, 'joke')} added${state}, ${existing} there already: listed, waiting or removed.`)
}

/** Writes rejected jokes as JSON Lines to a new file, with the usual names, each under a comment with its place and reason. */
function writeRejected(file: string, rejected: { reason: string; line: string }[], options: string): void {
  const lines = rejected.map(({ reason, line }) => `# ${reason}\n${line}\n`)
  const output = `${file === '-' ? 'stdin' : file}.rejected-${Date.now()}.jsonl`
  writeFileSync(output, lines.join(''))
  console.log(`${plural(rejected.length, 'joke')} rejected. Correct them in the new file, and run:`)
  console.log(`bin/jokes import ${quoted(output)}${options}`)
}
