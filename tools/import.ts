/** `bin/jokes import`: adds the jokes of a file to a store. */
import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { ProblemError } from '../shared/errors.ts'
import { CATEGORIES, identify, JokeInput } from '../shared/joke.ts'
import { createJoke } from '../shared/store/jokes.ts'
import type { Store } from '../shared/store/store.ts'
import { validate } from '../shared/validate.ts'
import { chooseStore, defineForStore } from './chooseStore.ts'
import { CannotContinue, printable, quoted } from './commandLine.ts'
import { changeEach, NEW_JOKES_A_SECOND } from './each.ts'
import { Mapping, type Row } from './mapping.ts'
import { plural } from './plural.ts'
import { readJokes } from './reader.ts'
import { writeWhole } from './writeWhole.ts'

const collect = (value: string, others: string[] = []) => [...others, value]

export const importJokes = defineForStore(
  'import',
  `Adds the jokes of a file. A joke that already exists is not added again. Rejected jokes are written, each under its place
and reason, to a new file next to yours. Correct them there, and import that file with the same options. The categories are
${CATEGORIES.join(', ')}.`,
  ['import jokes.csv --dry-run', 'import jokes.json --map body=joke --category Classic --stack JokeService-dev'],
)
  .argument(
    '<file>',
    'JSON, JSON Lines, a table (CSV), or texts (.txt, or a file of fortunes), in UTF-8; - reads standard input',
  )
  .option(
    '--map <mapping>',
    'names a field or column: NAME=joke, NAME=punchline or NAME=category; may be repeated',
    collect,
  )
  .option(
    '--category <mapping>',
    `a category for jokes without a known one, such as Classic, or for one value: pun='Word game'; may be repeated`,
    collect,
  )
  .option('--at <path>', 'the place of the jokes in JSON, such as data.jokes; . is the whole file')
  .option(
    '--delimiter <delimiter>',
    "what separates the columns of a table: , ';' '|' tab; none makes each line a joke",
  )
  .option('--blocks', 'empty lines separate jokes; the first line of each is its setup, the rest its punchline')
  .option('--waiting', 'the new jokes wait for approval')
  .option('--dry-run', 'only reads the file, and counts its rejected jokes by their reasons')
  .action(async (file, { map, category, waiting, dryRun, stack, ...shape }) => {
    const mapping = new Mapping(map, category)
    const store = dryRun ? undefined : await chooseStore({ stack })
    const name = file === '-' ? 'standard input' : file
    console.error(`Reading ${name}.`)
    const { rows, notes } = readJokes(
      file === '-' ? await buffer(process.stdin) : readFileSync(file),
      file,
      mapping,
      shape,
    )
    for (const note of notes) console.error(note)

    const { valid, rejected } = check(rows, mapping)
    if (valid[0]) console.error(previewOf(valid[0]))
    if (store) {
      store.approval = waiting === true
      await add(store, valid, rejected.length, stack)
    } else {
      const different = new Set(valid.map(identify)).size
      const counts = `${different} valid, ${valid.length - different} repeated, ${rejected.length} rejected`
      console.log(`${plural(rows.length, 'joke')}: ${counts}.`)
    }
    for (const line of summaryOf(rejected)) console.log(line)
    if (rejected.length === 0) return
    process.exitCode = 1
    if (store) writeRejected(file, rejected)
  })

/** A joke that cannot be added, and why. */
interface Rejected {
  row: Row
  reasons: string[]
}

/** Checks jokes by the rules of `POST /joke`. */
function check(rows: Row[], mapping: Mapping): { valid: JokeInput[]; rejected: Rejected[] } {
  const valid: JokeInput[] = []
  const rejected: Rejected[] = []
  for (const row of rows) {
    try {
      if (row.fault === undefined) valid.push(validate(JokeInput, mapping.jokeOf(row.record)))
      else rejected.push({ row, reasons: [row.fault] })
    } catch (error) {
      if (!(error instanceof ProblemError && error.members.errors)) throw error
      const reasons = error.members.errors.map(({ field, detail }) => `${field} ${detail}`.trim())
      rejected.push({ row, reasons })
    }
  }
  return { valid, rejected }
}

