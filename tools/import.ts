/** `npm run import -- FILE [--to URL] [--map …] [--dry-run]`: adds the jokes of a file to the service. */
import { lstatSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type Fault, InvalidInput } from '../shared/errors.ts'
import { identify, JokeInput } from '../shared/joke.ts'
import { validate } from '../shared/validate.ts'
import { CannotContinue, Progress, runCommand } from './commandLine.ts'
import { type Entry, entriesOf, type Mapping, parseMapping, toJokeInput } from './jokeFile.ts'
import { Target } from './send.ts'

const USAGE = `Usage: npm run import -- FILE [--to URL] [--map FIELD=NAME]… [--map FIELD:VALUE=OTHER]… [--dry-run]

Adds the jokes of a file to a service. A joke that is there already is not added again, so an import can be
stopped and repeated. Jokes that the service refuses are written to FILE.invalid.jsonl, each below the reason.

FILE       jokes as {"joke": …, "punchline": …, "category": …}, in UTF-8: a JSON array, an object that holds
           one, JSON Lines, or CSV whose first line names the columns; - reads standard input
--to URL   the service; http://localhost:3000 where absent
--map      for other names and values: --map setup=joke --map type=category --map type:general=Classic
           --map rating= leaves a field out; --map category:=Classic stands in where it is missing
--dry-run  only says what would happen`

/** Enough to keep a deployed service busy for some hundred jokes a second, without being taken for an attack. */
const AT_ONCE = 16

await runCommand(
  USAGE,
  {
    to: { type: 'string', default: 'http://localhost:3000' },
    map: { type: 'string', multiple: true, default: [] },
    'dry-run': { type: 'boolean', default: false },
  },
  async ({ values, positionals }) => {
    const [file] = positionals
    if (file === undefined || positionals.length > 1)
      throw new CannotContinue('Name one file, or - for standard input. See --help.')
    const mapping = parseMapping(values.map)
    const isDryRun = values['dry-run']
    const stop = new AbortController()
    const progress = new Progress()
    const target = new Target(values.to, progress.say, stop.signal)
    progress.say(`${isDryRun ? 'Dry run: importing' : 'Importing'} ${file} into ${target.url}.`)
    const entries = entriesOf(file === '-' ? await buffer(process.stdin) : readFileSync(file), mapping)

    // npm forwards Ctrl-C, so it may arrive twice; the process must still print its report.
    process.on('SIGINT', () => stop.abort(new CannotContinue('Stopped.')))
    const outcomes = new Map<Entry, Outcome>()
    const waiting = entries.values()
    const decide = isDryRun ? foretell(target) : add(target)
    const work = async () => {
      for (const entry of waiting) {
        outcomes.set(entry, await outcomeOf(entry, mapping, decide))
        if (stop.signal.aborted) return
        progress.increment()
      }
    }
    progress.start('{bar} {value} of {total}, {eta} s left', entries.length)
    await Promise.all(Array.from({ length: AT_ONCE }, () => work().catch((error) => stop.abort(error))))
    progress.stop()

    const invalid = entries.flatMap((entry) => {
      const outcome = outcomes.get(entry)
      return typeof outcome === 'object' ? [{ ...entry, ...outcome }] : []
    })
    console.log(summaryOf([...outcomes.values()], isDryRun))
    if (isDryRun) for (const { line, reason } of invalid) console.log(`line ${line}: ${reason}`)
    else if (invalid.length > 0) writeRejects(file, invalid)
    if (invalid.length > 0) process.exitCode = 1
    if (!stop.signal.aborted) return
    if (!(stop.signal.reason instanceof CannotContinue)) throw stop.signal.reason
    const left = entries.length - outcomes.size
    throw new CannotContinue(
      `${stop.signal.reason.message} ${left} of ${entries.length} are left. Run the same again: no joke is added twice.`,
    )
  },
)

/** What becomes of an entry; an object: it is invalid. */
type Outcome = 'added' | 'there' | 'removed' | { reason: string }

async function outcomeOf(
  entry: Entry,
  mapping: Mapping,
  decide: (joke: unknown) => Promise<Outcome>,
): Promise<Outcome> {
  let joke: unknown
  try {
    joke = toJokeInput(entry, mapping)
  } catch (error) {
    return { reason: error instanceof Error ? error.message : String(error) }
  }
  return decide(joke)
}

/** Adds a joke to a service. */
function add(target: Target) {
  return async (joke: unknown): Promise<Outcome> => {
    const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(joke) }
    const answer = await target.send('joke', request)
    const { id, detail, errors } = Object(await answer.json().catch(() => undefined))
    switch (answer.status) {
      case 201:
        return 'added'
      case 409:
        return id === undefined ? 'removed' : 'there'
      case 400:
        return { reason: Array.isArray(errors) ? reasonOf(errors) : `The service answers 400: ${detail}` }
      default:
        throw target.unexpected(answer, detail)
    }
  }
}

/** Tells what `add` would do, by this version's rules; it cannot tell which jokes have been removed. */
function foretell(target: Target) {
  const ids = new Set<string>()
  return async (sent: unknown): Promise<Outcome> => {
    let joke: JokeInput
    try {
      joke = validate(JokeInput, sent, 'body')
    } catch (error) {
      if (error instanceof InvalidInput) return { reason: reasonOf(error.faults) }
      throw error
    }
    const id = identify(joke)
    if (ids.has(id)) return 'there'
    ids.add(id)
    const answer = await target.send(`joke?id=${id}`)
    const found: unknown = await answer.json().catch(() => undefined)
    if (!answer.ok || !Array.isArray(found)) throw target.unexpected(answer, Object(found).detail)
    return found.length > 0 ? 'there' : 'added'
  }
}

function reasonOf(faults: Fault[]): string {
  return faults.map(({ field, detail }) => `${field} ${detail}`).join(' ')
}

function summaryOf(outcomes: Outcome[], isDryRun: boolean): string {
  const count = (kind: Outcome) => outcomes.filter((outcome) => outcome === kind).length
  const invalid = outcomes.filter((outcome) => typeof outcome === 'object').length
  const removed = count('removed') > 0 ? `, ${count('removed')} removed earlier by the operators` : ''
  return `${count('added')} ${isDryRun ? 'would be added' : 'added'}, ${count('there')} already there${removed}, ${invalid} invalid.`
}

/** Writes what was refused, as it came, beside a regular file, otherwise to the working directory. */
function writeRejects(file: string, invalid: (Entry & { reason: string })[]): void {
  const isRegular = file !== '-' && lstatSync(file).isFile()
  const rejects = `${isRegular ? file : basename(file === '-' ? 'stdin' : file)}.invalid.jsonl`
  const lines = invalid.flatMap(({ line, reason, text }) => [
    Buffer.from(`# line ${line}: ${reason.replaceAll(/\s+/g, ' ')}\n`),
    Buffer.from(`${text}\n`, 'latin1'),
  ])
  writeFileSync(rejects, Buffer.concat(lines))
  console.log(`The invalid ones, each below its reason, are in ${rejects}: mend them there and import that file.`)
}
