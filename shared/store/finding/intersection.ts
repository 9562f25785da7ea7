/** Finds the rows that several partitions have in common. See the example in docs/design.md, *Searching*. */
import { type PartitionReader, readInParallel } from './partitionReader.ts'

/**
 * Stops reading a partition that would need one read for each row of a much sparser one. Later results may include rows
 * that the dense partition lacks.
 */
export class Intersection<Row extends { before: Position; position: Position }, Position> {
  private readers: PartitionReader<Row, Position>[]
  /** Orders the rows of all partitions. Only rows of the same joke are equal. */
  private readonly compare: (a: Position, b: Position) => number
  private found = 0

  constructor(readers: PartitionReader<Row, Position>[], compare: (a: Position, b: Position) => number) {
    this.readers = readers
    this.compare = compare
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
      if (furthest) for (const reader of this.readers) reader.seek(furthest)
      const unread = this.readers.filter(({ head, hasEnded }) => head === undefined && !hasEnded)
      if (unread.length > 0) {
        if (!(await this.read(unread, limit - rows.length))) break
      } else if (furthest && heads.every(({ position }) => this.compare(position, furthest.position) === 0)) {
        for (const reader of this.readers) reader.take()
        rows.push(furthest)
        this.found += 1
      }
    }
    return rows
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
    const { readUpTo, isComplete, lastLimit } = reader
    if (readUpTo === undefined || isComplete) return false
    const { rowsPerCandidate = Number.POSITIVE_INFINITY } = reader.source
    return this.readers
      .filter((other) => other !== reader && other.reaches(readUpTo))
      .map(({ pending }) => pending.filter((row) => this.compare(row.position, readUpTo) <= 0).length)
      .some((count) => lastLimit > rowsPerCandidate * Math.max(1, count))
  }
}
