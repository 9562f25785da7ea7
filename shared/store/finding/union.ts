/** Sorted rows that are read bit by bit: the union of several sources. Knows nothing of jokes or databases. */

/** One sorted source of rows. After a position, reading can continue. */
export interface Source<Row, Position> {
  /** Where earlier reading stopped; undefined: at the start. */
  start: Position | undefined
  /** How many rows it may read now if so many sources are read side by side. */
  affordable(sources: number): number
  /** Reads at most `limit` rows; returns those that match, and the position of the last one read unless at the end. */
  read(after: Position | undefined, limit: number): Promise<{ rows: Row[]; readUpTo?: Position | undefined }>
}

/** Negative if the first comes first, 0 if the order does not matter. */
export type Compare<Position> = (one: Position, other: Position) => number

export interface UnionOptions<Position> {
  compare: Compare<Position>
  /** How many rows to read first from each source; each further read of a source is usually twice as long. */
  firstLimit: number
  /** In an intersection: how many of its rows are worth reading to know whether one row of the others is among them. */
  rowsPerCandidate?: number
}

/** Merges sorted sources. Of equal rows, the sources give one in turn, so that few rows are read and not used. */
export class Union<Row extends { position: Position }, Position> {
  readonly rowsPerCandidate: number
  /** Number of the source whose turn it is. */
  nextSource = 0
  private readonly readers: Reader<Row, Position>[]
  private readonly compare: Compare<Position>
  private takenUpTo: Position | undefined

  constructor(sources: Source<Row, Position>[], options: UnionOptions<Position>) {
    this.readers = sources.map((source) => new Reader(source, options))
    this.compare = options.compare
    this.rowsPerCandidate = options.rowsPerCandidate ?? Number.POSITIVE_INFINITY
  }

  /** The next row; undefined: it must be read first, or there is none. */
  get head(): Row | undefined {
    return this.blocking().length === 0 ? this.first()?.head : undefined
  }

  /** Whether there are no more rows, read or not. */
  get hasEnded(): boolean {
    return this.readers.every((reader) => reader.hasEnded)
  }

  /** Whether rows were read and not taken. */
  get hasPending(): boolean {
    return this.readers.some((reader) => reader.head !== undefined)
  }

  /** Of each source, the position up to which its rows were taken or do not match; undefined: the start. */
  get positions(): (Position | undefined)[] {
    return this.readers.map((reader) => reader.resumeAfter)
  }

  /** The position up to which that is so for all sources. */
  get resumeAfter(): Position | undefined {
    const positions = this.readers.filter((reader) => !reader.hasEnded).map((reader) => reader.resumeAfter)
    return furthest([this.takenUpTo, nearest(positions, this.compare)], this.compare)
  }

  /** The position up to which all sources were read; undefined: one has not been read, or all were read to their ends. */
  get readUpTo(): Position | undefined {
    const positions = this.readers.filter((reader) => !reader.isComplete).map((reader) => reader.readUpTo)
    return nearest(positions, this.compare)
  }

  get rowsRead(): number {
    return this.readers.reduce((sum, { rowsRead }) => sum + rowsRead, 0)
  }

  get lastLimit(): number {
    return this.readers.reduce((sum, { lastLimit }) => sum + lastLimit, 0)
  }

  /** Takes the next row. */
  take(): void {
    const first = this.first()
    if (!first) return
    this.takenUpTo = first.head?.position
    first.take()
    this.nextSource = (this.readers.indexOf(first) + 1) % this.readers.length
  }

  /** Drops all rows before a position. What is read next begins directly before it. */
  seek(position: Position, before: Position): void {
    this.takenUpTo = furthest([this.takenUpTo, before], this.compare)
    for (const reader of this.readers) reader.seek(position, before)
  }

  /** How many rows up to a position were read and not taken; undefined: it has not been read so far. */
  countUpTo(position: Position): number | undefined {
    if (!this.readers.every((reader) => reader.reaches(position))) return undefined
    return this.readers.flatMap(({ pending }) => pending).filter((row) => this.compare(row.position, position) <= 0)
      .length
  }

  /**
   * Reads what must be known to find the next row.
   *
   * @param needed how many rows of a source are enough, if that is known
   * @param unions how many are read side by side, and share what may be read
   * @returns false if nothing may be read now
   */
  async read(needed?: number, unions = 1): Promise<boolean> {
    const blocking = this.blocking()
    const limits = blocking.map((reader) => reader.nextLimit(blocking.length * unions, needed))
    await Promise.all(blocking.map((reader, index) => reader.read(limits[index] ?? 0)))
    return limits.some((limit) => limit > 0)
  }

