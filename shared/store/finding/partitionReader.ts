/** Reads a partition in its order, in several reads. Knows nothing of jokes or databases. */

/** A partition of a table or an index. A position is where reading can continue. */
export interface Source<Row, Position> {
  /** Compares positions. Returns 0 if their order does not matter. */
  compare(a: Position, b: Position): number
  /** The position after which reading begins. Absent for the start of the partition. */
  start?: Position | undefined
  /** Minimum number of rows in a read. Each further read is usually twice as long. */
  minLimit: number
  /** Maximum number of rows that an intersection reads for one row of the others. Absent for any number. */
  rowsPerCandidate?: number
  /** Returns how many rows it may read now, if `readers` partitions share the budget. */
  affordable(readers: number): number
  /** Reads at most `limit` rows. Returns the wanted ones, and the position of the last one, unless at the end. */
  read(after: Position | undefined, limit: number): Promise<{ rows: Row[]; readUpTo?: Position | undefined }>
}

/**
 * Reads on in a partition. An example, after a read of four rows and one `take`:
 *
 *     A     B     C     D     E  …
 *     │     └──── pending ────┘ not read yet
 *     resumeAfter       readUpTo
 */
export class PartitionReader<Row extends { position: Position }, Position> {
  /** Rows that were read, and neither taken nor skipped. */
  pending: Row[] = []
  /** The position up to which rows were read or skipped, or `undefined` at the start. The next read begins there. */
  readUpTo: Position | undefined
  /** The position up to which no row is pending. It is `readUpTo` if none is pending at all. */
  resumeAfter: Position | undefined
  isComplete = false
  /** Sum of the limits of all reads. */
  rowsRequested = 0
  lastLimit = 0
  /** Number of rows that were taken. */
  taken = 0
  readonly source: Source<Row, Position>

  constructor(source: Source<Row, Position>) {
    this.source = source
    this.readUpTo = source.start
    this.resumeAfter = source.start
  }

  /** The next row, or `undefined` if none is pending. */
  get head(): Row | undefined {
    return this.pending[0]
  }

  get hasEnded(): boolean {
    return this.isComplete && this.pending.length === 0
  }

  /** Whether all rows up to a position are known. `undefined` is the end of the partition. */
  reaches(position: Position | undefined): boolean {
    return this.isComplete || (position !== undefined && !this.isAfter(position, this.readUpTo))
  }

  take(): void {
    const row = this.pending.shift()
    if (row) this.moveTo(row.position)
    this.taken += 1
  }

  /** Skips all rows before a row of another partition. The next read begins directly before it or later. */
  seek({ position, before }: { position: Position; before: Position }): void {
    while (this.head && this.isAfter(position, this.head.position)) this.pending.shift()
    if (this.isAfter(before, this.resumeAfter)) this.moveTo(before)
  }

  /** Returns how many rows to read next, by default twice as many as before. Returns 0 if too few may be read. */
  nextLimit(readers: number, needed = 2 * this.lastLimit): number {
    const wanted = Math.max(this.source.minLimit, Math.min(needed, MAX_GROWTH * this.lastLimit))
    const affordable = this.source.affordable(readers)
    return affordable < Math.min(wanted, MIN_ROWS) ? 0 : Math.min(wanted, affordable)
  }

  /** Reads the next rows. No row may be pending. */
  async read(limit: number): Promise<void> {
    const { rows, readUpTo } = await this.source.read(this.readUpTo, limit)
    this.pending = rows
    this.isComplete = readUpTo === undefined
    this.readUpTo = readUpTo ?? rows.at(-1)?.position ?? this.readUpTo
    if (rows.length === 0) this.resumeAfter = this.readUpTo
    this.lastLimit = limit
    this.rowsRequested += limit
  }

  /** Resumes after a position. It may lie beyond the last row read. */
  private moveTo(position: Position): void {
    if (this.isAfter(position, this.readUpTo)) this.readUpTo = position
    this.resumeAfter = this.pending.length > 0 ? position : this.readUpTo
  }

  /** Whether a position comes after another one. `undefined` is the start. */
  private isAfter(a: Position | undefined, b: Position | undefined): boolean {
    return a !== undefined && (b === undefined || this.source.compare(a, b) > 0)
  }
}

/**
 * Reads on in several partitions in parallel. `needed` returns how many rows are enough, if that is known.
 *
 * @returns false if the budget is spent
 */
export async function readInParallel<Row extends { position: Position }, Position>(
  readers: PartitionReader<Row, Position>[],
  needed: (reader: PartitionReader<Row, Position>) => number | undefined = () => undefined,
): Promise<boolean> {
  // Plans all limits before the first call, because each call reserves its worst case.
  const planned = readers.map((reader) => ({ reader, limit: reader.nextLimit(readers.length, needed(reader)) }))
  const allowed = planned.filter(({ limit }) => limit > 0)
  await Promise.all(allowed.map(({ reader, limit }) => reader.read(limit)))
  return allowed.length > 0
}

/** Maximum growth from one read to the next. Earlier rows may not resemble later ones. */
const MAX_GROWTH = 8

/** Minimum number of rows that is worth a call. */
const MIN_ROWS = 4
