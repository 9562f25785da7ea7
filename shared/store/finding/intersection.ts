/**
 * Sorted rows that are read bit by bit: the intersection of unions. Knows nothing of jokes or databases.
 *
 * An example: the intersection of *even* (2 4 6 … 98) and *tens* (50 60), read three rows at a time.
 *
 *     read both        even: 2 4 6       tens: 50 60 end
 *     50 is furthest   even drops 2 4 6, and continues directly before 50, wherever it was
 *     read even        even: 50 52 54    tens: 50 60 end
 *     both have 50     it is a result: both take it
 *     60 is furthest   even drops 52 54, and continues directly before 60
 *     read even        even: 60 62 64    tens: 60 end
 *     both have 60     it is a result
 *     tens has ended   there are no more
 */
import { type Compare, furthest, type Union } from './union.ts'

/**
 * The rows that all of several unions contain, at the same position. All skip to the one whose next row stands furthest.
 *
 * Where a union is so much denser than another that it would have to be read for each single row of that one, it is read no
 * further: from then on, this also returns rows that it may lack.
 */
export class Intersection<Row extends { position: Position }, Position> {
  private unions: Union<Row, Position>[]
  private readonly compare: Compare<Position>
  private readonly before: (position: Position) => Position
  private found = 0
  private last: Position | undefined

  /** @param before returns the position directly before the row at a position */
  constructor(unions: Union<Row, Position>[], compare: Compare<Position>, before: (position: Position) => Position) {
    this.unions = unions
    this.compare = compare
    this.before = before
  }

  /** Whether it is certain that there are no more rows. */
  get hasEnded(): boolean {
    return this.unions.some(({ hasEnded }) => hasEnded)
  }

  /** The position up to which all rows were returned; undefined: the start. */
  get resumeAfter(): Position | undefined {
    return furthest(
      this.unions.map(({ resumeAfter }) => resumeAfter),
      this.compare,
    )
  }

  /** The next rows, at most `limit`. Fewer: there are no more, or no more may be read. */
  async next(limit: number): Promise<Row[]> {
    const rows: Row[] = []
    while (rows.length < limit && !this.hasEnded) {
      const heads = this.unions.map(({ head }) => head?.position)
      const position = furthest(heads, this.compare)
      if (position !== undefined) for (const union of this.unions) union.seek(position, this.before(position))
      const unread = this.unions.filter(({ head, hasEnded }) => head === undefined && !hasEnded)
      if (unread.length > 0) {
        if (!(await this.read(unread, limit - rows.length))) break
      } else {
        rows.push(...this.takeEqual())
      }
    }
    return rows
  }

  /** Takes the next row if it is the same in all unions, and returns it, unless it was returned before. */
  private takeEqual(): Row[] {
    const [first, ...others] = this.unions.map(({ head }) => head)
    if (!first || others.some((head) => !head || this.compare(head.position, first.position) !== 0)) return []
    for (const union of this.unions) union.take()
    if (this.last !== undefined && this.compare(first.position, this.last) === 0) return []
    this.found += 1
    this.last = first.position
    return [first]
  }

  /** @returns false if nothing may be read now */
  private async read(unions: Union<Row, Position>[], wanted: number): Promise<boolean> {
    // As many as will probably lead to the rows wanted, and some more.
    const needed = ({ rowsRead }: Union<Row, Position>) =>
      this.found === 0 ? undefined : Math.ceil((1.25 * wanted * rowsRead) / this.found)
    // Those before have set aside their share.
    const read = await Promise.all(unions.map((union, index) => union.read(needed(union), unions.length - index)))
    for (const union of unions) if (this.isTooDense(union)) this.unions = this.unions.filter((each) => each !== union)
    return read.includes(true)
  }

  /** Whether what was read last of a union contains too few rows of another one. */
  private isTooDense(union: Union<Row, Position>): boolean {
    const { readUpTo, lastLimit, rowsPerCandidate } = union
    if (readUpTo === undefined) return false
    const others = this.unions.filter((other) => other !== union)
    const counts = others.map((other) => other.countUpTo(readUpTo)).filter((count) => count !== undefined)
    return counts.some((count) => lastLimit > rowsPerCandidate * Math.max(1, count))
  }
}
