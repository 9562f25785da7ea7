/** What `remove` and `approve` share: they act on jokes one by one, and print a line on each. */
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import * as v from 'valibot'
import { UnknownJoke } from '../shared/errors.ts'
import { JokeId, type StoredJoke } from '../shared/joke.ts'
import { plural } from '../shared/plural.ts'
import { compare } from '../shared/store/finding/order.ts'
import type { State } from '../shared/store/item.ts'
import { forEachAtOnce } from '../shared/store/operators/patientStore.ts'
import {
  approveJoke,
  eraseJoke,
  findByState,
  findRecord,
  type JokeRecord,
  removeJoke,
  undoRemoval,
} from '../shared/store/operators/removal.ts'
import type { Store } from '../shared/store/store.ts'
import { CannotContinue, Progress } from './commandLine.ts'

export interface Action {
  from: State[]
  to: State
  /** What was done to a joke. */
  done: string
  run(store: Store, id: string): Promise<void>
}

export const ACTIONS = {
  approve: { from: ['waiting'], to: 'listed', done: 'approved', run: approveJoke },
  remove: { from: ['listed', 'waiting'], to: 'removed', done: 'removed', run: removeJoke },
  undo: { from: ['removed'], to: 'listed', done: 'brought back', run: undoRemoval },
  erase: { from: ['removed'], to: 'erased', done: 'erased', run: eraseJoke },
} as const satisfies Record<string, Action>

/**
 * Acts on jokes, and prints what became of each.
 *
 * @param show prints the id of the request that added each joke
 * @throws {CannotContinue} if not all are in the wanted state at the end
 */
export async function actOn(store: Store, ids: string[], action: Action, show: boolean): Promise<void> {
  const progress = new Progress()
  if (process.stdout.isTTY !== true) progress.start('{bar} {value} of {total}', ids.length)
  let done = 0
  let other = 0
  try {
    await forEachAtOnce(store, ids, async (id) => {
      const outcome = await act(store, id, action, show)
      if (outcome === 'done') done += 1
      if (outcome === 'other') other += 1
      progress.increment()
    })
  } finally {
    progress.stop()
  }
  console.error(
    `${plural(done, 'joke')} ${action.done}${done < ids.length ? `, ${ids.length - done} left as they were` : ''}.`,
  )
  if (other > 0) throw new CannotContinue(`${plural(other, 'joke')} could not be ${action.done}.`)
}

/**
 * Acts on a joke that is in the right state, and finishes the same action if it was interrupted. Prints a line.
 *
 * @returns `there`: it was in the wanted state already; `other`: it is in another one
 */
export async function act(
  store: Store,
  id: string,
  action: Action,
  show: boolean,
): Promise<'done' | 'there' | 'other'> {
  let record = await findRecord(store, id)
  let isDone = record !== undefined && action.from.includes(record.state)
  if (isDone || record?.state === action.to)
    try {
      await action.run(store, id)
    } catch (error) {
      if (!(error instanceof UnknownJoke)) throw error
      // Another command has changed it meanwhile.
      record = await findRecord(store, id)
      isDone = false
    }
  console.log(lineOf(id, record, isDone ? action.done : undefined, show))
  if (isDone) return 'done'
  return record?.state === action.to ? 'there' : 'other'
}

/** All jokes in a state, the oldest first. */
export async function recordsOf(store: Store, state: State): Promise<JokeRecord[]> {
  const records = (await Array.fromAsync(findByState(store, state))).flat()
  const dateOf = ({ joke }: JokeRecord) => joke?.dateAdded ?? ''
  return records.toSorted((one, other) => compare(dateOf(one), dateOf(other)))
}

/** Prints jokes as JSON Lines. */
export function printRecords(records: JokeRecord[]): void {
  for (const { id, requestId, joke } of records) console.log(JSON.stringify({ ...joke, id, requestId }))
}

/** One id in 64 begins with a hyphen, like an option. No option is as long as an id. */
function isDashedId(arg: string): boolean {
  return arg.startsWith('-') && v.is(JokeId, arg)
}

/** The arguments of the command line, but for ids that begin with a hyphen. */
export function argsWithoutIds(): string[] {
  return process.argv.slice(2).filter((arg) => !isDashedId(arg))
}

/** All ids that a command was given, each once. */
export function idsGiven(positionals: string[], file: string | undefined): string[] {
  const text = file === undefined ? '' : readFileSync(file === '-' ? 0 : file, 'utf8')
  const inFile = Array.from(text.matchAll(/^\s*(\S+)/gm), ([, id = '']) => id)
  return [...new Set([...positionals, ...process.argv.slice(2).filter(isDashedId), ...inFile])]
}

/** @param instead what to add to the command line where nobody can answer */
export async function ask(question: string, instead: string): Promise<string> {
  if (!process.stdin.isTTY) throw new CannotContinue(`${question} There is no terminal to ask on: ${instead}.`)
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const closed = Promise.withResolvers<never>()
  terminal.on('close', () => closed.reject(new CannotContinue('Stopped.')))
  try {
    return (await Promise.race([terminal.question(`${question} `), closed.promise])).trim()
  } finally {
    terminal.close()
  }
}

/** For what takes more than a key to confirm. */
export async function confirmNumber(question: string, number: number, given: string | undefined): Promise<void> {
  const answer = given ?? (await ask(`${question} Type their number:`, `add --count ${number}`))
  if (answer !== String(number))
    throw new CannotContinue(`${question} ${answer} is not their number. Nothing was changed.`)
}

/** A joke in a line. */
export function describe({ joke, category, thumbsUp, dateAdded }: StoredJoke): string {
  const visible = printable(joke)
  const start = visible.length > 80 ? `${visible.slice(0, 79).toWellFormed()}…` : visible
  return `${dateAdded}  ${category}, ${thumbsUp} upvotes  ${start}`
}

/** A text without control characters and line breaks, which could garble the terminal. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
}

/** One line on a joke: its state, what was done, and if `show` is set, who added it. */
function lineOf(id: string, record: JokeRecord | undefined, done: string | undefined, show: boolean): string {
  if (record === undefined) return `${id}  no joke has this id`
  const { joke, state, requestId } = record
  const outcome = done === undefined ? `is ${state}, left as it was` : `was ${state}, ${done}`
  const addedBy = show ? `  added by request ${requestId ?? 'unknown'}` : ''
  return `${id}  ${outcome}${addedBy}${joke ? `  ${describe(joke)}` : ''}`
}
