import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Intersection, type Source, type UnionOptions, union } from '../shared/store/sources.ts'

interface Row {
  value: number
  match: boolean
}

interface Position {
  number: number
  value: number
}

/** A source of rows in memory. `reads` records the limit of each read. */
class Rows implements Source<{ row: Row; position: Position }, Position> {
  readonly resumeAfter: Position | undefined
  readonly reads: number[] = []
  private readonly rows: { row: Row; position: Position }[]

  constructor(rows: Row[], resumeAfter?: Position) {
    this.rows = rows.map((row, number) => ({ row, position: { number, value: row.value } }))
    this.resumeAfter = resumeAfter
  }

  async read(after: Position | undefined, limit: number) {
    this.reads.push(limit)
    const start = after ? after.number + 1 : 0
    const end = start + limit
    return {
      rows: this.rows.slice(start, end).filter(({ row }) => row.match),
      readUpTo: end < this.rows.length ? this.rows[end - 1]?.position : undefined,
    }
  }
}

const options: UnionOptions<Position> = {
  compare: (one, other) => one.value - other.value,
  limit: 10,
  firstReadLimit: 3,
  rowsLeft: () => Number.POSITIVE_INFINITY,
  turn: 0,
}

/** Options of a search whose sources may read this many rows in all. */
function bounded(sources: Rows[], maxRows: number): UnionOptions<Position> {
  const rowsLeft = () => maxRows - sources.flatMap(({ reads }) => reads).reduce((sum, rows) => sum + rows, 0)
  return { ...options, rowsLeft }
}

function rows(...values: number[]): Row[] {
  return values.map((value) => ({ value, match: true }))
}

/** Each reads at least a row, so pages that take more rounds never end. */
const MOST_ROUNDS = 500

