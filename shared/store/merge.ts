/** Ordered merge of several sorted sources that are read page by page. Knows nothing of jokes or databases. */

/** One sorted source. A `Key` is a position in it, after which reading can continue. */
export interface Source<Item, Key> {
  /** Where an earlier merge left off; absent: at the start. */
  resumeAfter: Key | undefined
  /** Reads the next page: evaluates at most `limit` rows, returns those that match, and the last key unless at the end. */
  read(resumeAfter: Key | undefined, limit: number): Promise<{ items: Item[]; lastKey?: Key | undefined }>
  keyOf(item: Item): Key
}

export interface MergeOptions<Key> {
  /** Negative when the first comes first, 0 where the order does not matter. */
  compare(one: Key, other: Key): number
  /** How many items to return at most. */
  limit: number
  /** How many rows to read first from each source; each further page of a source is twice as long. */
  pageSize: number
  /** How many rows may still be read from all sources together; none: the merge ends with what it has. */
  rowsLeft(): number
  /** Index of the source that the merge before this one took its last item from; -1: none. */
  lastSource: number
}

interface Merged<Item, Key> {
  items: Item[]
  /** Whether there are more, or may be, where the reading ended first. */
  hasMore: boolean
  /** For each source the position after which the next merge continues. */
  resumeAfter: (Key | undefined)[]
  lastSource: number
}

/**
 * Merges sorted sources. Among equal items the sources take turns, as far as they have been read: always draining the
 * same source first would read the others' pages for nothing.
 */
export async function merge<Item, Key>(
  sources: Source<Item, Key>[],
  { compare, limit, pageSize, rowsLeft, lastSource }: MergeOptions<Key>,
): Promise<Merged<Item, Key>> {
  const readers = sources.map((source, index) => new Reader(source, index, pageSize))
  const items: Item[] = []
  const merged = (hasMore: boolean) => ({
    items,
    hasMore,
    lastSource,
    resumeAfter: readers.map((reader) => reader.resumeAfter),
  })

  for (;;) {
    const next = earliest(readers, compare, lastSource)
    if (next && items.length === limit) return merged(true)
    const blocking = readers.filter((reader) => reader.mayPrecede(next, compare))
    if (blocking.length > 0) {
      const left = rowsLeft()
      if (left <= 0) return merged(true)
      const share = Math.ceil(left / blocking.length)
      await Promise.all(blocking.map((reader) => reader.readPage(share)))
    } else if (next) {
      items.push(next.head.item)
      lastSource = next.reader.index
      next.reader.take()
    } else {
      return merged(false)
    }
  }
}

interface Next<Item, Key> {
  reader: Reader<Item, Key>
  head: { item: Item; key: Key }
}

/** The earliest item of all; among equal ones that of the source whose turn it is, counted on from the last. */
function earliest<Item, Key>(
  readers: Reader<Item, Key>[],
  compare: (one: Key, other: Key) => number,
  lastSource: number,
): Next<Item, Key> | undefined {
  let best: Next<Item, Key> | undefined
  for (const reader of [...readers.slice(lastSource + 1), ...readers.slice(0, lastSource + 1)]) {
    const { head } = reader
    if (head && (best === undefined || compare(head.key, best.head.key) < 0)) best = { reader, head }
  }
  return best
}

/** A source with the page of it that was read last. */
class Reader<Item, Key> {
  /** After the last item taken; after the whole page once all its items are. */
  resumeAfter: Key | undefined
  /** The next item, where it is known. */
  head: { item: Item; key: Key } | undefined
  readonly index: number
  private readonly source: Source<Item, Key>
  private page: Item[] = []
  private pageEnd: Key | undefined
  private state: 'unread' | 'read' | 'ended' = 'unread'
  private limit: number

  constructor(source: Source<Item, Key>, index: number, pageSize: number) {
    this.source = source
    this.index = index
    this.limit = pageSize
    this.resumeAfter = source.resumeAfter
    this.pageEnd = source.resumeAfter
  }

  /** Whether this source must be read further first: it may hold an earlier item. */
  mayPrecede(item: Next<Item, Key> | undefined, compare: (one: Key, other: Key) => number): boolean {
    if (this.head || this.state === 'ended') return false
    if (this.state === 'unread' || this.pageEnd === undefined || item === undefined) return true
    return compare(this.pageEnd, item.head.key) < 0
  }

  /** Reads the next page, of at most `share` rows. */
  async readPage(share: number): Promise<void> {
    const { items, lastKey } = await this.source.read(this.pageEnd, Math.min(this.limit, share))
    this.page = items.toReversed()
    this.pageEnd = lastKey
    this.state = lastKey === undefined ? 'ended' : 'read'
    this.limit *= 2
    this.advance()
  }

  take(): void {
    if (this.head) this.resumeAfter = this.head.key
    this.advance()
  }

  private advance(): void {
    const item = this.page.pop()
    this.head = item === undefined ? undefined : { item, key: this.source.keyOf(item) }
    if (item === undefined && this.pageEnd !== undefined) this.resumeAfter = this.pageEnd
  }
}
