/** `bin/jokes import`: adds the jokes of a file to a store. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { ProblemError } from '../shared/errors.ts'
import { CATEGORIES, JokeInput } from '../shared/joke.ts'
import { createJoke } from '../shared/store/jokes.ts'
import type { Store } from '../shared/store/store.ts'
import { validate } from '../shared/validate.ts'
import { define, onSame, plural, printable, quoted, RERUN } from './commandLine.ts'
import { forEach } from './each.ts'
import { type Found, parseCategory, parseMap, readFields } from './fields.ts'
import { readRows } from './reader.ts'
import { Source } from './source.ts'
import { chooseStore } from './store.ts'

const HELP = `
Files, in UTF-8:
  .json   an array of objects or texts, or an object with one such list
  .jsonl  an object or a text on each line
  .csv    a table whose first line names the columns, with commas, semicolons or tabs
  .txt    a joke on each line, or lines with only % between jokes

The joke is the field joke. Beside a punchline, it may also be setup, question, title,
headline, body, text or content. The punchline is the field punchline, answer or delivery,
and --map names other fields. --map and --category may be repeated.

A joke that exists already is not added again. Rejected jokes are written to a new file
beside yours, where you can correct them. The categories are
${CATEGORIES.join(', ')}.`

export const importJokes = define(
  'import',
  'Adds the jokes of a file. Without --waiting, they are listed at once.',
  'import jokes.csv --dry-run',
  'import jokes.json --map body=joke --category Classic --stack JokeService-dev',
)
  .argument('<file>', 'the file; - reads JSON or CSV from standard input')
  .option(
    '--map <mapping>',
    'what a field or a numbered column holds: NAME=joke, NAME=punchline or NAME=category',
    parseMap,
  )
  .option(
    '--category <name>',
    "the category of jokes without a known one, or of a value: 'pun=Word game'",
    parseCategory,
  )
  .option('--waiting', 'the new jokes wait for approval')
  .option('--dry-run', 'only check the file')
  .addHelpText('after', `${HELP}\n${RERUN}`)
  .action(async (file, { map, category, waiting, dryRun, stack }) => {
    const source = new Source(file)
    if (file !== '-' && statSync(file).isDirectory()) source.refuse('is a folder. Name a file in it.')
    const rows = readRows(source, file === '-' ? await buffer(process.stdin) : readFileSync(file), map)
    const { jokes, leftOut, nulls } = readFields(source, rows, map, category)
    const { valid, rejected } = check(jokes)
    if (leftOut.length > 0) console.error(`Fields left out: ${leftOut.slice(0, 20).map(printable).join(', ')}.`)
    if (nulls > 0) console.error(`Punchlines that are NULL or \\N count as absent: ${nulls}.`)
    for (const [name, text] of Object.entries(valid[0] ?? {})) console.error(`First ${name}: ${printable(text)}`)
    for (const line of reasonsOf(rejected)) console.error(line)
    if (rejected.length > 0) process.exitCode = 1
    if (dryRun)
      return console.log(`${plural(valid.length, 'valid joke')}, ${rejected.length} rejected. Nothing was added.`)
    const options = `${waiting ? ' --waiting' : ''}${onSame(stack)}`
    await add({ ...(await chooseStore(stack)), approval: waiting === true }, valid, options)
    if (rejected.length > 0) writeRejected(file, rejected, options)
  })

/** A joke that cannot be added, and why. */
type Rejected = Found & { fault: string }

/** Checks jokes by the rules of `POST /joke`. */
function check(jokes: Found[]): { valid: JokeInput[]; rejected: Rejected[] } {
  const valid: JokeInput[] = []
  const rejected: Rejected[] = []
  for (const { fault, ...joke } of jokes) {
    try {
      if (fault === undefined) valid.push(validate(JokeInput, joke.input))
      else rejected.push({ ...joke, fault })
    } catch (error) {
      if (!(error instanceof ProblemError && error.members.errors)) throw error
      const faults = error.members.errors.map(({ field, detail }) => `${field} ${detail}`)
      rejected.push({ ...joke, fault: faults.join(' ') })
    }
  }
  return { valid, rejected }
}

/** Counts the reasons of rejected jokes, the most frequent first. */
function reasonsOf(rejected: Rejected[]): string[] {
  const byReason = Object.entries(Object.groupBy(rejected, ({ fault }) => fault))
  const sorted = byReason.toSorted(([, one = []], [, other = []]) => other.length - one.length)
  return sorted.slice(0, 10).map(([reason, jokes = []]) => {
    const first = jokes[0]?.row.place ?? ''
    return `${plural(jokes.length, 'joke')} rejected, first in ${first}: ${printable(reason)}`
  })
}

/** Adds jokes, and prints how to undo that. */
async function add(store: Store, jokes: JokeInput[], options: string): Promise<void> {
  const createdBy = `import-${new Date(store.now()).toISOString()}`
  const find = `bin/jokes find --created-by ${createdBy}${options} > added.txt`
  console.error(`To undo this import: ${find} && bin/jokes remove --ids added.txt${options.replace(' --waiting', '')}`)
  const counts = { added: 0, duplicate: 0, waiting: 0, removed: 0 }
  await forEach(jokes, async (joke) => {
    try {
      await createJoke(store, joke, createdBy)
      counts.added += 1
    } catch (error) {
      const code = error instanceof ProblemError ? error.code : 'bug'
      if (code !== 'duplicate' && code !== 'waiting' && code !== 'removed') throw error
      counts[code] += 1
    }
  })
  const existing = `${counts.duplicate} there already, ${counts.waiting} waiting, ${counts.removed} removed before`
  console.log(`${plural(counts.added, 'joke')} added${store.approval ? ' as waiting' : ''}, ${existing}.`)
}

/** Writes rejected jokes as JSON Lines to a new file, with the usual names, each under a comment with its place and reason. */
function writeRejected(file: string, rejected: Rejected[], options: string): void {
  const lines = rejected.map(({ row, input, fault }) => {
    return `# ${printable(`${row.place}: ${fault}`)}\n${row.line ?? JSON.stringify(input)}\n`
  })
  const base = file === '-' ? 'stdin' : file.replace(/\.rejected-\d+\.jsonl$/, '')
  let number = 1
  const output = () => `${base}.rejected-${number}.jsonl`
  while (existsSync(output())) number++
  writeFileSync(output(), lines.join(''), { flag: 'wx' })
  console.log(
    `${plural(rejected.length, 'joke')} rejected. Correct them in ${printable(output())}, and run: bin/jokes import ${quoted(output())}${options}`,
  )
}
