/** `npm run remove`: removes jokes from the service, brings them back, or erases them. */
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import * as v from 'valibot'
import { forEachAtOnce } from '../shared/atOnce.ts'
import { UnknownJoke } from '../shared/errors.ts'
import { JokeId, type StoredJoke } from '../shared/joke.ts'
import { MAX_COUNT, parseListing } from '../shared/listing.ts'
import type { State } from '../shared/store/hold.ts'
import { wordsOfJoke } from '../shared/store/item.ts'
import { listJokes } from '../shared/store/jokes.ts'
import { eraseJoke, findRecord, type JokeRecord, removeJoke, undoRemoval } from '../shared/store/removal.ts'
import { cursorAt } from '../shared/store/search.ts'
import type { Store } from '../shared/store/store.ts'
import { chooseStore, STORE_OPTIONS, STORE_USAGE } from './chooseStore.ts'
import { CannotContinue, Progress, runCommand, WrongUsage } from './commandLine.ts'

const USAGE = `Usage: npm run remove -- ID…             [--undo | --erase] [options]
       npm run remove -- --ids FILE      [--undo | --erase] [options]
       npm run remove -- --since TIME [--until TIME] [--search WORDS] [options]

Removes jokes from all listings and searches. Their text and votes are kept, so a removal can be undone.

ID…            the jokes with these ids
--ids FILE     the jokes whose ids are in a file, one at the beginning of each line; - reads standard input
--since TIME   the jokes added at this time or later, such as 2026-11-21T14:05Z (UTC); lists them and asks first
--until TIME   … and before this time
--search WORDS … and that contain all these words
--beginnings   … or words that begin with them: --search bee also finds "been"
--undo         brings removed jokes back
--erase        erases removed jokes for ever: text, words and who added them; asks for their number
--count N      does not ask for the number of jokes to erase, if there are N
--show         shows the id of the request that added each joke, as in API Gateway's access log
--yes          does not ask before removing jokes of a period
${STORE_USAGE}`

interface Action {
  from: State
  to: State
  name: string
  run(store: Store, id: string): Promise<void>
}

interface Period {
  since: Date
  until: Date | undefined
  search: string | undefined
  beginnings: boolean
}

/** A date, or a time as in RFC 3339, perhaps without seconds. `Date` alone would read "yesterday 5" as the year 2001. */
const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/

const dashedIds = process.argv.slice(2).filter(isDashedId)

await runCommand(
  USAGE,
  {
    ids: { type: 'string' },
    since: { type: 'string' },
    until: { type: 'string' },
    search: { type: 'string' },
    beginnings: { type: 'boolean', default: false },
    undo: { type: 'boolean', default: false },
    erase: { type: 'boolean', default: false },
    count: { type: 'string' },
    show: { type: 'boolean', default: false },
    yes: { type: 'boolean', default: false },
    ...STORE_OPTIONS,
  },
  async ({ values, positionals }) => {
    const { since, until, search, beginnings, undo, erase, show, yes } = values
    if (undo && erase) throw new WrongUsage('Choose --undo or --erase.')
    if (values.count !== undefined && !erase) throw new WrongUsage('--count needs --erase.')
    if (yes && since === undefined) throw new WrongUsage('--yes needs --since.')
    if (since !== undefined && (undo || erase))
      throw new WrongUsage('--since finds listed jokes only: name removed ones by their ids.')
    if (since === undefined && (until ?? search) !== undefined)
      throw new WrongUsage('--until and --search need --since.')
    if (search === undefined && beginnings) throw new WrongUsage('--beginnings needs --search.')
    const named = new Set([...positionals, ...dashedIds, ...(values.ids === undefined ? [] : idsIn(values.ids))])
    const isByPeriod = since !== undefined
    const isByIds = named.size > 0
    if (isByIds === isByPeriod) throw new WrongUsage('Name jokes by their ids, or by --since.')
    const period =
      since === undefined
        ? undefined
        : { since: timeOf(since), until: until ? timeOf(until) : undefined, search, beginnings }

    const [store, owner] = await chooseStore(values)
    console.error(`Working on ${owner}.`)
    const ids = period ? await listPeriod(store, period) : [...named]
    if (ids.length === 0) return console.error('No joke to remove.')
    if (erase) await confirmErasure(ids.length, values.count)
    else if (period && !yes) await confirm(`Remove ${count(ids.length)}?`)

    let action: Action = { from: 'listed', to: 'removed', name: 'removed', run: removeJoke }
    if (undo) action = { from: 'removed', to: 'listed', name: 'brought back', run: undoRemoval }
    if (erase) action = { from: 'removed', to: 'erased', name: 'erased', run: eraseJoke }
    const progress = new Progress()
    if (process.stdout.isTTY !== true) progress.start('{bar} {value} of {total}', ids.length)
    let done = 0
    let other = 0
    try {
      await forEachAtOnce(ids, async (id) => {
        const { record, isDone } = await act(store, id, action)
        if (isDone) done += 1
        else if (record?.state !== action.to) other += 1
        console.log(lineOf(id, record, isDone ? action.name : undefined, show))
        progress.increment()
      })
    } finally {
      progress.stop()
    }
    console.error(
      `${count(done)} ${action.name}${done < ids.length ? `, ${ids.length - done} left as they were` : ''}.`,
    )
    if (other > 0) throw new CannotContinue(`${count(other)} could not be ${action.name}.`)
  },
  process.argv.slice(2).filter((arg) => !isDashedId(arg)),
)

