/**
 * Finds the rows that several partitions have in common. Knows nothing of jokes or databases.
 *
 * An example: the intersection of *even* (2 4 6 … 98) and *tens* (50 60), read three rows at a time.
 *
 *     read both        even: 2 4 6       tens: 50 60 end
 *     50 is furthest   even drops 2 4 6, and continues directly before 50
 *     read even        even: 50 52 54    tens: 50 60 end
 *     both have 50     it is a result: both take it
 *     60 is furthest   even drops 52 54, and continues directly before 60
 *     read even        even: 60 62 64    tens: 60 end
 *     both have 60     it is a result
 *     tens has ended   there are no more
 */
import { type PartitionReader, readInParallel } from './partitionReader.ts'

/**
 * Stops reading a partition that would need one read for each row of a much sparser one. Later results may include rows
 * that the dense partition lacks.
 */
export class Intersection<Row extends { position: Position }, Position> {
  private readers: PartitionReader<Row, Position>[]
  private readonly compare: (a: Position, b: Position) => number
  private readonly before: (row: Row) => Position
  private found = 0

  /**
   * @param compare orders the rows of all partitions; only rows of the same joke are equal
   * @param before returns the position directly before a row
   */
  constructor(
    readers: PartitionReader<Row, Position>[],
    compare: (a: Position, b: Position) => number,
    before: (row: Row) => Position,
  ) {
    this.readers = readers
    this.compare = compare
    this.before = before
  }

  /** Whether one partition has ended, so that no further row matches. */
  get hasEnded(): boolean {
    return this.readers.some(({ hasEnded }) => hasEnded)
  }

  /** The position up to which all rows were returned, or `undefined` at the start. */
  get resumeAfter(): Position | undefined {
    const reached = this.readers.map(({ resumeAfter }) => resumeAfter).filter((position) => position !== undefined)
    return reached.toSorted(this.compare).at(-1)
  }

  /**
   * Returns the next rows, at most `limit`. If they are fewer, no more match, or the budget is spent. A joke may be
   * returned twice while it is reindexed.
   */
  async next(limit: number): Promise<Row[]> {
    const rows: Row[] = []
    while (rows.length < limit && !this.hasEnded) {
      const heads = this.readers.flatMap(({ head }) => head ?? [])
      const furthest = heads.toSorted((a, b) => this.compare(a.position, b.position)).at(-1)
      if (furthest) for (const reader of this.readers) reader.seek(furthest.position, this.before(furthest))
      const unread = this.readers.filter(({ head, hasEnded }) => head === undefined && !hasEnded)
      if (unread.length > 0) {
        if (!(await this.read(unread, limit - rows.length))) break
      } else if (furthest && this.areAllAt(furthest.position)) {
        for (const reader of this.readers) reader.take()
        rows.push(furthest)
        this.found += 1
      }
    }
    return rows
  }

  private areAllAt(position: Position): boolean {
    return this.readers.every(({ head }) => head && this.compare(head.position, position) === 0)
  }

  /** @returns false if the budget is spent */
  private async read(readers: PartitionReader<Row, Position>[], wanted: number): Promise<boolean> {
    // Reads a quarter more rows than are probably needed, to save a further call.
    const needed = ({ rowsRequested }: PartitionReader<Row, Position>) =>
      this.found === 0 ? undefined : Math.ceil((1.25 * wanted * rowsRequested) / this.found)
    const hasRead = await readInParallel(readers, needed)
    for (const reader of readers)
      if (this.isTooDense(reader)) this.readers = this.readers.filter((other) => other !== reader)
    return hasRead
  }

  /** Whether the last read of a partition covered too few rows of another one. */
  private isTooDense(reader: PartitionReader<Row, Position>): boolean {
    const { readUpTo, isComplete, lastLimit, source } = reader
    if (readUpTo === undefined || isComplete) return false
    const { rowsPerCandidate = Number.POSITIVE_INFINITY } = source
    return this.readers
      .filter((other) => other !== reader && other.reaches(readUpTo))
      .map(({ pending }) => pending.filter((row) => this.compare(row.position, readUpTo) <= 0).length)
      .some((count) => lastLimit > rowsPerCandidate * Math.max(1, count))
  }
}