describe('union', () => {
  it('returns the rows of all sources in order', async () => {
    const { rows: merged, hasMore } = await union([new Rows(rows(1, 4, 5)), new Rows(rows(2, 3, 6))], options)
    expect(merged.map(({ row }) => row.value)).toEqual([1, 2, 3, 4, 5, 6])
    expect(hasMore).toBe(false)
  })

  it('reads a source no further while the rows it has read come first', async () => {
    const sources = [new Rows(rows(1, 2, 3, 4)), new Rows(rows(3, 9, 9, 9))]
    await union(sources, { ...options, firstReadLimit: 2, limit: 1 })
    expect(sources.map(({ reads }) => reads)).toEqual([[2], [2]])
  })

  it('reads a source no further if its last row read equals the next one', async () => {
    const unmatched = rows(1, 5, 6, 7).map((row) => ({ ...row, match: false }))
    const sources = [new Rows(rows(5, 8, 9, 9)), new Rows(unmatched)]
    await union(sources, { ...options, firstReadLimit: 2, limit: 1 })
    expect(sources.map(({ reads }) => reads)).toEqual([[2], [2]])
  })

  it('continues after rows that do not match', async () => {
    const source = new Rows(rows(0, 1, 2, 3, 4).map((row) => ({ ...row, match: row.value % 4 === 0 })))
    const { hasMore, resumeAfter } = await union([source], { ...options, limit: 1 })
    expect([hasMore, resumeAfter.map((position) => position?.number)]).toEqual([true, [2]])
  })

  it('divides the rows left among the sources to read', async () => {
    const sources = [new Rows(rows(1, 3, 5, 7)), new Rows(rows(2, 4, 6, 8))]
    const { hasMore } = await union(sources, bounded(sources, 4))
    expect([hasMore, sources.map(({ reads }) => reads)]).toEqual([true, [[2], [2]]])
  })

  it('alternates between sources of equal rows', async () => {
    const sources = [new Rows(rows(0, 0, 0)), new Rows(rows(0, 0, 0)), new Rows(rows(0, 0, 0))]
    const { resumeAfter, turn } = await union(sources, { ...options, limit: 4 })
    expect(resumeAfter.map((position) => position?.number)).toEqual([1, 0, 0])
    expect(turn).toBe(1)
  })

  it('reads each source once if they are evenly mixed', async () => {
    const sources = [new Rows(rows(1, 3, 5, 7)), new Rows(rows(2, 4, 6, 8))]
    await union(sources, { ...options, limit: 4 })
    expect(sources.map(({ reads }) => reads)).toEqual([[3], [3]])
  })

  it('doubles each read of a source that holds most rows', async () => {
    const sources = [new Rows(rows(...Array(30).keys())), new Rows(rows(100))]
    await union(sources, { ...options, limit: 20 })
    expect(sources.map(({ reads }) => reads)).toEqual([[3, 6, 12], [3]])
  })

  it('stops reading a source whose position is beyond the page', async () => {
    const hundred = rows(...Array(100).keys())
    const common = new Rows(hundred)
    const rare = new Rows(hundred.map((row) => ({ ...row, match: false })))
    const options = { ...bounded([common, rare], 100), limit: 5, firstReadLimit: 8 }
    const { rows: merged } = await union([common, rare], options)
    expect(merged.map(({ row }) => row.value)).toEqual([0, 1, 2, 3, 4])
    expect([common.reads, rare.reads]).toEqual([[8], [8]])
  })

  it('returns what it has found when the budget is spent, and resumes there', async () => {
    const sparse = Array.from({ length: 100 }, (_, value) => ({ value, match: value === 5 || value === 90 }))
    const first = [new Rows(sparse)]
    const { rows: merged, hasMore, resumeAfter } = await union(first, bounded(first, 20))
    expect(merged.map(({ row }) => row.value)).toEqual([5])
    expect(hasMore).toBe(true)
    expect(resumeAfter.map((position) => position?.number)).toEqual([19])
    const second = [new Rows(sparse, resumeAfter[0])]
    const next = await union(second, bounded(second, 1_000))
    expect(next.rows.map(({ row }) => row.value)).toEqual([90])
    expect(next.hasMore).toBe(false)
  })

  it('says up to which position all sources were read, or the rows returned', async () => {
    const sources = () => [new Rows(rows(1, 4, 5, 9)), new Rows(rows(2, 3, 6, 8))]
    const readUpTo = async (limit: number, maxRows: number) => {
      const read = sources()
      return (await union(read, { ...bounded(read, maxRows), limit })).readUpTo?.value
    }
    expect(await readUpTo(2, 100)).toBe(2)
    expect(await readUpTo(10, 4)).toBe(3)
    expect(await readUpTo(10, 1)).toBe(1)
    expect(await readUpTo(10, 0)).toBeUndefined()
  })

  it('that is resumed and may read nothing has read up to where it resumed', async () => {
    const sources = [new Rows(rows(1, 3), { number: 0, value: 1 }), new Rows(rows(2, 4), { number: 0, value: 2 })]
    const { readUpTo, hasMore } = await union(sources, bounded(sources, 0))
    expect([readUpTo?.value, hasMore]).toEqual([1, true])
  })

  it('of a source that has ended and one that has not was read as far as the latter', async () => {
    const sources = [new Rows(rows(1)), new Rows(rows(2, 3, 4, 5, 6, 7))]
    const { readUpTo } = await union(sources, bounded(sources, 6))
    expect(readUpTo?.value).toBe(4)
  })

  it('returns each matching row once and in order over pages of any size', async () => {
    const source = fc.array(fc.record({ value: fc.nat(5), match: fc.boolean() }), { maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(source, { maxLength: 4 }),
        fc.record({ limit: fc.integer({ min: 1, max: 9 }), firstReadLimit: fc.integer({ min: 1, max: 9 }) }),
        fc.integer({ min: 1, max: 50 }),
        async (unsorted, sizes, maxRows) => {
          const sources = unsorted.map((rows) => rows.toSorted((one, other) => one.value - other.value))
          const taken: Row[] = []
          let rounds = 0
          for (let resumeAfter: (Position | undefined)[] = [], turn = 0, hasMore = true; hasMore; ) {
            expect(rounds++).toBeLessThan(MOST_ROUNDS)
            const pages = sources.map((rows, index) => new Rows(rows, resumeAfter[index]))
            const page = await union(pages, { ...bounded(pages, maxRows), ...sizes, turn })
            taken.push(...page.rows.map(({ row }) => row))
            ;({ resumeAfter, turn, hasMore } = page)
          }
          const matching = sources.flat().filter(({ match }) => match)
          expect(new Set(taken)).toEqual(new Set(matching))
          expect(taken.map(({ value }) => value)).toEqual(matching.map(({ value }) => value).toSorted())
        },
      ),
    )
  })
})

/** A source of increasing numbers in memory, each its own position. `reads` records where each read began, and its limit. */
class Numbers implements Source<{ position: number }, number> {
  readonly resumeAfter: number | undefined
  readonly rowsPerCandidate?: number
  readonly reads: [after: number | undefined, limit: number][] = []
  private readonly rows: Row[]
  private readonly knowsEnd: boolean

