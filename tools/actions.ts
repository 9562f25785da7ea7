/** Changes the states of jokes for `approve` and `remove`, one by one, and prints a line for each. */
import { Argument, Option } from '@commander-js/extra-typings'
import { UnknownJoke } from '../shared/errors.ts'
import type { StoredJoke } from '../shared/joke.ts'
import { plural } from '../shared/plural.ts'
import { compare } from '../shared/store/finding/order.ts'
import type { State } from '../shared/store/item.ts'
import {
  changeState,
  findByState,
  findRecord,
  type JokeRecord,
  TRANSITIONS,
  type Transition,
} from '../shared/store/operators/removal.ts'
import type { Store } from '../shared/store/store.ts'
import { Progress, printable } from './commandLine.ts'
import { readInput } from './input.ts'
import { throwIfStopped, workOn } from './workThrough.ts'

export const JOKES = new Argument('[joke...]', "links to jokes, as the page's Share button gives, or ids from the API")
export const IDS_FILE = new Option('--ids <file>', 'a file whose lines begin with links or ids; - is standard input')

type Action = keyof typeof TRANSITIONS

/** Past participles for messages. */
const DONE: Record<Action, string> = { approve: 'approved', remove: 'removed', undo: 'brought back', erase: 'erased' }

/**
 * Acts on jokes. Prints a line for each, and then the number of changed jokes. The exit code is 1 if some could not be
 * changed.
 *
 * @param show prints the id of the request that added each joke
 * @throws {CannotContinue} if it was stopped
 */
export async function actOn(store: Store, ids: string[], action: Action, show: boolean): Promise<void> {
  const stop = new AbortController()
  const progress = new Progress()
  // On a terminal, a bar would mix with the lines.
  if (!process.stdout.isTTY) progress.start(ids.length)
  const counts = { done: 0, waiting: 0, alreadyDone: 0, notAllowed: 0 }
  const actOnOne = async (id: string) => {
    counts[await act(store, id, action, show)] += 1
  }
  const left = await workOn(ids, actOnOne, stop, progress, store)
  const { done, waiting, alreadyDone, notAllowed } = counts
  const parts = [
    `${plural(done + waiting, 'joke')} ${DONE[action]}`,
    waiting > 0 && `${waiting} of them waiting for approval again`,
    alreadyDone + notAllowed > 0 && `${alreadyDone + notAllowed} left as they were`,
    left > 0 && `${left} not done`,
  ]
  console.error(`${parts.filter(Boolean).join(', ')}.`)
  throwIfStopped(stop, 'Run the same command again: it goes on with those that are left.')
  if (notAllowed === 0) return
  console.error(`${plural(notAllowed, 'joke')} could not be ${DONE[action]}.`)
  process.exitCode = 1
}

/** Reads all jokes in a state, the oldest first. */
export async function recordsOf(store: Store, state: State): Promise<JokeRecord[]> {
  const records = (await Array.fromAsync(findByState(store, state))).flat()
  const dateOf = ({ joke }: JokeRecord) => joke?.dateAdded ?? ''
  return records.toSorted((a, b) => compare(dateOf(a), dateOf(b)))
}

/** Returns the ids from the command line and a file, each once, or `undefined` if the command line has neither. */
export async function idsGiven(named: string[], file: string | undefined): Promise<string[] | undefined> {
  if (file === undefined && named.length === 0) return undefined
  const text = file === undefined ? '' : String(await readInput(file))
  const all = [...named, ...Array.from(text.matchAll(/^\s*(\S+)/gm), ([, first = '']) => first)]
  return [...new Set(all.flatMap(idsIn))]
}

/** Returns the ids in a link to jokes, such as `https://…/?id=…`, or the id itself. */
function idsIn(named: string): string[] {
  const link = URL.parse(named, 'http://localhost')
  return link?.searchParams.get('id')?.split(',') ?? [named]
}

/** Describes a joke in one line. Long texts are cut. */
export function describe({ joke, punchline, category, thumbsUp, dateAdded }: StoredJoke): string {
  const texts = [joke, punchline].filter(Boolean).map(printable)
  const shown = texts.map((text) => (text.length > 80 ? `${text.slice(0, 79)}…` : text)).join(' / ')
  return `${dateAdded}  ${category}, ${plural(thumbsUp, 'upvote')}  ${shown}`
}

/** Acts on a joke if its state allows it, and prints a line. If it is done already, finishes what a killed command left. */
async function act(
  store: Store,
  id: string,
  action: Action,
  show: boolean,
): Promise<'done' | 'waiting' | 'alreadyDone' | 'notAllowed'> {
  const transition: Transition = TRANSITIONS[action]
  let record = await findRecord(store, id)
  const isAlreadyDone = () => record !== undefined && transition.to.includes(record.state)
  const isAllowed = record !== undefined && transition.from.includes(record.state)
  try {
    if (isAllowed || isAlreadyDone()) await changeState(store, id, transition)
    if (isAllowed) {
      const isWaiting = action === 'undo' && (await findRecord(store, id))?.state === 'waiting'
      console.log(lineOf(id, record, isWaiting ? 'waits for approval again' : DONE[action], show))
      return isWaiting ? 'waiting' : 'done'
    }
  } catch (error) {
    if (!(error instanceof UnknownJoke)) {
      // The call may have changed the joke. Its operator needs the line to undo the change.
      if (isAllowed) console.log(lineOf(id, record, `perhaps ${DONE[action]}`, show))
      throw error
    }
    // Another command has changed the joke at the same time.
    record = await findRecord(store, id)
  }
  console.log(lineOf(id, record, undefined, show))
  return isAlreadyDone() ? 'alreadyDone' : 'notAllowed'
}

/** @param show adds the id of the request that added the joke */
function lineOf(id: string, record: JokeRecord | undefined, done: string | undefined, show: boolean): string {
  if (record === undefined) return `${id}  no joke has this id`
  const { joke, state, of, requestId } = record
  if (of !== undefined) return `${id}  is an alias of the joke ${of}: name that one`
  const outcome = done === undefined ? `is ${state}, left as it was` : `was ${state}, ${done}`
  const addedBy = show ? `  added by request ${requestId ?? 'unknown'}` : ''
  return `${id}  ${outcome}${addedBy}${joke ? `  ${describe(joke)}` : ''}`
}
