/** What reindex and restore share: both work through a table page by page, and can be stopped and continued. */
import type { ScannedPage } from '../shared/store/upkeep.ts'
import { abortOnSignals, CannotContinue, Progress, STOPPED } from './commandLine.ts'

/**
 * Works through all pages, with a progress bar, until the end or Ctrl-C. A page that was begun is always finished.
 *
 * @param action what was done to the changed jokes, such as `restored`
 * @throws {CannotContinue} if it was stopped; the message says how to continue
 */
export async function workThrough(pages: AsyncIterable<ScannedPage>, action: string): Promise<void> {
  const progress = new Progress()
  progress.start('{value} jokes read')
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
  console.log(`${read} jokes read, ${changed} ${action}.`)
  if (lastId !== undefined) throw new CannotContinue(`${STOPPED} Continue with --after=${lastId}.`)
}
