/** `npm run import -- FILE [--to URL] [--map …] [--dry-run]`: adds the jokes of a file to the service. */
import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { forEachAtOnce } from '../shared/atOnce.ts'
import { messageOf } from '../shared/causes.ts'
import { InvalidInput } from '../shared/errors.ts'
import { identify, JokeInput } from '../shared/joke.ts'
import { validate } from '../shared/validate.ts'
import { abortOnSignals, CannotContinue, collect, count, onlyArgument, Progress, runCommand } from './commandLine.ts'
import { type Entry, entriesOf, type Mapping, parseMapping, toJokeInput } from './jokeFile.ts'
import { LOCAL_URL, Target } from './send.ts'

const USAGE = `Usage: npm run import -- FILE [--to URL] [--map FIELD=NAME]… [--map FIELD:VALUE=OTHER]… [--dry-run]

Adds the jokes of a file to a service. A joke that already exists is not added again, so an import can be
stopped and repeated. Rejected jokes are written, each under its place and reason, to a new file beside
FILE. Correct them there, and import that file with the same options.

FILE       jokes as {"joke": …, "punchline": …, "category": …}, in UTF-8: a JSON array, an object that contains
           one, JSON Lines, or CSV whose first line names the columns; - reads standard input
--to URL   the service; default: ${LOCAL_URL}
--map      translates names and values: --map setup=joke --map type=category --map type:general=Classic
           --map rating= leaves a field out; --map category:=Classic is the value for jokes without one
--dry-run  only says what would happen`

/** What became of an entry; an object: it is invalid. */
type Outcome = 'added' | 'exists' | 'unlisted' | { reason: string }
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
    const bytes = file === '-' ? await buffer(process.stdin) : readFileSync(file)
    const entries = collect(entriesOf(bytes, mapping), 'Jokes read: {value}')

    abortOnSignals(stop)
    const outcomes = new Map<Entry, Outcome>()
    const importJoke = isDryRun ? dryRun(target) : addTo(target)
    progress.start('{bar} {value} of {total}{eta}', entries.length)
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
    throw new CannotContinue(
      `${stop.signal.reason.message} Left: ${entries.length - outcomes.size} of ${count(entries.length)}. Run the same command again: no joke is added twice.`,
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
        return problem.id === undefined ? 'unlisted' : 'exists'
      case 400:
      case 413:
        return {
          reason: problem.errors
            ? new InvalidInput(problem.errors).message
            : `The service answers ${response.status}${problem.detail ? `: ${problem.detail}` : '.'}`,
        }
      default:
        throw target.unexpected(response, problem)
    }
  }
}

/** Finds out what {@link addTo} would do, by this version's rules. Jokes that are not listed look new. */
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
  const counts = { added: 0, exists: 0, unlisted: 0 }
  const rejected: Rejected[] = []
  for (const entry of entries) {
    const outcome = outcomes.get(entry)
    if (typeof outcome === 'object') rejected.push({ ...entry, ...outcome })
    else if (outcome !== undefined) counts[outcome] += 1
  }
  const unlisted = counts.unlisted > 0 ? `, ${counts.unlisted} removed or waiting for approval` : ''
  console.log(
    `${counts.added} ${isDryRun ? 'would be added' : 'added'}, ${counts.exists} already there${unlisted}, ${rejected.length} invalid.`,
  )
  if (rejected.length === 0) return
  process.exitCode = 1
  if (isDryRun) for (const { place, reason } of rejected) console.log(`${place}: ${reason}`)
  else writeRejected(file, rejected)
}

/** Writes rejected jokes as JSON Lines to a new file: beside a regular file, otherwise to the working directory. */
function writeRejected(file: string, rejected: Rejected[]): void {
  const isRegular = file !== '-' && lstatSync(file).isFile()
  const name = isRegular ? file.replace(/\.invalid(-\d+)?\.jsonl$/, '') : basename(file === '-' ? 'stdin' : file)
  const text = Buffer.concat(
    rejected.flatMap(({ place, reason, json }) => [
      Buffer.from(`# ${place}: ${reason.replaceAll(/\s+/g, ' ')}\n`),
      json,
      Buffer.from('\n'),
    ]),
  )
  let output = `${name}.invalid.jsonl`
  // Another one may hold corrections.
  for (let number = 2; existsSync(output) && !readFileSync(output).equals(text); number++)
    output = `${name}.invalid-${number}.jsonl`
  writeFileSync(output, text)
  console.log(
    `The rejected jokes are in ${output}, each under its place and reason. Correct them there, and import that file with the same options.`,
  )
}
