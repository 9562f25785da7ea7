/** What commands share that work through a table part by part, and can be stopped. */
import * as v from 'valibot'
import { JokeId } from '../shared/joke.ts'
import { plural } from '../shared/plural.ts'
import type { Part } from '../shared/store/operators/wholeTables.ts'
import { abortOnSignals, CannotContinue, Progress, STOPPED, WrongUsage } from './commandLine.ts'

/**
 * Works through all parts, with a progress bar, until the end or Ctrl-C. A part that was begun is always finished.
 *
 * @param noun what a part holds
 * @param action what was done to those that changed, such as `restored`
 * @param after the value of `--after`
 * @throws {CannotContinue} if it was stopped; the message says how to continue
 */
export async function workThrough(
  parts: AsyncIterable<Part>,
  noun: 'joke' | 'row',
  action: string,
  after?: string,
): Promise<void> {
  // DynamoDB would accept it, and begin anywhere.
  if (after !== undefined && !v.is(JokeId, after)) throw new WrongUsage(`${after} is not the id of a joke.`)
  const progress = new Progress()
  progress.start(`Read {value} ${noun}s`)
  const stop = new AbortController()
  abortOnSignals(stop)
  let read = 0
  let changed = 0
  let lastId: string | undefined
  const stopped = () => `${STOPPED} ${lastId ? `Continue with --after=${lastId}.` : 'Run the command again.'}`
  try {
    for await (const part of parts) {
      read += part.items
      changed += part.changed
      lastId = part.lastId
      progress.increment(part.items)
      if (stop.signal.aborted) break
    }
  } catch (error) {
    if (lastId !== undefined) progress.log(stopped())
    throw error
  } finally {
    progress.stop()
  }
  console.log(`${plural(read, noun)} read, ${changed} ${action}.`)
  if (stop.signal.aborted) throw new CannotContinue(stopped())
}
