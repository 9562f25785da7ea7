/** What reindex and restore share: they work through a table page by page, and can be stopped and continued. */
import type { Progress as Page } from '../shared/store/upkeep.ts'
import { CannotContinue, Progress } from './commandLine.ts'

/**
 * Works through all pages, with a bar, until the end or Ctrl-C.
 *
 * @param changed what was done to a joke, as in `3 restored`
 * @throws {CannotContinue} where it was stopped; the message says how to continue
 */
export async function workThrough(pages: AsyncIterable<Page>, changed: string): Promise<void> {
  const progress = new Progress()
  progress.start('{value} jokes read')
  let isStopped = false
  // npm forwards Ctrl-C, so it may arrive twice; the page that is under way is finished in any case.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      isStopped = true
    })
  }
  let read = 0
  let count = 0
  let lastId: string | undefined
  for await (const page of pages) {
    read += page.items
    count += page.changed
    lastId = page.lastId
    for (let item = 0; item < page.items; item++) progress.increment()
    if (isStopped) break
  }
  progress.stop()
  console.log(`${read} jokes read, ${count} ${changed}.`)
  if (lastId !== undefined) throw new CannotContinue(`Stopped before the end. Continue with --after=${lastId}.`)
}
