/** Ordered merge of several sorted sources that are read bit by bit. Knows nothing of jokes or databases. */

/** One sorted source of rows. A row's position is the place in the source after which reading can continue. */
export interface Source<Row, Position> {
  /** Where an earlier merge stopped; undefined: at the start. */
  resumeAfter: Position | undefined
  /** Reads at most `limit` rows; returns those that match, and the position of the last one read unless at the end. */
  read(after: Position | undefined, limit: number): Promise<{ rows: Row[]; readUpTo?: Position | undefined }>
}

export interface MergeOptions<Position> {
  /** Negative if the first comes first, 0 if the order does not matter. */
  compare(one: Position, other: Position): number
  /** How many rows to return at most. */
  limit: number
  /** How many rows to read first from each source; each further read of a source is twice as long. */
  firstReadLimit: number
  /** How many rows may still be read from all sources together. At 0, the merge ends with the rows it has. */
  rowsLeft(): number
  /** Number of the source that comes first among equal rows. */
  turn: number
}

/**
 * Merges sorted sources. Among equal rows the sources take turns, as far as they have been read: taking all
 * of one source first would leave rows of the others read but unused.
 *
 * @returns the rows, whether there may be more, and for the next merge `turn` and the `resumeAfter` of each source
 */
export async function merge<Row extends { position: Position }, Position>(
  sources: Source<Row, Position>[],
  { compare, limit, firstReadLimit, rowsLeft, turn }: MergeOptions<Position>,
): Promise<{ rows: Row[]; hasMore: boolean; resumeAfter: (Position | undefined)[]; turn: number }> {
  const readers = sources.map((source) => new Reader(source, firstReadLimit))
  const rows: Row[] = []
  const merged = (hasMore: boolean) => ({ rows, hasMore, resumeAfter: readers.map((each) => each.resumeAfter), turn })

  for (;;) {
    const next = earliest([...readers.slice(turn), ...readers.slice(0, turn)], compare)
    if (next && rows.length === limit) return merged(true)
    const blocking = readers.filter((reader) => reader.mayPrecede(next?.row, compare))
    if (blocking.length > 0) {
      const share = Math.ceil(rowsLeft() / blocking.length)
      if (share <= 0) return merged(true)
      await Promise.all(blocking.map((reader) => reader.read(share)))
    } else if (next) {
      rows.push(next.row)
      next.reader.take(next.row)
      turn = (readers.indexOf(next.reader) + 1) % readers.length
    } else {
      return merged(false)
    }
  }
}

/** The earliest row that has been read, and its reader; among equal rows that of the first reader. */
function earliest<Row extends { position: Position }, Position>(
  readers: Reader<Row, Position>[],
  compare: (one: Position, other: Position) => number,
): { reader: Reader<Row, Position>; row: Row } | undefined {
  let best: { reader: Reader<Row, Position>; row: Row } | undefined
  for (const reader of readers) {
    const row = reader.pending[0]
    if (row && (best === undefined || compare(row.position, best.row.position) < 0)) best = { reader, row }
  }
  return best
}

/** A source, and how far it has been read and taken. */
class Reader<Row extends { position: Position }, Position> {
  /** Matching rows that were read and not taken yet. */
  pending: Row[] = []
  /** The position of the last row taken; once no row is pending, that of the last row read. */
  resumeAfter: Position | undefined
  private readUpTo: Position | undefined
  private hasEnded = false
  private readonly source: Source<Row, Position>
  private nextLimit: number

  constructor(source: Source<Row, Position>, firstReadLimit: number) {
    this.source = source
    this.nextLimit = firstReadLimit
    this.resumeAfter = source.resumeAfter
    this.readUpTo = source.resumeAfter
  }

  /** Whether this source must be read further before `row` is taken: it may have an earlier one. */
  mayPrecede(row: Row | undefined, compare: (one: Position, other: Position) => number): boolean {
    if (this.hasEnded) return false
    return row === undefined || this.readUpTo === undefined || compare(this.readUpTo, row.position) < 0
  }

  async read(share: number): Promise<void> {
    const { rows, readUpTo } = await this.source.read(this.readUpTo, Math.min(this.nextLimit, share))
    this.pending = rows
    this.readUpTo = readUpTo
    this.hasEnded = readUpTo === undefined
    this.nextLimit *= 2
    this.skipUnmatched()
  }

  take(row: Row): void {
    this.pending.shift()
    this.resumeAfter = row.position
    this.skipUnmatched()
  }

  /** If nothing is pending, continues after the last row read, whether it matched or not. */
  private skipUnmatched(): void {
    if (this.pending.length === 0 && this.readUpTo !== undefined) this.resumeAfter = this.readUpTo
  }
}
