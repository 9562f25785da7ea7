/** `bin/jokes import`: adds the jokes of a file to a service. */
import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { ProblemError } from '../shared/errors.ts'
import { CATEGORIES, JokeInput } from '../shared/joke.ts'
import { validate } from '../shared/validate.ts'
import { define, Progress, printable } from './commandLine.ts'
import { forEach, throwIfStopped } from './each.ts'
import { Mapping } from './mapping.ts'
import { plural } from './plural.ts'
import { type Entry, readJokes } from './reader.ts'
import { localUrl, Target, URL_HELP } from './send.ts'

/** Outcome for a joke that is not rejected. */
type Outcome = 'added' | 'waiting' | 'exists' | 'removed'

const collect = (value: string, others: string[] = []) => [...others, value]

export const importJokes = define(
  'import',
  `Adds the jokes of a file to a service. A joke that already exists is not added again, so an import can be stopped and
repeated. Rejected jokes are written, each under its place and reason, to a new file next to yours. Correct them there, and
import that file with the same options. The categories are ${CATEGORIES.join(', ')}.`,
  ['import jokes.csv --dry-run', 'import jokes.json "$URL" --map body=joke --category Classic'],
)
  .argument('<file>', 'JSON, JSON Lines, a table (.csv, .tsv), or texts (.txt, or a file of fortunes), in UTF-8')
  .argument('[url]', URL_HELP)
  .option('--map <mapping>', 'names a field: FIELD=joke, FIELD=punchline or FIELD=category; may be repeated', collect)
  .option(
    '--category <mapping>',
    `a category for jokes without a known one, such as Classic, or for one value: pun='Word game'; may be repeated`,
    collect,
  )
  .option('--dry-run', 'only reads the file, and says which jokes a service would reject')
  .action(async (file, url = localUrl(), { map, category, dryRun: isDryRun }) => {
    const mapping = new Mapping(map, category)
    const stop = new AbortController()
    const progress = new Progress()
    const target = new Target(url, stop.signal)
    console.error(isDryRun ? `Reading ${file}.` : `Importing ${file} into ${target.url}.`)
    const { entries, notes } = readJokes(readFileSync(file), file, mapping)
    for (const note of notes) console.error(note)

    const counts = { added: 0, waiting: 0, exists: 0, removed: 0, valid: 0 }
    const reasons = new Map<Entry, string[]>()
    const outcomeOf = isDryRun ? check : addTo(target)
    const work = async (entry: Entry) => {
      try {
        if (entry.fault !== undefined) throw faulty(entry.fault)
        counts[await outcomeOf(mapping.jokeOf(entry.fields))] += 1
      } catch (error) {
        if (!(error instanceof ProblemError && error.members.errors)) throw error
        reasons.set(
          entry,
          error.members.errors.map(({ field, detail }) => `${field} ${detail}`.trim()),
        )
      }
    }
    progress.start(entries.length)
    const left = await forEach(entries, work, stop, progress)

    const parts = [
      isDryRun ? `${plural(entries.length, 'joke')}: ${counts.valid} valid` : `${counts.added} added`,
      counts.waiting > 0 && `${counts.waiting} waiting for approval`,
      !isDryRun && `${counts.exists} there already`,
      counts.removed > 0 && `${counts.removed} removed by the operators`,
      `${reasons.size} rejected`,
    ]
    if (left < entries.length || !stop.signal.aborted) console.log(`${parts.filter(Boolean).join(', ')}.`)
    const rejected = entries.filter((entry) => reasons.has(entry))
    for (const line of summaryOf([...reasons.values()].flat())) console.log(line)
    if (rejected.length > 0) process.exitCode ??= 1
    if (rejected.length > 0 && !isDryRun)
      writeRejected(
        file,
        rejected.map((entry) => `# ${printable(`${entry.label}: ${reasons.get(entry)?.join(' ')}`)}\n${entry.json}\n`),
      )
    throwIfStopped(
      stop,
      `Left: ${left} of ${plural(entries.length, 'joke')}. Run the same command again: no joke is added twice.`,
    )
  })

/** Counts a joke of a dry run. @throws {ProblemError} if the rules of this version reject it */
async function check(joke: unknown): Promise<'valid'> {
  validate(JokeInput, joke)
  return 'valid'
}

/** The outcomes by the `code` of a 409. */
const DUPLICATES: Record<string, Outcome> = { duplicate: 'exists', waiting: 'waiting', removed: 'removed' }

/** @returns a function that adds a joke, and throws a {@link ProblemError} if the service rejects it */
function addTo(target: Target): (joke: unknown) => Promise<Outcome> {
  let isWaiting: Promise<boolean> | undefined
  return async (joke) => {
    const { response, body } = await target.postJoke(joke)
    const { status } = response
    if (status === 201) {
      // Approval is a setting of the service, so the first new joke shows it for all others.
      isWaiting ??= target.getPage(`joke?id=${body.id}`).then(({ jokes }) => jokes.length === 0)
      return (await isWaiting) ? 'waiting' : 'added'
    }
    if (status === 409) return DUPLICATES[`${body.code}`] ?? 'exists'
    if (status !== 400 && status !== 413) throw target.unexpected(response, body)
    if (body.errors)
      throw new ProblemError('invalid', { errors: body.errors.map((error) => ({ ...error, code: 'invalid' })) })
    throw faulty(`The service answers ${status}${body.detail ? `: ${body.detail}` : '.'}`)
  }
}

/** Makes the error for a fault of the joke as a whole. */
function faulty(detail: string): ProblemError {
  return new ProblemError('invalid', { errors: [{ field: '', code: 'invalid', detail }] })
}

/** Counts the reasons of rejected jokes, the most frequent first, and names the option that helps. */
function summaryOf(reasons: string[]): string[] {
  const counts = new Map<string, number>()
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  const sorted = [...counts].toSorted(([, one], [, other]) => other - one).slice(0, 10)
  const lines = sorted.map(([reason, count]) => `${count} × ${printable(reason)}`)
  const isAboutCategory = reasons.some((reason) => reason.startsWith('category '))
  return isAboutCategory
    ? [...lines, `For all of these without a category of the service: --category ${CATEGORIES[1]}.`]
    : lines
}

/**
 * Writes rejected jokes as JSON Lines to a new file, in the folder of a regular file, otherwise in the working directory.
 * Never overwrites a file with other contents, because it may hold corrections.
 */
function writeRejected(file: string, lines: string[]): void {
  const name = lstatSync(file).isFile() ? file.replace(/\.invalid(-\d+)?\.jsonl$/, '') : basename(file)
  const text = lines.join('')
  for (let number = 1; ; number++) {
    const output = `${name}.invalid${number > 1 ? `-${number}` : ''}.jsonl`
    if (existsSync(output) && readFileSync(output, 'utf8') !== text) continue
    writeFileSync(output, text)
    console.log(`The rejected jokes are in ${output}. Correct them there, and import that file with the same options.`)
    return
  }
}