/** Returns a joke as it would be stored, each text on one line. */
function previewOf({ joke, punchline, category }: JokeInput): string {
  const lines = [`setup: ${printable(joke)}`, `punchline: ${printable(punchline)}`, `category: ${category}`]
  return ['The first joke:', ...lines.map((line) => `  ${line.trimEnd()}`)].join('\n')
}

/** Adds jokes, and prints the numbers, even after an error. */
async function add(store: Store, jokes: JokeInput[], rejected: number, stack: string | undefined): Promise<void> {
  const createdBy = `import-${new Date(store.now()).toISOString()}`
  const on = stack === undefined ? '' : ` --stack ${quoted(stack)}`
  const find = `bin/jokes find --created-by ${createdBy}${store.approval ? ' --waiting' : ''}${on}`
  console.error(`To undo this import: ${find} > added.txt && bin/jokes remove --ids added.txt${on}`)
  const counts = { added: 0, duplicate: 0, waiting: 0, removed: 0 }
  const addOne = async (joke: JokeInput) => {
    try {
      await createJoke(store, joke, createdBy)
      counts.added += 1
      return { isChanged: true }
    } catch (error) {
      const code = error instanceof ProblemError ? error.code : 'bug'
      if (code !== 'duplicate' && code !== 'waiting' && code !== 'removed') throw error
      counts[code] += 1
      return { isChanged: false }
    }
  }
  try {
    await changeEach(jokes, NEW_JOKES_A_SECOND, addOne)
  } finally {
    const { added, duplicate, waiting, removed } = counts
    const existing = `${duplicate} there already, ${waiting} waiting, ${removed} removed before`
    console.log(`${added} added${store.approval ? ' as waiting' : ''}, ${existing}, ${rejected} rejected.`)
  }
}

/** Counts the reasons of rejected jokes, the most frequent first, and names the option that helps. */
function summaryOf(rejected: Rejected[]): string[] {
  const counts = new Map<string, number>()
  for (const { reasons } of rejected) for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  const sorted = [...counts].toSorted(([, one], [, other]) => other - one).slice(0, 10)
  const lines = sorted.map(([reason, count]) => `${count} × ${printable(reason)}`)
  const isAboutCategory = counts.keys().some((reason) => reason.startsWith('category '))
  return isAboutCategory
    ? [...lines, `For all of these without a category of the service: --category ${CATEGORIES[1]}.`]
    : lines
}

/**
 * Writes rejected jokes as JSON Lines to a new file, in the folder of a regular file, otherwise in the working directory.
 * Never overwrites a file with other contents, because it may hold corrections.
 */
function writeRejected(file: string, rejected: Rejected[]): void {
  const isRegular = file !== '-' && lstatSync(file).isFile()
  const name = isRegular ? file.replace(/\.invalid(-\d+)?\.jsonl$/, '') : file === '-' ? 'stdin' : basename(file)
  const lines = rejected.map(({ row, reasons }) => {
    return `# ${printable(`${row.place}: ${reasons.join(' ')}`)}\n${sourceOf(row)}\n`
  })
  const text = lines.join('')
  for (let number = 1; ; number++) {
    const output = `${name}.invalid${number > 1 ? `-${number}` : ''}.jsonl`
    if (existsSync(output) && readFileSync(output, 'utf8') !== text) continue
    writeWhole(output, text)
    console.log(`The rejected jokes are in ${output}. Correct them there, and import that file with the same options.`)
    return
  }
}

/** Returns a joke as a line of JSON Lines, or the line that is no JSON. */
function sourceOf({ place, record, line }: Row): string {
  try {
    return line ?? JSON.stringify(record)
  } catch {
    throw new CannotContinue(`The JSON of ${place} is nested too deeply. Delete it, and import the file again.`)
  }
}
