/** Reads a segment of the table, or changes from its index, into memory. */
import type { Item } from '../item.ts'
import type { ItemPage } from '../reads.ts'
import type { ListedJokes } from './listedJokes.ts'

/** Reads the first page, or the one after a key. */
type ReadPage = (afterKey: Item | undefined, signal: AbortSignal) => Promise<ItemPage>

/** Reads page by page. After an interruption, it continues where it was, so that no progress is lost. */
export class PageReader {
  /** When the reading began, in milliseconds. It finds all changes that were in the database by then. */
  readonly startedAt = Date.now()
  isDone = false
  private afterKey: Item | undefined
  private readonly read: ReadPage

  constructor(read: ReadPage) {
    this.read = read
  }

  /** Whether some of the pages have been read. */
  get isHalfDone(): boolean {
    return this.afterKey !== undefined
  }

  async readPage(jokes: ListedJokes, signal: AbortSignal): Promise<void> {
    const { items, lastKey } = await this.read(this.afterKey, signal)
    // After an abortion, another listing may have read this page already.
    signal.throwIfAborted()
    jokes.apply(items)
    this.afterKey = lastKey
    this.isDone = lastKey === undefined
  }
}
