/** `npm run remove`: takes jokes away, brings them back, or erases them. */
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import * as v from 'valibot'
import type { Cursor } from '../shared/cursor.ts'
import { type Joke, JokeId } from '../shared/joke.ts'
import type { JokeRecord } from '../shared/store/jokes.ts'
import { CannotContinue, Progress, runCommand } from './commandLine.ts'
import { chooseTables, TABLES_OPTIONS, TABLES_USAGE } from './tables.ts'

const USAGE = `Usage: npm run remove -- ID…             [--undo | --erase] [options]
       npm run remove -- --ids FILE      [--undo | --erase] [options]
       npm run remove -- --since TIME [--until TIME] [--search WORDS] [options]

Removes jokes from all listings and searches. Their text and votes are kept, so a removal can be undone.

ID…            the jokes with these ids
--ids FILE     the jokes whose ids stand in a file, one at the beginning of each line; - reads standard input
--since TIME   the jokes added at this time or later, such as 2026-11-21T14:05Z; asks first
--until TIME   …and before this one
--search WORDS …and that hold these words
--undo         brings removed jokes back
--erase        erases removed jokes for ever: text, words and who added them; asks first
--show         says for each joke which request added it: its id in API Gateway's access log
--yes          does not ask
${TABLES_USAGE}`

/** Enough to remove a thousand jokes in seconds, without making the tables throttle the service. */
const AT_ONCE = 16

const PAGE_SIZE = 250

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
    const { since, until, search, undo, erase, show, yes } = values
    if (undo && erase) throw new CannotContinue('Choose --undo or --erase. See --help.')
    if (since === undefined && (until ?? search) !== undefined)
      throw new CannotContinue('--until and --search need --since. See --help.')
    if (since !== undefined && (undo || erase))
      throw new CannotContinue('--since finds listed jokes only: name removed ones by their ids. See --help.')
    const named = [...positionals, ...dashedIds, ...(values.ids === undefined ? [] : idsIn(values.ids))]
    if (named.length > 0 === (since !== undefined))
      throw new CannotContinue('Name jokes by their ids, or by --since. See --help.')
    const period = since === undefined ? undefined : { since: timeOf(since), until: until && timeOf(until), search }

    console.error(`Working on ${await chooseTables(values)}.`)
    const store = await import('../shared/store/jokes.ts')
    const ids = period ? await list(period, store.listJokes) : [...new Set(named)]
    if (ids.length === 0) return console.error('No joke to remove.')
    if ((period || erase) && !yes) await confirm(`${erase ? 'Erase' : 'Remove'} ${count(ids.length)}?`)

    const progress = new Progress()
    if (process.stdout.isTTY !== true) progress.start('{bar} {value} of {total}', ids.length)
    const { name, change, does } = actionOf({ undo, erase }, store)
    let done = 0
    let unknown = 0
    const next = ids.values()
    const work = async () => {
      for (const id of next) {
        const record = await store.findRecord(id)
        const acts = record?.state === change.from
        if (acts) await does(id)
        if (acts) done += 1
        if (record === undefined) unknown += 1
        console.log(lineOf(id, record, acts ? change.to : undefined, show))
        progress.increment()
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    progress.stop()
    console.error(`${count(done)} ${name}${done < ids.length ? `, ${ids.length - done} left as they were` : ''}.`)
    if (unknown > 0) process.exitCode = 1
  },
  process.argv.slice(2).filter((arg) => !isDashedId(arg)),
)

/** One id in 64 begins with a hyphen, like an option; no option is as long. */
function isDashedId(arg: string): boolean {
  return arg.startsWith('-') && v.is(JokeId, arg)
}

/** What is done to the jokes, and what they were and are. */
function actionOf(
  { undo, erase }: { undo: boolean; erase: boolean },
  { removeJoke, undoRemoval, eraseJoke }: typeof import('../shared/store/jokes.ts'),
) {
  if (undo) return { name: 'brought back', change: { from: 'removed', to: 'brought back' }, does: undoRemoval } as const
  if (erase) return { name: 'erased', change: { from: 'removed', to: 'erased' }, does: eraseJoke } as const
  return { name: 'removed', change: { from: 'listed', to: 'removed' }, does: removeJoke } as const
}

/** Lists the jokes added in a period, the newest first, and prints them. */
async function list(
  { since, until, search }: { since: Date; until: Date | '' | undefined; search: string | undefined },
  listJokes: typeof import('../shared/store/jokes.ts').listJokes,
): Promise<string[]> {
  const { parseListing } = await import('../shared/listing.ts')
  const listing = parseListing({
    numberofJokes: String(PAGE_SIZE),
    ...(search !== undefined && { searchString: search }),
  })
  const ids: string[] = []
  // No id comes after this one, so the first page begins with what was added before `until`.
  let cursor: Cursor | undefined = until ? { shownUpTo: [until.toISOString(), 'z'.repeat(22)] } : undefined
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
  if (!process.stdin.isTTY) throw new CannotContinue(`${question} Nobody is there to answer: add --yes.`)
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question(`${question} [y/N] `)
  terminal.close()
  if (!/^y(es)?$/i.test(answer.trim())) throw new CannotContinue('Nothing was changed.')
}

/** A joke in one line: what it was, what was done, and on demand who added it. */
function lineOf(id: string, record: JokeRecord | undefined, became: string | undefined, show: boolean): string {
  if (record === undefined) return `${id}  no joke has this id`
  const { joke, state, requestId } = record
  const what = became === undefined ? `is ${state}, left as it was` : `was ${state}, ${became}`
  const addedBy = show ? `  added by request ${requestId ?? 'unknown'}` : ''
  return `${id}  ${what}${addedBy}${joke ? `  ${describe(joke)}` : ''}`
}

function describe({ joke, category, thumbsUp, dateAdded }: Joke): string {
  return `${dateAdded}  ${category}, ${thumbsUp} upvotes  ${printable(joke)}`
}

/** The beginning of a text, without anything that could mislead a terminal or its reader. */
function printable(text: string): string {
  const visible = text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
  return visible.length > 80 ? `${visible.slice(0, 79).toWellFormed()}…` : visible
}

function idsIn(file: string): string[] {
  const lines = readFileSync(file === '-' ? 0 : file, 'utf8').split('\n')
  return lines.map((line) => line.trim().split(/\s/, 1)[0] ?? '').filter((id) => id !== '')
}

function timeOf(text: string): Date {
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw new CannotContinue(`${text} is not a time such as 2026-11-21T14:05Z.`)
  return time
}

function count(jokes: number): string {
  return jokes === 1 ? '1 joke' : `${jokes} jokes`
}
