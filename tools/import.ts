/** `npm run import -- FILE [URL] [--map …] [--dry-run]`: adds the jokes of a file to the service. */
import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { SingleBar } from 'cli-progress'
import { forEachAtOnce } from '../shared/atOnce.ts'
import { InvalidInput } from '../shared/errors.ts'
import { identify, JokeInput } from '../shared/joke.ts'
import { validate } from '../shared/validate.ts'
import { abortOnSignals, CannotContinue, count, Progress, runCommand, WrongUsage } from './commandLine.ts'
import { type Entry, entriesOf, parseMapping, Rejected, toJokeInput } from './jokeFile.ts'
import { LOCAL_URL, Target } from './send.ts'

const USAGE = `Usage: npm run import -- FILE [URL] [--map FIELD=NAME]… [--map FIELD:VALUE=OTHER]… [--dry-run]

Adds the jokes of a file to a service. A joke that already exists is not added again, so an import can be
stopped and repeated. Rejected jokes are written, each under its place and reason, to a new file beside
FILE. Correct them there, and import that file with the same options.

FILE       jokes as {"joke": …, "punchline": …, "category": …}, in UTF-8: a JSON array, an object that contains
           one, JSON Lines, or CSV whose first line names the columns; - reads standard input
URL        the service; default: ${LOCAL_URL}
--to URL   the same. npm 11 takes it for one of its own options if -- is missing, so rather leave out --to
--map      translates names and values: --map setup=joke --map type=category --map type:general=Classic
           --map rating= leaves a field out; --map category:=Classic is the value for jokes without one
--dry-run  only says what would happen`

type Outcome = 'added' | 'exists' | 'unlisted'
/** Throws {@link Rejected} or {@link InvalidInput} if the joke is to blame. */
type ImportJoke = (joke: unknown) => Promise<Outcome>

await runCommand(
  USAGE,
  {
    to: { type: 'string' },
    map: { type: 'string', multiple: true, default: [] },
    'dry-run': { type: 'boolean', default: false },
  },
  async ({ values, positionals }) => {
    const [file, url, ...others] = positionals
    if (file === undefined || others.length > 0) throw new WrongUsage('Name one file, or - for standard input.')
    if (url !== undefined && values.to !== undefined) throw new WrongUsage('Name one service.')
    const mapping = parseMapping(values.map)
    const isDryRun = values['dry-run']
    const stop = new AbortController()
    const progress = new Progress()
    const target = new Target(url ?? values.to ?? LOCAL_URL, progress.log, stop.signal)
    progress.log(`${isDryRun ? 'Dry run: importing' : 'Importing'} ${file} into ${target.url}.`)
    const bytes = file === '-' ? await buffer(process.stdin) : readFileSync(file)
    const reading = new SingleBar({ format: 'Jokes read: {value}', clearOnComplete: true })
    reading.start(0, 0)
    const entries = Array.from(entriesOf(bytes, mapping), (entry) => {
      reading.increment()
      return entry
    })
    reading.stop()

    abortOnSignals(stop)
    const counts: Record<Outcome, number> = { added: 0, exists: 0, unlisted: 0 }
    const reasons = new Map<Entry, string>()
    const importJoke = isDryRun ? dryRun(target) : addTo(target)
    progress.start('{bar} {value} of {total}{eta}', entries.length)
    let left = entries.length
    await forEachAtOnce(entries, async (entry) => {
      if (stop.signal.aborted) return
      try {
        const outcome = await importJoke(toJokeInput(entry, mapping))
        counts[outcome] += 1
      } catch (error) {
        if (!(error instanceof Rejected || error instanceof InvalidInput)) return stop.abort(error)
        reasons.set(entry, error.message.replaceAll(/\s+/g, ' '))
      }
      left -= 1
      progress.increment()
    })
    progress.stop()

    const unlisted = counts.unlisted > 0 ? `, ${counts.unlisted} removed or waiting for approval` : ''
    console.log(
      `${counts.added} ${isDryRun ? 'would be added' : 'added'}, ${counts.exists} already there${unlisted}, ${reasons.size} invalid.`,
    )
    const rejected = entries
      .filter((entry) => reasons.has(entry))
      .map((entry) => ({ json: entry.json, heading: `${entry.place}: ${reasons.get(entry)}` }))
    if (rejected.length > 0) process.exitCode = 1
    if (isDryRun) for (const { heading } of rejected) console.log(heading)
    else if (rejected.length > 0) writeRejected(file, rejected)
    if (!stop.signal.aborted) return
    if (!(stop.signal.reason instanceof CannotContinue)) throw stop.signal.reason
    throw new CannotContinue(
      `${stop.signal.reason.message} Left: ${left} of ${count(entries.length)}. Run the same command again: no joke is added twice.`,
    )
  },
)

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
        if (problem.errors) throw new InvalidInput(problem.errors)
        throw new Rejected(`The service answers ${response.status}${problem.detail ? `: ${problem.detail}` : '.'}`)
      default:
        throw target.unexpected(response, problem)
    }
  }
}

/** Finds out what {@link addTo} would do, by this version's rules. Jokes that are not listed look new. */
function dryRun(target: Target): ImportJoke {
  const ids = new Set<string>()
  return async (input) => {
    const id = identify(validate(JokeInput, input))
    if (ids.has(id)) return 'exists'
    ids.add(id)
    const { jokes } = await target.getPage(`joke?id=${id}`)
    return jokes.length > 0 ? 'exists' : 'added'
  }
}

/** Writes rejected jokes as JSON Lines to a new file: beside a regular file, otherwise to the working directory. */
function writeRejected(file: string, rejected: { json: Buffer; heading: string }[]): void {
  const isRegular = file !== '-' && lstatSync(file).isFile()
  const name = isRegular ? file.replace(/\.invalid(-\d+)?\.jsonl$/, '') : basename(file === '-' ? 'stdin' : file)
  const parts = rejected.flatMap(({ json, heading }) => [Buffer.from(`# ${heading}\n`), json, Buffer.from('\n')])
  const text = Buffer.concat(parts)
  let output = `${name}.invalid.jsonl`
  // Another one may hold corrections.
  for (let number = 2; existsSync(output) && !readFileSync(output).equals(text); number++)
    output = `${name}.invalid-${number}.jsonl`
  writeFileSync(output, text)
  console.log(
    `The rejected jokes are in ${output}, each under its place and reason. Correct them there, and import that file with the same options.`,
  )
}
