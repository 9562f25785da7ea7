/** `bin/jokes import`: adds the jokes of a file to a service. */
import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { buffer } from 'node:stream/consumers'
import DataLoader from 'dataloader'
import * as v from 'valibot'
import { MAX_IDS } from '../shared/clientLimits.ts'
import { type FieldError, InvalidInput } from '../shared/errors.ts'
import { CATEGORIES, identify, JokeInput } from '../shared/joke.ts'
import { plural } from '../shared/plural.ts'
import { FIELD_CODES } from '../shared/problem.ts'
import { validate } from '../shared/validate.ts'
import { define, Progress, printable } from './commandLine.ts'
import { forEach, throwIfStopped } from './each.ts'
import { entriesOf, type FileEntry } from './jokeFile.ts'
import { faultyJoke, MAPPINGS, parseMapping, toJokeInput } from './mapping.ts'
import { localUrl, Target, URL_HELP } from './send.ts'

/** Outcome for a joke that is not rejected. */
type Outcome = 'added' | 'waiting' | 'exists' | 'removed'

export const importJokes = define(
  'import',
  `Adds the jokes of a file to a service. A joke that already exists is not added again, so an import can be stopped and
repeated. Rejected jokes are written, each under its line and reason, to a new file next to yours. Correct them there, and
import that file with the same options. A joke is {"joke": …, "punchline": …, "category": …}, and the categories are
${CATEGORIES.join(', ')}.`,
  ['import jokes.csv --dry-run', 'import jokes.json "$URL" --map setup=joke --map category:=Classic'],
)
  .argument(
    '<file>',
    'JSON (.json), JSON Lines (.jsonl), or CSV whose first line names the columns; in UTF-8 or UTF-16; - reads standard input',
  )
  .argument('[url]', URL_HELP)
  .option(
    '--map <mapping>',
    `translates names and values: --map setup=joke --map type=category --map type:general=Classic
--map rating= leaves a field out; --map category:=Classic is for jokes without one
* stands for all others: --map 'type:*=Classic' --map '*='
or the name of a collection: ${Object.keys(MAPPINGS).join(', ')}`,
    (mapping: string, others: string[] = []) => [...others, mapping],
  )
  .option('--dry-run', 'only says what would happen')
  .action(async (file, url = localUrl(), { map = [], dryRun: isDryRun }) => {
    const mapping = parseMapping(map)
    const stop = new AbortController()
    const progress = new Progress()
    const target = new Target(url, console.error, stop.signal)
    console.error(`${isDryRun ? 'Dry run: importing' : 'Importing'} ${file} into ${target.url}.`)
    const entries = Array.from(entriesOf(await (file === '-' ? buffer(process.stdin) : readFile(file)), file, mapping))

    const counts: Record<Outcome, number> = { added: 0, waiting: 0, exists: 0, removed: 0 }
    const reasons = new Map<FileEntry, FieldError[]>()
    const outcomeOf = isDryRun ? predictFor(target) : addTo(target)
    const work = async (entry: FileEntry) => {
      try {
        counts[await outcomeOf(toJokeInput(entry, mapping))] += 1
      } catch (error) {
        if (!(error instanceof InvalidInput)) throw error
        reasons.set(entry, error.errors)
      }
    }
    progress.start(entries.length)
    const left = await forEach(entries, work, stop, progress)

    const parts = [
      `${counts.added} ${isDryRun ? 'would be added' : 'added'}`,
      counts.waiting > 0 && `${counts.waiting} waiting for approval`,
      `${counts.exists} there already`,
      counts.removed > 0 && `${counts.removed} removed by the operators`,
      `${reasons.size} rejected`,
    ]
    const isBegun = left < entries.length
    if (isBegun || !stop.signal.aborted) console.log(`${parts.filter(Boolean).join(', ')}.`)
    if (isDryRun && counts.added > 0)
      console.log('Only an import can tell which of those wait for approval, or were removed.')
    const rejected = entries.flatMap((entry) => {
      const why = reasons.get(entry)?.map(({ field, detail }) => `${field} ${detail}`.trim())
      return why ? { json: entry.json, heading: printable(`${entry.label}: ${why.join(' ')}`) } : []
    })
    if (rejected.length > 0) process.exitCode ??= 1
    if (isDryRun) for (const { heading } of rejected) console.log(heading)
    else if (rejected.length > 0) writeRejected(file, rejected)
    for (const line of summaryOf([...reasons.values()])) console.log(line)
    throwIfStopped(
      stop,
      `Left: ${left} of ${plural(entries.length, 'joke')}. Run the same command again: no joke is added twice.`,
    )
  })

