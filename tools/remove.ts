/** `npm run remove`: removes jokes from the service, restores them, or erases them. */
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import * as v from 'valibot'
import type { Cursor } from '../shared/cursor.ts'
import { type Joke, JokeId } from '../shared/joke.ts'
import { MAX_COUNT, parseListing } from '../shared/listing.ts'
import type { JokeRecord } from '../shared/store/jokes.ts'
import { CannotContinue, forEachAtOnce, Progress, runCommand, WrongUsage } from './commandLine.ts'
import { chooseTables, TABLES_OPTIONS, TABLES_USAGE } from './tables.ts'

const USAGE = `Usage: npm run remove -- ID…             [--undo | --erase] [options]
       npm run remove -- --ids FILE      [--undo | --erase] [options]
       npm run remove -- --since TIME [--until TIME] [--search WORDS] [options]

Removes jokes from all listings and searches. Their text and votes are kept, so a removal can be undone.

ID…            the jokes with these ids
--ids FILE     the jokes whose ids are in a file, one at the beginning of each line; - reads standard input
--since TIME   the jokes added at this time or later, such as 2026-11-21T14:05Z; asks first
--until TIME   … and before this time
--search WORDS … and that contain these words
--undo         brings removed jokes back
--erase        erases removed jokes for ever: text, words and who added them; asks first
--show         shows which request added each joke: its id in API Gateway's access log
--yes          does not ask
${TABLES_USAGE}`

/** Command-line options that choose which jokes to work on. */
type Selection = { [Option in 'ids' | 'since' | 'until' | 'search']?: string | undefined }

interface Period {
  since: Date
  until: Date | undefined
  search: string | undefined
}

type Store = Awaited<ReturnType<typeof loadStore>>

const dashedIds = process.argv.slice(2).filter(isDashedId)

await runCommand(
  USAGE,
  {
    ids: { type: 'string' },
    since: { type: 'string' },
    until: { type: 'string' },
    search: { type: 'string' },
    undo: { type: 'boolean', default: false },
    erase: { type: 'boolean', default: false },
    show: { type: 'boolean', default: false },
    yes: { type: 'boolean', default: false },
    ...TABLES_OPTIONS,
  },
  async ({ values, positionals }) => {
    const { undo, erase, show, yes } = values
    if (undo && erase) throw new WrongUsage('Choose --undo or --erase.')
    if (values.since !== undefined && (undo || erase))
      throw new WrongUsage('--since finds listed jokes only: name removed ones by their ids.')
    const selected = select(values, [...positionals, ...dashedIds])

    console.error(`Working on ${await chooseTables(values)}.`)
    const { findRecord, listJokes, ...changes } = await loadStore()
    const ids = Array.isArray(selected) ? selected : await listPeriod(selected, listJokes)
    if (ids.length === 0) return console.error('No joke to remove.')
    if ((values.since !== undefined || erase) && !yes)
      await confirm(`${erase ? 'Erase' : 'Remove'} ${count(ids.length)}?`)

    const progress = new Progress()
    if (process.stdout.isTTY !== true) progress.start('{bar} {value} of {total}', ids.length)
    const action = actionOf(undo, erase, changes)
    let done = 0
    let unknown = 0
    await forEachAtOnce(ids, async (id) => {
      const record = await findRecord(id)
      const isDue = record?.state === action.from
      if (isDue) {
        await action.run(id)
        done += 1
      }
      if (record === undefined) unknown += 1
      console.log(lineOf(id, record, isDue ? action.name : undefined, show))
      progress.increment()
    })
    progress.stop()
    console.error(
      `${count(done)} ${action.name}${done < ids.length ? `, ${ids.length - done} left as they were` : ''}.`,
    )
    if (unknown > 0) process.exitCode = 1
  },
  process.argv.slice(2).filter((arg) => !isDashedId(arg)),
)

/** Loaded once the tables are chosen: the access module reads their names when it is loaded. */
async function loadStore() {
  const { findRecord, listJokes, removeJoke, undoRemoval, eraseJoke } = await import('../shared/store/jokes.ts')
  return { findRecord, listJokes, removeJoke, undoRemoval, eraseJoke }
}

