/** `bin/jokes import`: adds the jokes of a file to a store. */
import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { ProblemError } from '../shared/errors.ts'
import { CATEGORIES, identify, JokeInput } from '../shared/joke.ts'
import { createJoke } from '../shared/store/jokes.ts'
import type { Store } from '../shared/store/store.ts'
import { validate } from '../shared/validate.ts'
import { chooseStore, defineForStore } from './chooseStore.ts'
import { printable, quoted } from './commandLine.ts'
import { changeEach, NEW_JOKES_A_SECOND } from './each.ts'
import { Mapping } from './mapping.ts'
import { plural } from './plural.ts'
import { type Entry, readJokes } from './reader.ts'
import { writeWhole } from './writeWhole.ts'

const collect = (value: string, others: string[] = []) => [...others, value]

export const importJokes = defineForStore(
  'import',
  `Adds the jokes of a file. A joke that already exists is not added again. Rejected jokes are written, each under its place
and reason, to a new file next to yours. Correct them there, and import that file with the same options. The categories are
${CATEGORIES.join(', ')}.`,
  ['import jokes.csv --dry-run', 'import jokes.json --map body=joke --category Classic --stack JokeService-dev'],
)
  .argument('<file>', 'JSON, JSON Lines, a table (.csv, .tsv), or texts (.txt, or a file of fortunes), in UTF-8')
  .option('--map <mapping>', 'names a field: FIELD=joke, FIELD=punchline or FIELD=category; may be repeated', collect)
  .option(
    '--category <mapping>',
    `a category for jokes without a known one, such as Classic, or for one value: pun='Word game'; may be repeated`,
    collect,
  )
  .option('--waiting', 'the new jokes wait for approval')
  .option('--dry-run', 'only reads the file, and says which jokes are rejected')
  .action(async (file, { map, category, waiting, dryRun, stack }) => {
    const mapping = new Mapping(map, category)
    const store = dryRun ? undefined : await chooseStore({ stack })
    console.error(`Reading ${file}.`)
    const { entries, notes } = readJokes(readFileSync(file), file, mapping)
    for (const note of notes) console.error(note)

    const { valid, rejected } = check(entries, mapping)
    if (store) {
      store.approval = waiting === true
      await add(store, valid, rejected.length, stack)
    } else {
      const different = new Set(valid.map(identify)).size
      const counts = `${different} valid, ${valid.length - different} repeated, ${rejected.length} rejected`
      console.log(`${plural(entries.length, 'joke')}: ${counts}.`)
    }
    for (const line of summaryOf(rejected)) console.log(line)
    if (rejected.length === 0) return
    process.exitCode = 1
    if (store) writeRejected(file, rejected)
  })

/** A joke that cannot be added, and why. */
interface Rejected {
  entry: Entry
  reasons: string[]
}

/** Checks jokes by the rules of `POST /joke`. */
function check(entries: Entry[], mapping: Mapping): { valid: JokeInput[]; rejected: Rejected[] } {
  const valid: JokeInput[] = []
  const rejected: Rejected[] = []
  for (const entry of entries) {
    try {
      if (entry.fault === undefined) valid.push(validate(JokeInput, mapping.jokeOf(entry.fields)))
      else rejected.push({ entry, reasons: [entry.fault] })
    } catch (error) {
      if (!(error instanceof ProblemError && error.members.errors)) throw error
      const reasons = error.members.errors.map(({ field, detail }) => `${field} ${detail}`.trim())
      rejected.push({ entry, reasons })
    }
  }
  return { valid, rejected }
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
  const name = lstatSync(file).isFile() ? file.replace(/\.invalid(-\d+)?\.jsonl$/, '') : basename(file)
  const lines = rejected.map(
    ({ entry, reasons }) => `# ${printable(`${entry.label}: ${reasons.join(' ')}`)}\n${entry.json}\n`,
  )
  const text = lines.join('')
  for (let number = 1; ; number++) {
    const output = `${name}.invalid${number > 1 ? `-${number}` : ''}.jsonl`
    if (existsSync(output) && readFileSync(output, 'utf8') !== text) continue
    writeWhole(output, text)
    console.log(`The rejected jokes are in ${output}. Correct them there, and import that file with the same options.`)
    return
  }
}
