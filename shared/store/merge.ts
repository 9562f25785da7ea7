/** Ordered merge of several sorted sources that are read page by page. Knows nothing of jokes or databases. */

/** One sorted source. A `Key` is a place in it, after which reading can go on. */
export interface Source<Item, Key> {
  /** Where an earlier merge left off; absent: from the start. */
  after: Key | undefined
  /** Reads on: evaluates at most `limit` rows, returns those that match, and where it got to unless that is the end. */
  read(after: Key | undefined, limit: number): Promise<{ items: Item[]; lastKey?: Key | undefined }>
  keyOf(item: Item): Key
}

export interface MergeOptions<Key> {
  /** Negative when the first comes first, 0 where the order does not matter. */
  compare(one: Key, other: Key): number
  /** How many items to return at most. */
  limit: number
  /** How many rows to read first from each source; each further page of a source is twice as long. */
  pageSize: number
  /** How many rows may be asked for in all. Once they are, the merge ends with what it has. */
  budget: number
  /** Index of the source that the merge before this one took its last item from; -1: none. */
  last: number
}

export interface Merged<Item, Key> {
  items: Item[]
  /** Whether there are more, or may be, where the budget ran out first. */
  more: boolean
  /** For each source the place after which the next merge goes on. */
  after: (Key | undefined)[]
  last: number
}

/**
 * Merges sorted sources. Among equal items the sources take turns, whatever the size of the pages asked for: always
 * draining the same source first would read the others' pages for nothing. Where a budget bounds the reading, equal
 * items do not wait for a source that has to be read on first.
 */
export async function merge<Item, Key>(
  sources: Source<Item, Key>[],
  { compare, limit, pageSize, budget, last }: MergeOptions<Key>,
): Promise<Merged<Item, Key>> {
  const readers = sources.map((source, index) => new Reader(source, index, pageSize))
  const items: Item[] = []
  const merged = (more: boolean) => ({ items, more, last, after: readers.map((reader) => reader.after) })
  const waitsForEqual = budget === Number.POSITIVE_INFINITY

  for (let left = budget; ; ) {
    const next = first(readers, compare, last)
    if (next && items.length === limit) return merged(true)
    const blocking = readers.filter((reader) => reader.mayPrecede(next, compare, waitsForEqual))
    if (blocking.length > 0) {
      if (left <= 0) return merged(true)
      const share = Math.ceil(left / blocking.length)
      const rows = await Promise.all(blocking.map((reader) => reader.readOn(share)))
      left -= rows.reduce((sum, read) => sum + read, 0)
    } else if (next) {
      items.push(next.head.item)
      last = next.reader.index
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

/** The first item of all; among equal ones that of the source whose turn it is, counted on from the last. */
function first<Item, Key>(
  readers: Reader<Item, Key>[],
  compare: (one: Key, other: Key) => number,
  last: number,
): Next<Item, Key> | undefined {
  return [...readers.slice(last + 1), ...readers.slice(0, last + 1)]
    .flatMap((reader) => (reader.head ? [{ reader, head: reader.head }] : []))
    .reduce<Next<Item, Key> | undefined>(
      (best, next) => (best === undefined || compare(next.head.key, best.head.key) < 0 ? next : best),
      undefined,
    )
}

/** A source with the page of it that was read last. */
class Reader<Item, Key> {
  /** After the last item taken; after the whole page once all its items are. */
  after: Key | undefined
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
    this.after = source.after
    this.pageEnd = source.after
  }

  /** Whether it has to be read on before the item can be taken: it may hold one that comes before it. */
  mayPrecede(
    item: Next<Item, Key> | undefined,
    compare: (one: Key, other: Key) => number,
    waitsForEqual: boolean,
  ): boolean {
    if (this.head || this.state === 'ended') return false
    if (this.state === 'unread' || this.pageEnd === undefined || item === undefined) return true
    const order = compare(this.pageEnd, item.head.key)
    return order < 0 || (order === 0 && waitsForEqual)
  }

  /** Reads the next page, of at most `share` rows, and returns how many rows it asked for. */
  async readOn(share: number): Promise<number> {
    const limit = Math.min(this.limit, share)
    const { items, lastKey } = await this.source.read(this.pageEnd, limit)
    this.page = items.toReversed()
    this.pageEnd = lastKey
    this.state = lastKey === undefined ? 'ended' : 'read'
    this.limit *= 2
    this.moveOn()
    return limit
  }

  take(): void {
    if (this.head) this.after = this.head.key
    this.moveOn()
  }

  private moveOn(): void {
    const item = this.page.pop()
    this.head = item === undefined ? undefined : { item, key: this.source.keyOf(item) }
    if (item === undefined && this.pageEnd !== undefined) this.after = this.pageEnd
  }
}