/** One id in 64 begins with a hyphen, like an option. No option is as long as an id. */
function isDashedId(arg: string): boolean {
  return arg.startsWith('-') && v.is(JokeId, arg)
}

/**
 * Returns ids, or the period whose jokes are to be listed.
 *
 * @throws {WrongUsage} unless the jokes are chosen in exactly one of these ways
 */
function select({ ids: file, since, until, search }: Selection, ids: string[]): string[] | Period {
  if (since === undefined && (until ?? search) !== undefined) throw new WrongUsage('--until and --search need --since.')
  const named = new Set([...ids, ...(file === undefined ? [] : idsIn(file))])
  if (named.size > 0 === (since !== undefined)) throw new WrongUsage('Name jokes by their ids, or by --since.')
  if (since === undefined) return [...named]
  return { since: timeOf(since), until: until ? timeOf(until) : undefined, search }
}

/** What is done to jokes: the state they must be in, the past participle, and the function that does it. */
function actionOf(
  undo: boolean,
  erase: boolean,
  { removeJoke, undoRemoval, eraseJoke }: Omit<Store, 'findRecord' | 'listJokes'>,
) {
  if (undo) return { from: 'removed', name: 'brought back', run: undoRemoval }
  if (erase) return { from: 'removed', name: 'erased', run: eraseJoke }
  return { from: 'listed', name: 'removed', run: removeJoke }
}

/** Lists the jokes added in a period, the newest first, and prints them. */
async function listPeriod({ since, until, search }: Period, listJokes: Store['listJokes']): Promise<string[]> {
  const listing = parseListing({ numberofJokes: String(MAX_COUNT), searchString: search })
  const ids: string[] = []
  // No id sorts after this one, so the first page begins with the last joke added before `until`.
  let cursor: Cursor | undefined = until && { shownUpTo: [until.toISOString(), 'z'.repeat(22)] }
  for (;;) {
    const { jokes, next } = await listJokes(cursor ? { ...listing, cursor } : listing)
    for (const joke of jokes) {
      if (new Date(joke.dateAdded) < since) return ids
      ids.push(joke.id)
      console.error(`${joke.id}  ${describe(joke)}`)
    }
    if (!next) return ids
    cursor = next
  }
}

async function confirm(question: string): Promise<void> {
  if (!process.stdin.isTTY) throw new CannotContinue(`${question} There is no terminal to ask on: add --yes.`)
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question(`${question} [y/N] `)
  terminal.close()
  if (!/^y(es)?$/i.test(answer.trim())) throw new CannotContinue('Nothing was changed.')
}

/** One line on a joke: its state, what was done, and if `show` is set, who added it. */
function lineOf(id: string, record: JokeRecord | undefined, action: string | undefined, show: boolean): string {
  if (record === undefined) return `${id}  no joke has this id`
  const { joke, state, requestId } = record
  const outcome = action === undefined ? `is ${state}, left as it was` : `was ${state}, ${action}`
  const addedBy = show ? `  added by request ${requestId ?? 'unknown'}` : ''
  return `${id}  ${outcome}${addedBy}${joke ? `  ${describe(joke)}` : ''}`
}

function describe({ joke, category, thumbsUp, dateAdded }: Joke): string {
  return `${dateAdded}  ${category}, ${thumbsUp} upvotes  ${printable(joke)}`
}

/** The beginning of a text, without control characters and line breaks, which could garble the terminal. */
function printable(text: string): string {
  const visible = text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
  return visible.length > 80 ? `${visible.slice(0, 79).toWellFormed()}…` : visible
}

function idsIn(file: string): string[] {
  const text = readFileSync(file === '-' ? 0 : file, 'utf8')
  return Array.from(text.matchAll(/^\s*(\S+)/gm), ([, id = '']) => id)
}

function timeOf(text: string): Date {
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw new CannotContinue(`${text} is not a time such as 2026-11-21T14:05Z.`)
  return time
}

function count(jokes: number): string {
  return jokes === 1 ? '1 joke' : `${jokes} jokes`
}
