/** `npm run import -- FILE [URL] [--map …] [--dry-run]`: adds the jokes of a file to the service. */
import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import * as v from 'valibot'
import { MAX_IDS } from '../shared/clientLimits.ts'
import { type FieldError, InvalidInput } from '../shared/errors.ts'
import { CATEGORIES, identify, JokeInput } from '../shared/joke.ts'
import { plural } from '../shared/plural.ts'
import { validate } from '../shared/validate.ts'
import { FLAG, Progress, printable, runCommand, WrongUsage } from './commandLine.ts'
import { readInput } from './input.ts'
import { entriesOf, type FileEntry } from './jokeFile.ts'
import { MAPPINGS, parseMapping, Rejected, toJokeInput } from './mapping.ts'
import { LOCAL_URL, Target } from './send.ts'
import { throwIfStopped, workOn } from './workThrough.ts'

const USAGE = `Usage: npm run import -- FILE [URL] [--map FIELD=NAME]… [--map FIELD:VALUE=OTHER]… [--dry-run]

Adds the jokes of a file to a service. A joke that already exists is not added again, so an import can be
stopped and repeated. Rejected jokes are written, each under its line and reason, to a new file beside
FILE. Correct them there, and import that file with the same options.

FILE       jokes as {"joke": …, "punchline": …, "category": …}: JSON Lines, arrays, objects with arrays, or CSV whose
           first line names the columns; in UTF-8 or UTF-16; - reads standard input
URL        the service; default: ${LOCAL_URL}
           Write "$URL" with its quotation marks, so that an unset variable is refused
--map      translates names and values: --map setup=joke --map type=category --map type:general=Classic
           --map rating= leaves a field out; --map category:=Classic is the value for jokes without one
           * stands for all others: --map 'type:*=Classic' --map '*='
           or the name of a collection: ${Object.keys(MAPPINGS).join(', ')}
--dry-run  only says what would happen`

/** What becomes of a joke that is not rejected. */
type Outcome = 'added' | 'waiting' | 'exists' | 'removed'

/** On the terminal; broken lines each have their own. */
const MAX_REASONS = 20

await runCommand(
  USAGE,
  { map: { type: 'string', multiple: true, default: [] }, 'dry-run': FLAG },
  async ({ values, positionals }) => {
    const [file, url = LOCAL_URL, ...others] = positionals
    if (file === undefined || others.length > 0) throw new WrongUsage('Name one file, or - for standard input.')
    const mapping = parseMapping(values.map)
    const isDryRun = values['dry-run']
    const stop = new AbortController()
    const progress = new Progress()
    const target = new Target(url, progress.log, stop.signal)
    progress.log(`${isDryRun ? 'Dry run: importing' : 'Importing'} ${file} into ${target.url}.`)
    const entries = Array.from(entriesOf(await readInput(file), mapping))

    const counts: Record<Outcome, number> = { added: 0, waiting: 0, exists: 0, removed: 0 }
    const reasons = new Map<FileEntry, FieldError[]>()
    /** Leaves out jokes that are to blame for an error. */
    const forEach = async <Result>(batch: FileEntry[], use: (joke: unknown) => Result | Promise<Result>) => {
      const results = batch.map(async (entry) => {
        try {
          return [await use(toJokeInput(entry, mapping))]
        } catch (error) {
          if (error instanceof InvalidInput) reasons.set(entry, error.errors)
          // Of arrays or objects in each other, thousands deep.
          else if (error instanceof RangeError) reasons.set(entry, [{ field: '', detail: 'It has too many levels.' }])
          else if (error instanceof Rejected) reasons.set(entry, [{ field: '', detail: error.message }])
          else throw error
          return []
        }
      })
      return (await Promise.all(results)).flat()
    }
    const idOf = (joke: unknown) => identify(validate(JokeInput, joke))
    const [add, foresee] = [addTo(target), foreseeFor(target)]
    const work = async (batch: FileEntry[]) => {
      const outcomes = isDryRun ? await foresee(await forEach(batch, idOf)) : await forEach(batch, add)
      for (const outcome of outcomes) counts[outcome] += 1
    }
    progress.start(entries.length)
    const left = await workOn(entries, isDryRun ? MAX_IDS : 1, work, stop, progress)

    const parts = [
      `${counts.added} ${isDryRun ? 'would be added' : 'added'}`,
      counts.waiting > 0 && `${counts.waiting} waiting for approval`,
      `${counts.exists} there already`,
      counts.removed > 0 && `${counts.removed} removed by the operators`,
      `${reasons.size} rejected`,
    ]
    console.log(`${parts.filter(Boolean).join(', ')}.`)
    if (isDryRun && counts.added > 0)
      console.log(
        'Of those, some may wait for approval already or have been removed, and new ones may have to wait: only an import can tell.',
      )
    const rejected = entries.flatMap((entry) => {
      const why = reasons.get(entry)?.map(({ field, detail }) => `${field} ${detail}`.trim())
      return why ? { json: entry.json, heading: printable(`${entry.label}: ${why.join(' ')}`) } : []
    })
    if (rejected.length > 0) process.exitCode = 1
    if (isDryRun) for (const { heading } of rejected) console.log(heading)
    else if (rejected.length > 0) writeRejected(file, rejected)
    for (const line of summaryOf([...reasons.values()].flat())) console.log(line)
    throwIfStopped(
      stop,
      `Left: ${left} of ${plural(entries.length, 'joke')}. Run the same command again: no joke is added twice.`,
    )
  },
)

