/** `npm run import -- FILE [--to URL] [--map …] [--dry-run]`: adds the jokes of a file to the service. */
import { lstatSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { forEachAtOnce } from '../shared/atOnce.ts'
import { messageOf } from '../shared/causes.ts'
import { InvalidInput } from '../shared/errors.ts'
import { identify, JokeInput } from '../shared/joke.ts'
import { validate } from '../shared/validate.ts'
import { abortOnSignals, CannotContinue, onlyArgument, Progress, runCommand } from './commandLine.ts'
import { type Entry, entriesOf, type Mapping, parseMapping, toJokeInput } from './jokeFile.ts'
import { LOCAL_URL, Target } from './send.ts'

const USAGE = `Usage: npm run import -- FILE [--to URL] [--map FIELD=NAME]… [--map FIELD:VALUE=OTHER]… [--dry-run]

Adds the jokes of a file to a service. A joke that already exists is not added again, so an import can be
stopped and repeated. Rejected jokes are written, each under its reason, to FILE.invalid.jsonl.

FILE       jokes as {"joke": …, "punchline": …, "category": …}, in UTF-8: a JSON array, an object that contains
           one, JSON Lines, or CSV whose first line names the columns; - reads standard input
--to URL   the service; default: ${LOCAL_URL}
--map      translates names and values: --map setup=joke --map type=category --map type:general=Classic
           --map rating= leaves a field out; --map category:=Classic is the value for jokes without one
--dry-run  only says what would happen`

/** What became of an entry; an object: it is invalid. */
type Outcome = 'added' | 'exists' | 'removed' | { reason: string }
type ImportJoke = (joke: unknown) => Promise<Outcome>
type Rejected = Entry & { reason: string }

await runCommand(
  USAGE,
  {
    to: { type: 'string', default: LOCAL_URL },
    map: { type: 'string', multiple: true, default: [] },
    'dry-run': { type: 'boolean', default: false },
  },
  async ({ values, positionals }) => {
    const file = onlyArgument(positionals, 'Name one file, or - for standard input.')
    const mapping = parseMapping(values.map)
    const isDryRun = values['dry-run']
    const stop = new AbortController()
    const progress = new Progress()
    const target = new Target(values.to, progress.log, stop.signal)
    progress.log(`${isDryRun ? 'Dry run: importing' : 'Importing'} ${file} into ${target.url}.`)
    const entries = entriesOf(file === '-' ? await buffer(process.stdin) : readFileSync(file), mapping)

    abortOnSignals(stop)
    const outcomes = new Map<Entry, Outcome>()
    const importJoke = isDryRun ? dryRun(target) : addTo(target)
    progress.start('{bar} {value} of {total}, {eta} s left', entries.length)
    await forEachAtOnce(entries, async (entry) => {
      if (stop.signal.aborted) return
      try {
        outcomes.set(entry, await outcomeOf(entry, mapping, importJoke))
        progress.increment()
      } catch (error) {
        stop.abort(error)
      }
    })
    progress.stop()

    report(file, entries, outcomes, isDryRun)
    if (!stop.signal.aborted) return
    if (!(stop.signal.reason instanceof CannotContinue)) throw stop.signal.reason
    const left = entries.length - outcomes.size
    throw new CannotContinue(
      `${stop.signal.reason.message} ${left} of ${entries.length} jokes are left. Run the same command again: no joke is added twice.`,
    )
  },
)

async function outcomeOf(entry: Entry, mapping: Mapping, importJoke: ImportJoke): Promise<Outcome> {
  let joke: unknown
  try {
    joke = toJokeInput(entry, mapping)
  } catch (error) {
    return { reason: messageOf(error) }
  }
  return importJoke(joke)
}

/** Adds jokes to a service. */
function addTo(target: Target): ImportJoke {
  return async (joke) => {
    const { response, problem } = await target.postJoke(joke)
    switch (response.status) {
      case 201:
        return 'added'
      case 409:
        return problem.id === undefined ? 'removed' : 'exists'
      case 400:
        return {
          reason: problem.errors
            ? new InvalidInput(problem.errors).message
            : `The service answers 400: ${problem.detail}`,
        }
      default:
        throw target.unexpected(response, problem)
    }
  }
}

/** Finds out what {@link addTo} would do, by this version's rules. Removed jokes look new, as they are not listed. */
function dryRun(target: Target): ImportJoke {
  const ids = new Set<string>()
  return async (input) => {
    let joke: JokeInput
    try {
      joke = validate(JokeInput, input)
    } catch (error) {
      if (error instanceof InvalidInput) return { reason: error.message }
      throw error
    }
    const id = identify(joke)
    if (ids.has(id)) return 'exists'
    ids.add(id)
    const { jokes } = await target.getPage(`joke?id=${id}`)
    return jokes.length > 0 ? 'exists' : 'added'
  }
}

/** Prints the outcomes, and shows or writes what was rejected. */
function report(file: string, entries: Entry[], outcomes: Map<Entry, Outcome>, isDryRun: boolean): void {
  const counts = { added: 0, exists: 0, removed: 0 }
  const rejected: Rejected[] = []
  for (const entry of entries) {
    const outcome = outcomes.get(entry)
    if (typeof outcome === 'object') rejected.push({ ...entry, ...outcome })
    else if (outcome !== undefined) counts[outcome] += 1
  }
  const removed = counts.removed > 0 ? `, ${counts.removed} removed earlier by the operators` : ''
  console.log(
    `${counts.added} ${isDryRun ? 'would be added' : 'added'}, ${counts.exists} already there${removed}, ${rejected.length} invalid.`,
  )
  if (rejected.length === 0) return
  process.exitCode = 1
  if (isDryRun) for (const { line, reason } of rejected) console.log(`line ${line}: ${reason}`)
  else writeRejected(file, rejected)
}

/**
 * Writes rejected jokes, one a line, with the bytes of their texts unchanged: beside a regular file, otherwise to the
 * working directory.
 */
function writeRejected(file: string, rejected: Rejected[]): void {
  const isRegular = file !== '-' && lstatSync(file).isFile()
  const output = `${isRegular ? file : basename(file === '-' ? 'stdin' : file)}.invalid.jsonl`
  const lines = rejected.flatMap(({ line, reason, text }) => [
    Buffer.from(`# line ${line}: ${reason.replaceAll(/\s+/g, ' ')}\n`),
    Buffer.from(`${text}\n`, 'latin1'),
  ])
  writeFileSync(output, Buffer.concat(lines))
  console.log(`The rejected jokes are in ${output}, each under its reason. Correct them there and import that file.`)
}