  /** The readers that may have a row before the first one that is known. */
  private blocking(): Reader<Row, Position>[] {
    const head = this.first()?.head
    const isBlocking = (reader: Reader<Row, Position>) => (head ? !reader.reaches(head.position) : !reader.hasEnded)
    return this.readers.filter((reader) => reader.head === undefined && isBlocking(reader))
  }

  /** The reader with the first row; among equal rows, the one whose turn is next. */
  private first(): Reader<Row, Position> | undefined {
    const inTurn = [...this.readers.slice(this.nextSource), ...this.readers]
    const withRow = inTurn.flatMap((reader) => (reader.head ? [{ reader, position: reader.head.position }] : []))
    return least(withRow, (one, other) => this.compare(one.position, other.position))?.reader
  }
}

/** The last of several positions, without those that are the start. */
export function furthest<Position>(
  positions: (Position | undefined)[],
  compare: Compare<Position>,
): Position | undefined {
  const known = positions.filter((position) => position !== undefined)
  return least(known, (one, other) => compare(other, one))
}

/** A source, and how far it has been read and taken. */
class Reader<Row extends { position: Position }, Position> {
  /** Matching rows that were read and not taken yet. */
  pending: Row[] = []
  /** Up to here, rows were read or skipped; undefined: none. */
  readUpTo: Position | undefined
  /** Whether it was read to the end. */
  isComplete = false
  rowsRead = 0
  lastLimit = 0
  private takenUpTo: Position | undefined
  private readonly source: Source<Row, Position>
  private readonly options: UnionOptions<Position>

  constructor(source: Source<Row, Position>, options: UnionOptions<Position>) {
    this.source = source
    this.options = options
    this.readUpTo = source.start
  }

  get head(): Row | undefined {
    return this.pending[0]
  }

  get hasEnded(): boolean {
    return this.isComplete && this.pending.length === 0
  }

  get resumeAfter(): Position | undefined {
    return this.pending.length > 0 ? this.takenUpTo : this.readUpTo
  }

  /** Whether all rows up to a position are known. */
  reaches(position: Position): boolean {
    return this.isComplete || (this.readUpTo !== undefined && this.options.compare(this.readUpTo, position) >= 0)
  }

  take(): void {
    this.takenUpTo = this.pending.shift()?.position
  }

  seek(position: Position, before: Position): void {
    const isBefore = (row: Row | undefined) => row !== undefined && this.options.compare(row.position, position) < 0
    while (isBefore(this.head)) this.take()
    // If rows are pending, it was read further.
    if (!this.reaches(before)) this.readUpTo = before
  }

  /** How many rows to read next: first `firstLimit`, then as many as needed, by default twice as many. */
  nextLimit(sources: number, needed = 2 * this.lastLimit): number {
    const wanted = Math.max(this.options.firstLimit, Math.min(needed, MAX_GROWTH * this.lastLimit))
    const affordable = this.source.affordable(sources)
    return affordable < Math.min(wanted, MIN_ROWS) ? 0 : Math.min(wanted, affordable)
  }

  /** Reads on, once no row is pending. */
  async read(limit: number): Promise<void> {
    if (limit === 0) return
    this.takenUpTo = this.readUpTo
    const { rows, readUpTo } = await this.source.read(this.readUpTo, limit)
    this.pending = rows
    this.isComplete = readUpTo === undefined
    this.readUpTo = readUpTo ?? rows.at(-1)?.position ?? this.readUpTo
    this.lastLimit = limit
    this.rowsRead += limit
  }
}

/** How many times as many rows as before are read at most: those before may not resemble the next. */
const MAX_GROWTH = 8

/** Fewer are not worth a call. */
const MIN_ROWS = 4

/** The first of several positions; undefined: one of them is the start, or there are none. */
function nearest<Position>(positions: (Position | undefined)[], compare: Compare<Position>): Position | undefined {
  const known = positions.filter((position) => position !== undefined)
  return known.length === positions.length ? least(known, compare) : undefined
}

/** The first item in an order; of equal ones the first. */
function least<Item>(items: Item[], compare: Compare<Item>): Item | undefined {
  return items.toSorted(compare)[0]
}