function addTo(target: Target): (joke: unknown) => Promise<Outcome> {
  let isWaiting: Promise<boolean> | undefined
  return async (joke) => {
    const { response, body } = await target.postJoke(joke)
    const { status } = response
    if (status === 201) {
      // Approval is a setting of the service, so the first new joke tells for all.
      isWaiting ??= target.getPage(`joke?id=${body.id}`).then(({ jokes }) => jokes.length === 0)
      return (await isWaiting) ? 'waiting' : 'added'
    }
    if (status === 409 && body.id === undefined) return body.detail?.includes('waits') ? 'waiting' : 'removed'
    if (status === 409) return 'exists'
    if (status !== 400 && status !== 413) throw target.unexpected(response, body)
    if (body.errors) throw new InvalidInput(body.errors)
    throw new Rejected(`The service answers ${status}${body.detail ? `: ${body.detail}` : '.'}`)
  }
}

/** What would become of jokes with these ids. Jokes that are not listed look new. */
function foreseeFor(target: Target): (ids: string[]) => Promise<Outcome[]> {
  const seen = new Set<unknown>()
  return async (ids) => {
    const { jokes } = ids.length > 0 ? await target.getPage(`joke?id=${ids}`) : { jokes: [] }
    const listed = v.parse(v.array(v.object({ id: v.string() })), jokes).map(({ id }) => id)
    return ids.map((id) => {
      const exists = listed.includes(id) || seen.has(id)
      seen.add(id)
      return exists ? 'exists' : 'added'
    })
  }
}

/** How often there is each reason, the most frequent first, and what can be done about it. */
function summaryOf(reasons: FieldError[]): string[] {
  const counts = new Map<string, number>()
  for (const { field, detail } of reasons) {
    const option = (mapping: string) => `--map ${/^[\w=]*$/.test(mapping) ? mapping : `'${mapping}'`}`
    // What is broken differs from joke to joke.
    let reason = `${field} ${detail}`.trim().replace(/^(This is not JSON): .*/s, '$1.')
    if (detail.startsWith('is not accepted'))
      reason = `${field} is not accepted: leave it out with ${option(`${field}=`)}`
    else if (field === 'joke' && detail === 'is required.')
      reason = 'joke is required: say which field it is with --map FIELD=joke'
    else if (field === 'category' && detail.startsWith('is required'))
      reason = `category is required: set it with --map category:=${CATEGORIES[1]}`
    else if (field === 'category') reason += ` Translate others with --map category:OTHER=${CATEGORIES[1]}`
    counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  const sorted = [...counts].sort(([, one], [, other]) => other - one)
  const lines = sorted
    .slice(0, MAX_REASONS)
    .map(([reason, count]) => `${count.toLocaleString('en')} × ${printable(reason)}`)
  return sorted.length > MAX_REASONS ? [...lines, `and ${plural(sorted.length - MAX_REASONS, 'other reason')}`] : lines
}

/**
 * Writes rejected jokes as JSON Lines to a file: beside a regular file, otherwise in the working directory. An existing
 * file that holds others too is not overwritten: it may hold corrections.
 */
function writeRejected(file: string, rejected: { json: string; heading: string }[]): void {
  const isRegular = file !== '-' && lstatSync(file).isFile()
  const name = isRegular ? file.replace(/\.invalid(-\d+)?\.jsonl$/, '') : basename(file === '-' ? 'stdin' : file)
  const parts = new Set(rejected.map(({ json, heading }) => `# ${heading}\n${json}\n`))
  for (let number = 1; ; number++) {
    const output = `${name}.invalid${number > 1 ? `-${number}` : ''}.jsonl`
    const existing = existsSync(output) ? readFileSync(output, 'utf8').split(/^(?=# )/m) : []
    // A stopped import has written some of them.
    const isPart = existing.every((part) => parts.has(part))
    if (!isPart && !new Set(existing).isSupersetOf(parts)) continue
    if (isPart) writeFileSync(output, [...parts].join(''))
    console.log(
      `The rejected jokes are in ${output}, each under its line and reason. Correct them there, and import that file with the same options.`,
    )
    return
  }
}
