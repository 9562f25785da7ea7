/** What reindex and restore share: both work through a table page by page, and can be stopped and continued. */
import * as v from 'valibot'
import { JokeId } from '../shared/joke.ts'
import type { ScannedPage } from '../shared/store/upkeep.ts'
import { abortOnSignals, CannotContinue, count, Progress, STOPPED, WrongUsage } from './commandLine.ts'

/**
 * Works through all pages, with a progress bar, until the end or Ctrl-C. A page that was begun is always finished.
 *
 * @param action what was done to the changed jokes, such as `restored`
 * @param after the value of `--after`
 * @throws {CannotContinue} if it was stopped; the message says how to continue
 */
export async function workThrough(pages: AsyncIterable<ScannedPage>, action: string, after?: string): Promise<void> {
  // DynamoDB would accept it, and begin anywhere.
  if (after !== undefined && !v.is(JokeId, after)) throw new WrongUsage(`${after} is not the id of a joke.`)
  const progress = new Progress()
  progress.start('Jokes read: {value}')
  const stop = new AbortController()
  abortOnSignals(stop)
  let read = 0
  let changed = 0
  let lastId: string | undefined
  try {
    for await (const page of pages) {
      read += page.items
      changed += page.changed
      lastId = page.lastId
      progress.increment(page.items)
      if (stop.signal.aborted) break
    }
  } catch (error) {
    if (lastId !== undefined) progress.log(`${STOPPED} Continue with --after=${lastId}.`)
    throw error
  } finally {
    progress.stop()
  }
  console.log(`${count(read)} read, ${changed} ${action}.`)
  if (lastId !== undefined) throw new CannotContinue(`${STOPPED} Continue with --after=${lastId}.`)
}
