/** `bin/jokes import`: adds the jokes of a file to a store. */
import { writeFileSync } from 'node:fs'
import { PROBLEMS, ProblemError } from '../shared/errors.ts'
import { CATEGORIES, type JokeInput } from '../shared/joke.ts'
import { createJoke } from '../shared/store/jokes.ts'
import type { Store } from '../shared/store/store.ts'
import { define, escaped, plural, printable, quoted, RERUN } from './commandLine.ts'
import { forEach } from './each.ts'
import { parseCategory, parseMap, readJokes } from './fields.ts'
import { readText } from './files.ts'
import type { Row } from './reader.ts'
import { chooseStore } from './store.ts'

export const importJokes = define(
  'import',
  'Adds the jokes of a file. Without --waiting, they are listed at once.',
  'import jokes.csv --dry-run',
  'import jokes.json --map body=joke --category Classic --stack JokeService-dev',
)
  .argument('<file>', '.json, .jsonl, .csv or .tsv; - reads JSON or CSV from standard input')
  .option('--map <mapping>', 'a meaning: NAME=joke, NAME=punchline or NAME=category; repeatable', parseMap)
  .option('--category <name>', "for jokes without a known one, or for a value: 'pun=Word game'", parseCategory)
  .option('--whole', 'jokes without a punchline are whole, whatever the other fields hold')
  .option('--waiting', 'the new jokes wait for approval')
  .option('--dry-run', 'only check the file')
  .addHelpText('after', `\nThe categories are ${CATEGORIES.join(', ')}. docs/import.md describes the files.${RERUN}`)
  .action(async (file, { map = new Map(), category = new Map(), whole, waiting, dryRun, stack }, { parent }) => {
    const { jokes, rejected, leftOut } = readJokes(file, await readText(file), { map, category, whole })
    const store = dryRun ? undefined : await chooseStore(stack)
    if (leftOut.length > 0) console.error(`Fields left out: ${printable(leftOut.join(', '), 300)}.`)
    for (const [name, text] of Object.entries(jokes[0] ?? {})) console.error(`First ${name}: ${printable(text)}`)
    reportRejected(rejected)
    if (!store) return console.log(`${jokes.length} valid, ${rejected.length} rejected. Nothing was added.`)
    const onStack = stack === undefined ? '' : ` --stack ${quoted(stack)}`
    await add({ ...store, approval: waiting === true }, jokes, onStack)
    if (rejected.length > 0) keepRejected(file, rejected, parent?.args ?? [])
  })

/** Adds jokes, and prints how to undo that once the first is added, even if the command is then stopped. */
async function add(store: Store, jokes: JokeInput[], onStack: string): Promise<void> {
  const createdBy = `import-${new Date(store.now()).toISOString()}`
  const find = `bin/jokes find --created-by ${createdBy}${store.approval ? ' --waiting' : ''}${onStack} > added.txt`
  let [added, existing] = [0, 0]
  await forEach(jokes, async (joke) => {
    try {
      await createJoke(store, joke, createdBy)
      added += 1
      if (added === 1) console.error(`To undo this import: ${find} && bin/jokes remove --ids added.txt${onStack}`)
    } catch (error) {
      if (!(error instanceof ProblemError) || PROBLEMS[error.code].status !== 409) throw error
      existing += 1
    }
  })
  console.log(`${added} added${store.approval ? ' as waiting' : ''}, ${existing} already known.`)
}

function reportRejected(rejected: Row[]): void {
  if (rejected.length > 0) process.exitCode = 1
  const { unknown = [], others = [] } = Object.groupBy(rejected, (row) => (row.unknownCategory ? 'unknown' : 'others'))
  for (const { place, fault } of others.slice(0, 10)) console.error(`Rejected: ${printable(`${place}: ${fault}`)}`)
  const counts = Object.entries(Object.groupBy(unknown, ({ unknownCategory }) => `${unknownCategory}`))
  if (counts.length === 0) return
  const list = printable(counts.map(([value, rows]) => `${value} (${rows?.length})`).join(', '), 300)
  const option = quoted(`${printable(`${counts[0]?.[0]}`, 60)}=Classic`)
  console.error(`Unknown categories: ${list}. Add --category ${option}, or --category Classic for all others.`)
}

/** Keeps rejected rows with all their fields, and prints the command with these arguments for the new file. */
function keepRejected(file: string, rejected: Row[], args: string[]) {
  const lines = rejected.map(({ place, fault, line }) => `# ${printable(`${place}: ${fault}`)}\n${line}\n`).join('')
  const output = `${file === '-' ? 'stdin' : file}.rejected-${Date.now()}.jsonl`
  console.log(`${plural(rejected.length, 'joke')} rejected.`)
  try {
    writeFileSync(output, lines)
  } catch {
    // The folder may be read-only, or that of a process substitution.
    return console.log(escaped(lines))
  }
  const again = args.map((arg) => quoted(arg === file ? output : arg)).join(' ')
  console.log(`Correct them in the new file, and run:\nbin/jokes ${again}`)
}