  /** @param knowsEnd whether a read of as many rows as there are reports the end; DynamoDB does not */
  constructor(rows: Row[], resumeAfter?: number, rowsPerCandidate?: number, knowsEnd = true) {
    this.rows = rows
    this.resumeAfter = resumeAfter
    if (rowsPerCandidate !== undefined) this.rowsPerCandidate = rowsPerCandidate
    this.knowsEnd = knowsEnd
  }

  async read(after: number | undefined, limit: number) {
    this.reads.push([after, limit])
    const rest = after === undefined ? this.rows : this.rows.filter(({ value }) => value > after)
    const read = rest.slice(0, limit)
    const hasEnded = this.knowsEnd ? rest.length <= limit : rest.length < limit
    return {
      rows: read.filter(({ match }) => match).map(({ value }) => ({ position: value })),
      readUpTo: hasEnded ? undefined : read.at(-1)?.value,
    }
  }
}

/** The numbers from one to another, in steps. */
function range(first: number, last: number, step = 1): Row[] {
  return rows(...Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step))
}

/** Options for sources that may read this many rows in all. */
function inOrder(sources: Numbers[], maxRows = Number.POSITIVE_INFINITY, firstReadLimit = 3) {
  const rowsRead = () => sources.flatMap(({ reads }) => reads).reduce((sum, [, limit]) => sum + limit, 0)
  return {
    compare: (one: number, other: number) => one - other,
    before: (position: number) => position - 1,
    firstReadLimit,
    rowsLeft: () => maxRows - rowsRead(),
  }
}

/** Several sources, whose rows are at some of the numbers up to 40, and match or not. */
const someNumbers = fc
  .array(fc.constantFrom('match', 'match', 'other', 'none'), { maxLength: 40 })
  .map((kinds) => kinds.flatMap((kind, value) => (kind === 'none' ? [] : [{ value, match: kind === 'match' }])))

it('a union resumed in all sources after what was read of them returns each row once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(someNumbers, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 50 }),
      fc.boolean(),
      async (overlapping, limit, firstReadLimit, maxRows, knowsEnd) => {
        // No two sources have a row at the same position.
        const sources = overlapping.map((rows, index) =>
          rows.map(({ value, match }) => ({ value: value * overlapping.length + index, match })),
        )
        const taken: number[] = []
        let rounds = 0
        for (let resumeAfter: number | undefined, hasMore = true; hasMore; ) {
          expect(rounds++).toBeLessThan(MOST_ROUNDS)
          const read = sources.map((rows) => new Numbers(rows, resumeAfter, undefined, knowsEnd))
          const page = await union(read, { ...inOrder(read, maxRows, firstReadLimit), limit, turn: 0 })
          taken.push(...page.rows.map(({ position }) => position))
          resumeAfter = page.readUpTo
          hasMore = page.hasMore
        }
        const matching = sources.flat().filter(({ match }) => match)
        expect(taken).toEqual(matching.map(({ value }) => value).toSorted((one, other) => one - other))
      },
    ),
  )
})