/** Acts on a joke that is in the right state, and finishes the same action if it was interrupted. */
async function act(
  store: Store,
  id: string,
  { from, to, run }: Action,
): Promise<{ record: JokeRecord | undefined; isDone: boolean }> {
  const record = await findRecord(store, id)
  if (record?.state !== from && record?.state !== to) return { record, isDone: false }
  try {
    await run(store, id)
    return { record, isDone: record.state === from }
  } catch (error) {
    if (!(error instanceof UnknownJoke)) throw error
    // Another command has changed it meanwhile.
    return { record: await findRecord(store, id), isDone: false }
  }
}

/** One id in 64 begins with a hyphen, like an option. No option is as long as an id. */
function isDashedId(arg: string): boolean {
  return arg.startsWith('-') && v.is(JokeId, arg)
}

/** Lists the jokes added in a period, the newest first, and prints them. */
async function listPeriod(store: Store, { since, until, search, beginnings }: Period): Promise<string[]> {
  const listing = parseListing({ numberofJokes: String(MAX_COUNT), searchString: search })
  const ids: string[] = []
  let cursor = until && cursorAt(until, listing)
  for (;;) {
    const { jokes, next } = await listJokes(store, cursor ? { ...listing, cursor } : listing)
    for (const joke of jokes) {
      if (new Date(joke.dateAdded) < since) return ids
      // A search also finds words that only begin with those searched for.
      const words = new Set(wordsOfJoke(joke))
      if (!beginnings && listing.searchWords?.some((word) => !words.has(word))) continue
      ids.push(joke.id)
      console.error(`${joke.id}  ${describe(joke)}`)
    }
    if (!next) return ids
    cursor = next
  }
}

async function confirm(question: string): Promise<void> {
  const answer = await ask(`${question} [y/N]`, 'add --yes')
  if (!/^y(es)?$/i.test(answer)) throw new CannotContinue('Nothing was changed.')
}

/** Erasing cannot be undone, so it takes more than a key. */
async function confirmErasure(jokes: number, given: string | undefined): Promise<void> {
  const question = `Erase ${count(jokes)} for ever?`
  const answer = given ?? (await ask(`${question} Type their number:`, `add --count ${jokes}`))
  if (answer !== String(jokes))
    throw new CannotContinue(`${question} ${answer} is not their number. Nothing was changed.`)
}

async function ask(question: string, instead: string): Promise<string> {
  if (!process.stdin.isTTY) throw new CannotContinue(`${question} There is no terminal to ask on: ${instead}.`)
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question(`${question} `)
  terminal.close()
  return answer.trim()
}

/** One line on a joke: its state, what was done, and if `show` is set, who added it. */
function lineOf(id: string, record: JokeRecord | undefined, action: string | undefined, show: boolean): string {
  if (record === undefined) return `${id}  no joke has this id`
  const { joke, state, requestId } = record
  const outcome = action === undefined ? `is ${state}, left as it was` : `was ${state}, ${action}`
  const addedBy = show ? `  added by request ${requestId ?? 'unknown'}` : ''
  return `${id}  ${outcome}${addedBy}${joke ? `  ${describe(joke)}` : ''}`
}

function describe({ joke, category, thumbsUp, dateAdded }: StoredJoke): string {
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
  // `Date` reads February 31 as a day of March.
  const day = text.slice(0, 10)
  if (!TIME.test(text) || Number.isNaN(time.getTime()) || !new Date(day).toISOString().startsWith(day))
    throw new CannotContinue(`${text} is not a time such as 2026-11-21T14:05Z, or a date such as 2026-11-21.`)
  return time
}

function count(jokes: number): string {
  return jokes === 1 ? '1 joke' : `${jokes} jokes`
}
