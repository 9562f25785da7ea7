/** Ordered merge of several sorted sources that are read page by page. Knows nothing of jokes or databases. */

/** One sorted source. `Key` is a place in it, after which reading can go on. */
export interface Source<Item, Key> {
  /** Where an earlier merge left off; absent: from the start. */
  after: Key | undefined
  /** Reads on: evaluates at most `limit` rows, returns those that match, and `lastKey` unless the source has ended. */
  read(after: Key | undefined, limit: number): Promise<{ items: Item[]; lastKey?: Key | undefined }>
  keyOf(item: Item): Key
}

export interface MergeOptions<Item> {
  /** Negative when the first comes first, 0 where the order does not matter. */
  compare(one: Item, other: Item): number
  /** How many items to return at most. */
  limit: number
  /** How many rows to read first from each source; each further page of a source is twice as long. */
  pageSize: number
  /** How many rows may be read in all. Once they are, the merge ends with what it has. */
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
 * draining the same source first would read the others' pages for nothing.
 */
export async function merge<Item, Key>(
  sources: Source<Item, Key>[],
  { compare, limit, pageSize, budget, last }: MergeOptions<Item>,
): Promise<Merged<Item, Key>> {
  const readers = sources.map((source, index) => new Reader(source, index, pageSize))
  const items: Item[] = []
  const merged = (more: boolean) => ({ items, more, last, after: readers.map((reader) => reader.after) })

  for (let left = budget; ; ) {
    const hungry = readers.filter((reader) => reader.hungry)
    if (hungry.length > 0) {
      if (left <= 0) return merged(true)
      const share = Math.ceil(left / hungry.length)
      const rows = await Promise.all(hungry.map((reader) => reader.readOn(share)))
      left -= rows.reduce((sum, read) => sum + read, 0)
      continue
    }
    const next = first(readers, compare, last)
    const item = next?.head
    if (next === undefined || item === undefined || items.length === limit) return merged(item !== undefined)
    items.push(item)
    next.take()
    last = next.index
  }
}

/** The reader with the first item; among equal ones the one whose turn it is, counted on from the last. */
function first<Item, Key>(
  readers: Reader<Item, Key>[],
  compare: (one: Item, other: Item) => number,
  last: number,
): Reader<Item, Key> | undefined {
  const turns = [...readers.slice(last + 1), ...readers.slice(0, last + 1)]
  return turns.reduce<Reader<Item, Key> | undefined>((best, reader) => {
    if (reader.head === undefined) return best
    return best?.head === undefined || compare(reader.head, best.head) < 0 ? reader : best
  }, undefined)
}

/** A source with the page of it that was read last. */
class Reader<Item, Key> {
  /** After the last item taken; after the whole page once all its items are. */
  after: Key | undefined
  readonly index: number
  private readonly source: Source<Item, Key>
  private page: Item[] = []
  private taken = 0
  private pageEnd: Key | undefined
  private ended = false
  private limit: number

  constructor(source: Source<Item, Key>, index: number, pageSize: number) {
    this.source = source
    this.index = index
    this.limit = pageSize
    this.after = source.after
    this.pageEnd = source.after
  }

  get head(): Item | undefined {
    return this.page[this.taken]
  }

  /** Whether it has to be read on before anybody knows its next item. */
  get hungry(): boolean {
    return this.head === undefined && !this.ended
  }

  /** Reads the next page, of at most `share` rows, and returns how many rows it asked for. */
  async readOn(share: number): Promise<number> {
    const limit = Math.min(this.limit, share)
    const { items, lastKey } = await this.source.read(this.pageEnd, limit)
    this.page = items
    this.taken = 0
    this.pageEnd = lastKey
    this.ended = lastKey === undefined
    this.limit *= 2
    if (items.length === 0 && lastKey !== undefined) this.after = lastKey
    return limit
  }

  take(): void {
    if (this.head === undefined) return
    this.after = this.source.keyOf(this.head)
    this.taken += 1
    if (this.head === undefined && this.pageEnd !== undefined) this.after = this.pageEnd
  }
}
