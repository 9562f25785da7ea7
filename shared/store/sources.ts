/**
 * Sorted sources that are read bit by bit: their union, in order, and their intersection. Knows nothing of jokes or
 * databases.
 */

/** One sorted source of rows. A row's position is the place in the source after which reading can continue. */
export interface Source<Row, Position> {
  /** Where earlier reading stopped; undefined: at the start. */
  resumeAfter: Position | undefined
  /** In an intersection: how many of its rows are worth reading to know whether one row of the others is among them. */
  rowsPerCandidate?: number
  /** Reads at most `limit` rows; returns those that match, and the position of the last one read unless at the end. */
  read(after: Position | undefined, limit: number): Promise<{ rows: Row[]; readUpTo?: Position | undefined }>
}

interface Options<Position> {
  /** Negative if the first comes first, 0 if the order does not matter. */
  compare(one: Position, other: Position): number
  /** How many rows to read first from each source; each further read of a source is usually twice as long. */
  firstReadLimit: number
  /** How many rows may still be read from all sources together. At 0, reading ends. */
  rowsLeft(): number
}

export interface UnionOptions<Position> extends Options<Position> {
  /** How many rows to return at most. */
  limit: number
  /** Number of the source that comes first among equal rows. */
  turn: number
}

interface Union<Row, Position> {
  rows: Row[]
  hasMore: boolean
  resumeAfter: (Position | undefined)[]
  turn: number
  readUpTo: Position | undefined
}

/**
 * Merges sorted sources. Among equal rows the sources take turns, as far as they have been read: taking all
 * of one source first would leave rows of the others read but unused.
 *
 * @returns the rows, whether there may be more, and for the next union `turn` and the `resumeAfter` of each source;
 * `readUpTo` is the position up to which all sources were read, or the rows returned; undefined: the start
 */
export async function union<Row extends { position: Position }, Position>(
  sources: Source<Row, Position>[],
  { compare, limit, firstReadLimit, rowsLeft, turn }: UnionOptions<Position>,
): Promise<Union<Row, Position>> {
  const readers = sources.map((source) => new Reader(source, compare, firstReadLimit))
  const rows: Row[] = []
  const merged = (hasMore: boolean) => ({
    rows,
    hasMore,
    resumeAfter: readers.map((each) => each.resumeAfter),
    turn,
    readUpTo: rows.length === limit ? rows.at(-1)?.position : reached(readers, compare),
  })

  for (;;) {
    // From the reader whose turn it is, and round.
    const next = earliestRow([...readers, ...readers].slice(turn), compare)
    if (next && rows.length === limit) return merged(true)
    const blocking = readers.filter((reader) => reader.mayPrecede(next?.row))
    if (blocking.length > 0) {
      if (!(await readAll(blocking, rowsLeft()))) return merged(true)
    } else if (next) {
      rows.push(next.row)
      next.reader.take(next.row)
      turn = (readers.indexOf(next.reader) + 1) % readers.length
    } else {
      return merged(false)
    }
  }
}

export interface IntersectionOptions<Position> extends Options<Position> {
  /** The position directly before the row at a position. */
  before(position: Position): Position
}

/**
 * The rows that all of several sorted sources contain, at the same position.
 *
 * All sources skip to the one whose next row stands furthest. Where a source is so much denser than another that it would
 * have to be read for each single row of that one, it is read no further: from then on, this also returns rows that such
 * a source may lack.
 */
export class Intersection<Row extends { position: Position }, Position> {
  private readers: Reader<Row, Position>[]
  private readonly options: IntersectionOptions<Position>
  private found = 0
  private last: Position | undefined

  constructor(sources: Source<Row, Position>[], options: IntersectionOptions<Position>) {
    this.options = options
    this.readers = sources.map((source) => new Reader(source, options.compare, options.firstReadLimit))
  }

  /** Whether it is certain that there are no more rows. */
  get hasEnded(): boolean {
    return this.readers.some(({ hasEnded, pending }) => hasEnded && pending.length === 0)
  }

  /** The position up to which all rows were returned; undefined: the start. */
  get resumeAfter(): Position | undefined {
    return furthest(
      this.readers.map(({ resumeAfter }) => resumeAfter),
      this.options.compare,
    )
  }

  /** The next rows, at most `limit`. Fewer: there are no more, or no more may be read. */
  async next(limit: number): Promise<Row[]> {
    const { compare, before } = this.options
    const rows: Row[] = []
    while (rows.length < limit) {
      const heads = this.readers.map(({ pending: [head] }) => head)
      const position = furthest(
        heads.map((head) => head?.position),
        compare,
      )
      if (position !== undefined) for (const reader of this.readers) reader.skipTo(position, before(position))
      if (this.hasEnded) break
      const empty = this.readers.filter(({ pending }) => pending.length === 0)
      if (empty.length > 0) {
        if (!(await this.readOn(empty, limit - rows.length))) break
      } else {
        rows.push(...this.takeEqual())
      }
    }
    return rows
  }

  /** Takes the next row of all sources if it is the same, and returns it, unless it was returned before. */
  private takeEqual(): Row[] {
    const [first, ...others] = this.readers.map(({ pending: [head] }) => head)
    if (!first || others.some((head) => !head || this.options.compare(head.position, first.position) !== 0)) return []
    for (const reader of this.readers) reader.take(first)
    if (this.last !== undefined && this.options.compare(first.position, this.last) === 0) return []
    this.found += 1
    this.last = first.position
    return [first]
  }

