/** Reads a segment of the table, or changes from its index, into memory. */
import type { Item } from '../item.ts'
import type { ReadBatch } from '../reads.ts'
import type { ListedJokes } from './listedJokes.ts'

/** After an interruption, it continues where it was. */
export class BatchReader {
  /** When the reading began, in milliseconds. */
  readonly startedAt = Date.now()
  isDone = false
  private afterKey: Item | undefined
  private readonly read: ReadBatch

  constructor(read: ReadBatch) {
    this.read = read
  }

  /** Whether it was interrupted between two batches. */
  get hasMore(): boolean {
    return this.afterKey !== undefined
  }

  async readBatch(jokes: ListedJokes, signal: AbortSignal): Promise<void> {
    const { items, lastKey } = await this.read(this.afterKey, signal)
    jokes.apply(items)
    this.afterKey = lastKey
    this.isDone = lastKey === undefined
  }
}
