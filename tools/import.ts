/** `npm run import -- FILE [--to URL] [--map …]`: adds the jokes of a file to the service. */
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Presets, SingleBar } from 'cli-progress'
import { type Entry, entriesOf, parseMapping, toNewJoke } from './jokeFile.ts'
import { addressOf, OutOfReach, send } from './send.ts'

const USAGE = `Usage: npm run import -- FILE [--to URL] [--map FIELD=NAME]… [--map FIELD:VALUE=OTHER]…

FILE       a JSON array, or JSON Lines, of jokes: {"joke": …, "punchline": …, "category": …}
--to URL   the service; http://localhost:3000 where absent
--map      for other names and values: --map setup=joke --map type=category --map type:general=Classic
           --map rating= leaves a field out; --map category:=Classic stands in where it is missing`

/** Enough to keep a deployed service busy for some hundred jokes a second, without being taken for an attack. */
const AT_ONCE = 16

const { values, positionals } = readArguments()
const [file] = positionals
if (file === undefined || positionals.length > 1) exit(USAGE)
const mapping = attempt(() => parseMapping(values.map))
const address = attempt(() => addressOf(values.to, 'joke'))
const entries = entriesOf(attempt(() => readFileSync(file, 'utf8')))

// Writes to standard error, and nothing where that leads elsewhere than to a terminal.
const progress = new SingleBar(
  { format: '{bar} {value} of {total}, {eta} s left', clearOnComplete: true },
  Presets.shades_classic,
)
progress.start(entries.length, 0)
const invalid: (Entry & { reason: string })[] = []
const counts = { added: 0, alreadyThere: 0 }
const stop = new AbortController()

// Twice where npm hands it on, so that it must not end the process before the report.
process.on('SIGINT', () => stop.abort('Broken off.'))
const waiting = entries.values()
await Promise.all(Array.from({ length: AT_ONCE }, work))
progress.stop()
report()

/** Adds one joke after the other, beside other workers that do the same. */
async function work(): Promise<void> {
  for (const entry of waiting) {
    try {
      await add(entry)
    } catch (error) {
      if (error instanceof OutOfReach) stop.abort(error.message)
      else if (!stop.signal.aborted) throw error
    }
    if (stop.signal.aborted) return
    progress.increment()
  }
}

async function add(entry: Entry): Promise<void> {
  let body: string
  try {
    body = JSON.stringify(toNewJoke(entry, mapping))
  } catch (error) {
    invalid.push({ ...entry, reason: error instanceof Error ? error.message : String(error) })
    return
  }
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
  const answer = await send(address, request, stop.signal)
  const { detail, errors } = Object(await answer.json().catch(() => undefined))
  if (answer.status === 201) counts.added += 1
  else if (answer.status === 409) counts.alreadyThere += 1
  else invalid.push({ ...entry, reason: reasonOf(errors) ?? detail ?? `${address} answers ${answer.status}.` })
}

function reasonOf(errors: unknown): string | undefined {
  if (!Array.isArray(errors)) return undefined
  return errors.map(({ field, detail }) => `${field} ${detail}`).join(' ')
}

function report(): void {
  const left = entries.length - counts.added - counts.alreadyThere - invalid.length
  console.log(`${counts.added} added, ${counts.alreadyThere} already there, ${invalid.length} invalid.`)
  if (invalid.length > 0) {
    const rejects = `${file}.invalid.jsonl`
    const lines = invalid
      .toSorted((one, other) => one.line - other.line)
      .flatMap(({ line, reason, text }) => [`# line ${line}: ${reason.replaceAll(/\s+/g, ' ')}`, text])
    writeFileSync(rejects, `${lines.join('\n')}\n`)
    console.log(`The invalid ones, each below its reason, are in ${rejects}: mend them there and import that file.`)
  }
  if (stop.signal.aborted)
    console.error(`${stop.signal.reason} ${left} are left: run the same again, which adds no joke twice.`)
  if (stop.signal.aborted || invalid.length > 0) process.exitCode = 1
}

function readArguments() {
  return attempt(() =>
    parseArgs({
      allowPositionals: true,
      options: {
        to: { type: 'string', default: 'http://localhost:3000' },
        map: { type: 'string', multiple: true, default: [] },
      },
    }),
  )
}

function attempt<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    return exit(error instanceof Error ? `${error.message}\n\n${USAGE}` : USAGE)
  }
}

function exit(message: string): never {
  console.error(message)
  process.exit(1)
}