/** The errors of a 400. A code that only a newer service knows counts as `invalid`. */
const Reasons = v.array(
  v.object({ field: v.string(), code: v.fallback(v.picklist(FIELD_CODES), 'invalid'), detail: v.string() }),
)

/** The outcomes by the `code` of a 409. */
const DUPLICATES: Record<string, Outcome> = { duplicate: 'exists', waiting: 'waiting', removed: 'removed' }

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
    if (body.errors) throw new InvalidInput(v.parse(Reasons, body.errors))
    throw faultyJoke(`The service answers ${status}${body.detail ? `: ${body.detail}` : '.'}`)
  }
}

/** Predicts outcomes for a dry run. A joke that waits or was removed counts as new, because it is not listed. */
function predictFor(target: Target): (joke: unknown) => Promise<Outcome> {
  const areListed = async (ids: readonly string[]) => {
    const { jokes } = await target.getPage(`joke?id=${ids}`)
    const listed = v.parse(v.array(v.object({ id: v.string() })), jokes).map(({ id }) => id)
    return ids.map((id) => listed.includes(id))
  }
  const listed = new DataLoader(areListed, { maxBatchSize: MAX_IDS })
  const seen = new Set<string>()
  return async (joke) => {
    const id = identify(validate(JokeInput, joke))
    const isRepeated = seen.has(id)
    seen.add(id)
    return isRepeated || (await listed.load(id)) ? 'exists' : 'added'
  }
}

/** Counts the rejected jokes for each reason, the most frequent first. */
function summaryOf(rejected: FieldError[][]): string[] {
  const unknown = rejected.flat().filter(({ code }) => code === 'unknown')
  const names = [...new Set(unknown.map(({ field }) => field))].slice(0, 20).join(', ')
  const counts = new Map<string, number>()
  for (const reason of rejected.flatMap((errors) => [...new Set(errors.map((error) => adviceOn(error, names)))]))
    counts.set(reason, (counts.get(reason) ?? 0) + 1)
  const sorted = [...counts].sort(([, one], [, other]) => other - one)
  return sorted.map(([reason, count]) => `${count.toLocaleString('en')} × ${printable(reason)}`)
}

/** Returns the reason for rejecting a joke, with an option that helps. All unknown fields are one reason. */
function adviceOn({ field, code, detail }: FieldError, unknown: string): string {
  if (code === 'unknown') return `fields that are not accepted (${unknown}): leave them out with --map '*='`
  if (field === 'joke' && code === 'required') return 'joke is required: say which field it is with --map FIELD=joke'
  if (field === 'category' && code === 'required')
    return `category is required: set it with --map category:=${CATEGORIES[1]}`
  if (field === 'category') return `category ${detail} Translate others with --map category:OTHER=${CATEGORIES[1]}`
  // The position in the message differs between jokes that have the same fault.
  return `${field} ${detail}`.trim().replace(/^(This is not JSON): .*/s, '$1.')
}

/**
 * Writes rejected jokes as JSON Lines to a new file, in the folder of a regular file, otherwise in the working directory.
 * Never overwrites a file with other contents, because it may hold corrections.
 */
function writeRejected(file: string, rejected: { json: string; heading: string }[]): void {
  const isRegular = file !== '-' && lstatSync(file).isFile()
  const name = isRegular ? file.replace(/\.invalid(-\d+)?\.jsonl$/, '') : basename(file === '-' ? 'stdin' : file)
  const text = rejected.map(({ json, heading }) => `# ${heading}\n${json}\n`).join('')
  for (let number = 1; ; number++) {
    const output = `${name}.invalid${number > 1 ? `-${number}` : ''}.jsonl`
    if (existsSync(output) && readFileSync(output, 'utf8') !== text) continue
    writeFileSync(output, text)
    console.log(
      `The rejected jokes are in ${output}, each under its line and reason. Correct them there, and import that file with the same options.`,
    )
    return
  }
}
