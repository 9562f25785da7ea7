/** Reads a segment of the table into memory. */
import type { Item } from '../item.ts'
import type { ItemPage } from '../reads.ts'
import type { ListedJokes } from './listedJokes.ts'

/** Reads a page of a segment, from its beginning, or after the last key of the page before. */
export type ReadSegment = (segment: number, afterKey: Item | undefined, signal: AbortSignal) => Promise<ItemPage>

/**
 * Reads one segment page by page, until its share of the memory is full. After an interruption, it continues where it was.
 * The items of a segment have the same order in each container, so that all of them leave out the same jokes.
 */
export class SegmentReader {
  private afterKey: Item | undefined
  private isDone = false
  private room: number
  private readonly segment: number
  private readonly read: ReadSegment

  /** @param room bytes for the jokes of this segment */
  constructor(segment: number, read: ReadSegment, room: number) {
    this.segment = segment
    this.read = read
    this.room = room
  }

  async readAll(jokes: ListedJokes, signal: AbortSignal): Promise<void> {
    while (!this.isDone) {
      const { items, lastKey } = await this.read(this.segment, this.afterKey, signal)
      // A response that comes after the abortion would be read again.
      signal.throwIfAborted()
      this.room = jokes.apply(items, this.room)
      this.afterKey = lastKey
      this.isDone = lastKey === undefined || this.room <= 0
      if (lastKey && this.isDone) jokes.isTruncated = true
    }
  }
}