  /** @returns whether anything could be read */
  private async readOn(readers: Reader<Row, Position>[], wanted: number): Promise<boolean> {
    // As many as will probably lead to the rows wanted, and some more.
    const isRead = await readAll(readers, this.options.rowsLeft(), ({ rowsRead }) =>
      this.found === 0 ? undefined : Math.ceil((1.25 * wanted * rowsRead) / this.found),
    )
    for (const reader of readers)
      if (this.isTooDense(reader)) this.readers = this.readers.filter((each) => each !== reader)
    return isRead
  }

  /** Whether what was read last of a source contains too few rows of another one. */
  private isTooDense({ readUpTo, lastLimit, source }: Reader<Row, Position>): boolean {
    // The end of a source, too, has none.
    if (readUpTo === undefined) return false
    const { rowsPerCandidate = Number.POSITIVE_INFINITY } = source
    const { compare } = this.options
    const counts = this.readers
      .filter((other) => other.source !== source && other.hasReached(readUpTo))
      .map(({ pending }) => pending.filter(({ position }) => compare(position, readUpTo) <= 0).length)
    return counts.some((count) => lastLimit > rowsPerCandidate * Math.max(1, count))
  }
}

type Compare<Position> = (one: Position, other: Position) => number

/** The furthest of several positions, without those that are undefined. */
function furthest<Position>(positions: (Position | undefined)[], compare: Compare<Position>): Position | undefined {
  const known = positions.filter((position) => position !== undefined)
  return first(known, (one, other) => compare(other, one))
}

/** The position up to which all sources were read; undefined: one was not read at all, or all have ended. */
function reached<Row extends { position: Position }, Position>(
  readers: Reader<Row, Position>[],
  compare: Compare<Position>,
): Position | undefined {
  const positions = readers.filter(({ hasEnded }) => !hasEnded).map(({ readUpTo }) => readUpTo)
  const known = positions.filter((position) => position !== undefined)
  return known.length === positions.length ? first(known, compare) : undefined
}

/** The earliest row that has been read, and its reader; among equal rows that of the first reader. */
function earliestRow<Row extends { position: Position }, Position>(
  readers: Reader<Row, Position>[],
  compare: Compare<Position>,
): { reader: Reader<Row, Position>; row: Row } | undefined {
  const heads = readers.flatMap((reader) => {
    const [row] = reader.pending
    return row ? [{ reader, row }] : []
  })
  return first(heads, (one, other) => compare(one.row.position, other.row.position))
}

/** The first item in an order; of equal ones the first. */
function first<Item>(items: Item[], compare: Compare<Item>): Item | undefined {
  return items.reduce<Item | undefined>(
    (best, item) => (best === undefined || compare(item, best) < 0 ? item : best),
    undefined,
  )
}

/**
 * Reads several sources side by side. Each gets an equal share of the rows left.
 *
 * @param needed how many rows of a source are enough, if that is known
 * @returns false if no rows are left
 */
async function readAll<One extends { read(most: number, needed: number | undefined): Promise<void> }>(
  readers: One[],
  rowsLeft: number,
  needed: (reader: One) => number | undefined = () => undefined,
): Promise<boolean> {
  const share = Math.ceil(rowsLeft / readers.length)
  if (share <= 0) return false
  await Promise.all(readers.map((reader) => reader.read(share, needed(reader))))
  return true
}

/** How many times as many rows as before are read at most: those before may not resemble the next. */
const MAX_GROWTH = 8

/** A source, and how far it has been read and taken. */
class Reader<Row extends { position: Position }, Position> {
  readonly source: Source<Row, Position>
  /** Matching rows that were read and not taken yet. */
  pending: Row[] = []
  /** The position of the last row taken; once no row is pending, that of the last row read. */
  resumeAfter: Position | undefined
  /** Undefined before the first read, and once the source has ended. */
  readUpTo: Position | undefined
  hasEnded = false
  rowsRead = 0
  lastLimit = 0
  private readonly compare: Compare<Position>
  private readonly firstLimit: number

  constructor(source: Source<Row, Position>, compare: Compare<Position>, firstLimit: number) {
    this.source = source
    this.compare = compare
    this.firstLimit = firstLimit
    this.resumeAfter = source.resumeAfter
    this.readUpTo = source.resumeAfter
  }

  /** Whether this source has been read at least up to a position. */
  hasReached(position: Position): boolean {
    return this.hasEnded || (this.readUpTo !== undefined && this.compare(this.readUpTo, position) >= 0)
  }

  /** Whether this source must be read further before `row` is taken: it may have an earlier one. */
  mayPrecede(row: Row | undefined): boolean {
    return row === undefined ? !this.hasEnded : !this.hasReached(row.position)
  }

  /** Reads on: as many rows as are needed if that is known, otherwise first `firstLimit`, then twice as many as before. */
  async read(most: number, needed = 2 * this.lastLimit): Promise<void> {
    const limit = Math.min(Math.max(this.firstLimit, Math.min(needed, MAX_GROWTH * this.lastLimit)), most)
    const { rows, readUpTo } = await this.source.read(this.readUpTo, limit)
    this.pending = rows
    this.readUpTo = readUpTo
    this.hasEnded = readUpTo === undefined
    this.lastLimit = limit
    this.rowsRead += limit
    this.skipUnmatched()
  }

  take(row: Row): void {
    this.pending.shift()
    this.resumeAfter = row.position
    this.skipUnmatched()
  }

  /** Leaves out all rows before a position, read or not. */
  skipTo(position: Position, before: Position): void {
    for (let [head] = this.pending; head && this.compare(head.position, position) < 0; [head] = this.pending)
      this.take(head)
    if (this.hasReached(before)) return
    this.readUpTo = before
    this.resumeAfter = before
  }

  /** If nothing is pending, continues after the last row read, whether it matched or not. */
  private skipUnmatched(): void {
    if (this.pending.length === 0 && this.readUpTo !== undefined) this.resumeAfter = this.readUpTo
  }
}
