/** Reads a partition bit by bit, in its order. Knows nothing of jokes or databases. */

/** A partition of a table or an index, and what is wanted of it. A position is where reading can continue. */
export interface Source<Row, Position> {
  /** Negative if one position comes before another, 0 if their order does not matter. */
  compare(a: Position, b: Position): number
  /** Where reading begins; absent: at the start. */
  start?: Position | undefined
  /** How many rows to read at least. Each further read is usually twice as long. */
  minLimit: number
  /** In an intersection: how many of its rows are worth reading to decide on one row of the others; absent: any number. */
  rowsPerCandidate?: number
  /** How many rows it may read now, as one of so many partitions side by side. */
  affordable(readers: number): number
  /** Reads at most `limit` rows. Returns those that are wanted, and the position of the last one read unless at the end. */
  read(after: Position | undefined, limit: number): Promise<{ rows: Row[]; readUpTo?: Position | undefined }>
}

/** How far a partition was read and taken. */
export class PartitionReader<Row extends { position: Position }, Position> {
  /** Rows that were read and not taken yet. */
  pending: Row[] = []
  /** Up to here, rows were read or skipped; undefined: none. */
  readUpTo: Position | undefined
  isComplete = false
  /** How many rows the reads so far have asked for. */
  rowsRequested = 0
  lastLimit = 0
  /** How many rows were taken. */
  taken = 0
  readonly source: Source<Row, Position>
  private takenUpTo: Position | undefined

  constructor(source: Source<Row, Position>) {
    this.source = source
    this.readUpTo = source.start
  }

  /** The next row; undefined: it must be read first, or there is none. */
  get head(): Row | undefined {
    return this.pending[0]
  }

  get hasEnded(): boolean {
    return this.isComplete && this.pending.length === 0
  }

  /** The position up to which all rows were taken, skipped or are not wanted; undefined: the start. */
  get resumeAfter(): Position | undefined {
    const isPending = this.pending.length > 0 || this.isAfter(this.takenUpTo, this.readUpTo)
    return isPending ? this.takenUpTo : this.readUpTo
  }

  /** Whether all rows up to a position are known; undefined: all rows. */
  reaches(position: Position | undefined): boolean {
    return this.isComplete || (position !== undefined && !this.isAfter(position, this.readUpTo))
  }

  take(): void {
    this.takenUpTo = this.pending.shift()?.position
    this.taken += 1
  }

  /** Skips all rows before a position. What is read next begins directly before it. */
  seek(position: Position, before: Position): void {
    while (this.head && this.isAfter(position, this.head.position)) this.pending.shift()
    if (this.isAfter(before, this.takenUpTo)) this.takenUpTo = before
    // If rows are pending, it was read further.
    if (!this.reaches(before)) this.readUpTo = before
  }

  /** How many rows to read next: as many as needed, by default twice as many as before. 0: too few may be read. */
  nextLimit(readers: number, needed = 2 * this.lastLimit): number {
    const wanted = Math.max(this.source.minLimit, Math.min(needed, MAX_GROWTH * this.lastLimit))
    const affordable = this.source.affordable(readers)
    return affordable < Math.min(wanted, MIN_ROWS) ? 0 : Math.min(wanted, affordable)
  }

  /** Reads on, once no row is pending. */
  async read(limit: number): Promise<void> {
    this.takenUpTo = this.readUpTo
    const { rows, readUpTo } = await this.source.read(this.readUpTo, limit)
    this.pending = rows
    this.isComplete = readUpTo === undefined
    this.readUpTo = readUpTo ?? rows.at(-1)?.position ?? this.readUpTo
    this.lastLimit = limit
    this.rowsRequested += limit
  }

  /** Whether a position comes after another one; undefined is the start. */
  private isAfter(a: Position | undefined, b: Position | undefined): boolean {
    return a !== undefined && (b === undefined || this.source.compare(a, b) > 0)
  }
}

/**
 * Reads several partitions on, side by side.
 *
 * @param needed how many rows of one are enough, if that is known
 * @returns false if nothing may be read now
 */
export async function readInParallel<Row extends { position: Position }, Position>(
  readers: PartitionReader<Row, Position>[],
  needed: (reader: PartitionReader<Row, Position>) => number | undefined = () => undefined,
): Promise<boolean> {
  // Before the first call, because each sets aside what it may cost.
  const planned = readers.map((reader) => ({ reader, limit: reader.nextLimit(readers.length, needed(reader)) }))
  const allowed = planned.filter(({ limit }) => limit > 0)
  await Promise.all(allowed.map(({ reader, limit }) => reader.read(limit)))
  return allowed.length > 0
}

/** How many times as many rows as before are read at most: those before may not resemble the next. */
const MAX_GROWTH = 8

/** Fewer are not worth a call. */
const MIN_ROWS = 4