describe('an intersection', () => {
  const all = 1_000
  const values = (found: { position: number }[]) => found.map(({ position }) => position)

  it('returns the rows that all sources contain, in order', async () => {
    const sources = [new Numbers(range(0, 60, 2)), new Numbers(range(0, 60, 3)), new Numbers(range(0, 60, 5))]
    const intersection = new Intersection(sources, inOrder(sources))
    expect(values(await intersection.next(all))).toEqual([0, 30, 60])
    expect(intersection.hasEnded).toBe(true)
  })

  it('of one source is that source', async () => {
    const sources = [new Numbers(range(1, 10))]
    expect(values(await new Intersection(sources, inOrder(sources)).next(all))).toEqual(
      range(1, 10).map(({ value }) => value),
    )
  })

  it('reads all sources side by side', async () => {
    const events: string[] = []
    const recorded = (name: string) => {
      const source = new Numbers(range(1, 3))
      const read = async (after: number | undefined, limit: number) => {
        events.push(`${name} begins`)
        const result = await source.read(after, limit)
        events.push(`${name} ends`)
        return result
      }
      return { read, resumeAfter: undefined, rowsPerCandidate: all }
    }
    await new Intersection([recorded('one'), recorded('other')], inOrder([])).next(all)
    expect(events).toEqual(['one begins', 'other begins', 'one ends', 'other ends'])
  })

  it('skips to the row that stands furthest, and reads from directly before it', async () => {
    const [dense, sparse] = [new Numbers(range(1, 100)), new Numbers(rows(50))]
    const intersection = new Intersection([dense, sparse], inOrder([dense, sparse]))
    expect(values(await intersection.next(all))).toEqual([50])
    expect(dense.reads).toEqual([
      [undefined, 3],
      [49, 6],
    ])
    expect(sparse.reads).toEqual([[undefined, 3]])
  })

  it('does not read again what it has read before the furthest row', async () => {
    const [one, other] = [new Numbers(range(1, 9)), new Numbers(rows(3, 4, 5))]
    await new Intersection([one, other], inOrder([one, other])).next(all)
    expect(one.reads.map(([after]) => after)).toEqual([undefined, 3])
  })

  it('doubles each read of sources that have nothing in common', async () => {
    const [even, odd] = [new Numbers(range(0, 58, 2)), new Numbers(range(1, 61, 2))]
    expect(await new Intersection([even, odd], inOrder([even, odd])).next(all)).toEqual([])
    expect([even, odd].map(({ reads }) => reads.map(([, limit]) => limit))).toEqual([
      [3, 6, 12, 24],
      [3, 6, 12, 24],
    ])
  })

  it('reads as many rows as will probably lead to those wanted, but no fewer than at first', async () => {
    const sources = [new Numbers(range(1, 100)), new Numbers(range(1, 100))]
    const intersection = new Intersection(sources, inOrder(sources, all, 4))
    for (const wanted of [8, 8, 4]) await intersection.next(wanted)
    // A quarter more than wanted. One, and then two, are left of the earlier pages.
    expect(sources.map(({ reads }) => reads.map(([, limit]) => limit))).toEqual([
      [4, 5, 9, 4],
      [4, 5, 9, 4],
    ])
  })

  it('reads at most eight times as many rows as before', async () => {
    const sources = [new Numbers(range(1, 400)), new Numbers(range(1, 400))]
    await new Intersection(sources, inOrder(sources)).next(all)
    expect(sources[0]?.reads.map(([, limit]) => limit)).toEqual([3, 24, 192, 977])
  })

  it('goes on with the rows it has read', async () => {
    const sources = [new Numbers(range(1, 100)), new Numbers(range(1, 100))]
    const intersection = new Intersection(sources, inOrder(sources))
    expect(values([...(await intersection.next(1)), ...(await intersection.next(2))])).toEqual([1, 2, 3])
    expect(sources.map(({ reads }) => reads.length)).toEqual([1, 1])
  })

  it('stops at the end of one source', async () => {
    const [short, long] = [new Numbers(rows(1, 2)), new Numbers(range(1, 100))]
    const intersection = new Intersection([short, long], inOrder([short, long]))
    expect(values(await intersection.next(all))).toEqual([1, 2])
    expect([intersection.hasEnded, long.reads]).toEqual([true, [[undefined, 3]]])
  })

  it('has not ended while rows are left that it has read', async () => {
    const sources = [new Numbers(rows(1, 2))]
    const intersection = new Intersection(sources, inOrder(sources))
    await intersection.next(1)
    expect([intersection.hasEnded, intersection.resumeAfter]).toEqual([false, 1])
  })

  it('at first has not ended, and resumes where its sources do', () => {
    const resumed = new Intersection([new Numbers([], 5), new Numbers([], 5)], inOrder([]))
    expect([resumed.hasEnded, resumed.resumeAfter]).toEqual([false, 5])
    expect(new Intersection([new Numbers([])], inOrder([])).resumeAfter).toBeUndefined()
  })

  it('divides the rows left among the sources to read, and says where to resume', async () => {
    const sources = [new Numbers(range(1, 100)), new Numbers(range(1, 100))]
    const intersection = new Intersection(sources, inOrder(sources, 4))
    expect(values(await intersection.next(all))).toEqual([1, 2])
    expect(sources.map(({ reads }) => reads)).toEqual([[[undefined, 2]], [[undefined, 2]]])
    expect([intersection.hasEnded, intersection.resumeAfter]).toEqual([false, 2])
    expect(await intersection.next(all)).toEqual([])
  })

  it('resumes directly before the furthest row, even if no row was found', async () => {
    const sources = [new Numbers(range(1, 100)), new Numbers(range(50, 100))]
    const intersection = new Intersection(sources, inOrder(sources, 2))
    expect(await intersection.next(all)).toEqual([])
    expect(intersection.resumeAfter).toBe(49)
  })

  describe('of a source that is dense and one that is not', () => {
    const sparse = range(50, 950, 100)
    /** Lacks one row of the other. */
    const dense = range(1, all).filter(({ value }) => value !== 250)

    /** What the intersection returns, and where each read of the dense source began. */
    async function read(rowsPerCandidate: number) {
      const [one, other] = [new Numbers(dense, undefined, rowsPerCandidate), new Numbers(sparse, undefined, 1)]
      const intersection = new Intersection([one, other], inOrder([one, other]))
      const found: number[] = []
      while (!intersection.hasEnded) found.push(...values(await intersection.next(1)))
      return { found, starts: one.reads.map(([after]) => after) }
    }
    const every = sparse.map(({ value }) => value)

    it('leaves the dense one unread if reading it costs more than a row is worth, and may return too much', async () => {
      expect(await read(2)).toEqual({ found: every, starts: [undefined] })
    })

    it('reads the dense one as long as that costs no more than a row is worth', async () => {
      expect(await read(6)).toEqual({ found: every, starts: [undefined, 49, 149] })
    })

    it('reads the dense one for each row of the other if that is worth it', async () => {
      expect(await read(all)).toEqual({
        found: every.filter((value) => value !== 250),
        starts: [undefined, ...every.map((value) => value - 1)],
      })
    })
  })

  it('reads sources that are about as dense to their end', async () => {
    const most = range(1, 50).filter(({ value }) => value !== 25)
    const odd = range(1, 50, 2)
    const sources = [new Numbers(most, undefined, 2), new Numbers(odd, undefined, 2)]
    const found = await new Intersection(sources, inOrder(sources)).next(all)
    expect(values(found)).toEqual(odd.map(({ value }) => value).filter((value) => value !== 25))
  })

  interface Sizes {
    firstReadLimit: number
    pageSize: number
    /** How many pages to read before the next intersection resumes. */
    pages: number
    maxRows: number
    rowsPerCandidate: number | undefined
    knowsEnd: boolean
  }
  const sizes = {
    firstReadLimit: fc.integer({ min: 1, max: 9 }),
    pageSize: fc.integer({ min: 1, max: 9 }),
    pages: fc.integer({ min: 1, max: 3 }),
    maxRows: fc.integer({ min: 1, max: 50 }),
    knowsEnd: fc.boolean(),
  }
  const severalSources = fc.array(someNumbers, { minLength: 1, maxLength: 4 })

  /** All pages of an intersection. */
  async function pagesOf(sources: Row[][], sizes: Sizes): Promise<number[]> {
    const { firstReadLimit, pageSize, pages, maxRows, rowsPerCandidate, knowsEnd } = sizes
    const found: number[] = []
    for (let resumeAfter: number | undefined, rounds = 0; ; rounds++) {
      expect(rounds).toBeLessThan(MOST_ROUNDS)
      const read = sources.map((rows) => new Numbers(rows, resumeAfter, rowsPerCandidate, knowsEnd))
      const options = inOrder(read, maxRows, firstReadLimit)
      const intersection = new Intersection(read, options)
      for (let page = 0; page < pages; page++) {
        const rows = await intersection.next(pageSize)
        found.push(...values(rows))
        expect(rows.length).toBeLessThanOrEqual(pageSize)
        if (rows.length < pageSize) expect(intersection.hasEnded || options.rowsLeft() <= 0).toBe(true)
      }
      if (intersection.hasEnded) return found
      resumeAfter = intersection.resumeAfter
    }
  }

  function matching(rows: Row[]): Set<number> {
    return new Set(rows.filter(({ match }) => match).map(({ value }) => value))
  }
  function inAll(sources: Row[][]): number[] {
    return [...sources.map(matching).reduce((one, other) => one.intersection(other))]
  }

  it('returns each row once and in order over pages of any size', async () => {
    await fc.assert(
      fc.asyncProperty(
        severalSources,
        fc.record({ ...sizes, rowsPerCandidate: fc.constant(undefined) }),
        async (sources, sizes) => {
          expect(await pagesOf(sources, sizes)).toEqual(inAll(sources))
        },
      ),
      { numRuns: 500 },
    )
  })

  it('that leaves dense sources unread lacks no row, and returns none twice or out of order', async () => {
    await fc.assert(
      fc.asyncProperty(
        severalSources,
        fc.record({ ...sizes, rowsPerCandidate: fc.integer({ min: 1, max: 9 }) }),
        async (sources, sizes) => {
          const found = await pagesOf(sources, sizes)
          expect(found).toEqual([...new Set(found)].toSorted((one, other) => one - other))
          expect(new Set(found).isSupersetOf(new Set(inAll(sources)))).toBe(true)
          expect(matching(sources.flat()).isSupersetOf(new Set(found))).toBe(true)
        },
      ),
      { numRuns: 500 },
    )
  })
})
