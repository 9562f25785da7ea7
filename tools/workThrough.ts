/** Works on many jokes until the end, a signal or an error. Work that has begun is finished and reported. */
import { ResourceNotFoundException } from '@aws-sdk/client-dynamodb'
import { Option } from '@commander-js/extra-typings'
import * as v from 'valibot'
import { JokeId } from '../shared/joke.ts'
import { plural } from '../shared/plural.ts'
import { forEachAtOnce } from '../shared/store/operators/pace.ts'
import type { Part } from '../shared/store/operators/tableScans.ts'
import type { Store } from '../shared/store/store.ts'
import { abortOnSignals, CannotContinue, Progress, sentenceOf, WrongUsage } from './commandLine.ts'

export const AFTER = new Option('--after <id>', 'continues where an earlier run was stopped').argParser((id) => {
  // DynamoDB would accept any text, and continue from an arbitrary joke.
  if (!v.is(JokeId, id)) throw new WrongUsage(`${id} is not the id of a joke.`)
  return id
})

/** Works on items, several at once. After a signal or an error, no work begins. Returns the number of items that are left. */
export async function workOn<Item>(
  items: Item[],
  work: (item: Item) => Promise<void>,
  stop: AbortController,
  progress: Progress,
  store: Pick<Store, 'pace'> = {},
): Promise<number> {
  using _ = abortOnSignals(stop, progress)
  let left = items.length
  await forEachAtOnce(store, items, async (item) => {
    if (stop.signal.aborted) return
    try {
      await work(item)
      left -= 1
      progress.increment()
    } catch (error) {
      stop.abort(error)
    }
  })
  progress.stop()
  return left
}

/** @throws {CannotContinue} if the work was stopped. The message says why, and how to go on */
export function throwIfStopped({ signal }: AbortController, howToGoOn: string): void {
  if (signal.aborted) throw new CannotContinue(`${sentenceOf(signal.reason)} ${howToGoOn}`)
}

/**
 * Works through the parts of a table, and finishes each part that it begins. Prints the numbers of items.
 *
 * @param action the past participle, such as `restored`
 * @throws {CannotContinue} if it was stopped or has failed. The message says how to continue
 */
export async function workThrough(
  parts: AsyncIterable<Part>,
  noun: 'joke' | 'index entry',
  action: string,
  after?: string,
): Promise<void> {
  const progress = new Progress()
  progress.start()
  const stop = new AbortController()
  using _ = abortOnSignals(stop, progress)
  let [read, changed, lastId] = [0, 0, after]
  try {
    for await (const part of parts) {
      read += part.items
      changed += part.changed
      lastId = part.lastId ?? lastId
      progress.increment(part.items)
      if (stop.signal.aborted) break
    }
  } catch (error) {
    // Repeating the command would not help.
    if (error instanceof ResourceNotFoundException) throw error
    stop.abort(error)
  } finally {
    progress.stop()
  }
  console.log(`${plural(read, noun)} read, ${changed} ${action}.`)
  throwIfStopped(stop, lastId ? `Continue with --after=${lastId}.` : 'Run the same command again.')
}
