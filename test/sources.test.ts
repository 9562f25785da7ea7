import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type MergeOptions, merge, type Source } from '../shared/store/merge.ts'

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

const options: MergeOptions<Position> = {
  compare: (one, other) => one.value - other.value,
  limit: 10,
  firstReadLimit: 3,
  rowsLeft: () => Number.POSITIVE_INFINITY,
  turn: 0,
}

/** Options of a search whose sources may read this many rows in all. */
function bounded(sources: Rows[], maxRows: number): MergeOptions<Position> {
  const rowsLeft = () => maxRows - sources.flatMap(({ reads }) => reads).reduce((sum, rows) => sum + rows, 0)
  return { ...options, rowsLeft }
}

function rows(...values: number[]): Row[] {
  return values.map((value) => ({ value, match: true }))
}

describe('merge', () => {
  it('returns the items of all sources in order', async () => {
    const { rows: merged, hasMore } = await merge([new Rows(rows(1, 4, 5)), new Rows(rows(2, 3, 6))], options)
    expect(merged.map(({ row }) => row.value)).toEqual([1, 2, 3, 4, 5, 6])
    expect(hasMore).toBe(false)
  })

  it('reads a source no further while the rows it has read come first', async () => {
    const sources = [new Rows(rows(1, 2, 3, 4)), new Rows(rows(3, 9, 9, 9))]
    await merge(sources, { ...options, firstReadLimit: 2, limit: 1 })
    expect(sources.map(({ reads }) => reads)).toEqual([[2], [2]])
  })

  it('reads a source no further if its last row read equals the next one', async () => {
    const unmatched = rows(1, 5, 6, 7).map((row) => ({ ...row, match: false }))
    const sources = [new Rows(rows(5, 8, 9, 9)), new Rows(unmatched)]
    await merge(sources, { ...options, firstReadLimit: 2, limit: 1 })
    expect(sources.map(({ reads }) => reads)).toEqual([[2], [2]])
  })

  it('continues after rows that do not match', async () => {
    const source = new Rows(rows(0, 1, 2, 3, 4).map((row) => ({ ...row, match: row.value % 4 === 0 })))
    const { hasMore, resumeAfter } = await merge([source], { ...options, limit: 1 })
    expect([hasMore, resumeAfter.map((position) => position?.number)]).toEqual([true, [2]])
  })

  it('divides the rows left among the sources to read', async () => {
    const sources = [new Rows(rows(1, 3, 5, 7)), new Rows(rows(2, 4, 6, 8))]
    const { hasMore } = await merge(sources, bounded(sources, 4))
    expect([hasMore, sources.map(({ reads }) => reads)]).toEqual([true, [[2], [2]]])
  })

  it('alternates between sources of equal items', async () => {
    const sources = [new Rows(rows(0, 0, 0)), new Rows(rows(0, 0, 0)), new Rows(rows(0, 0, 0))]
    const { resumeAfter, turn } = await merge(sources, { ...options, limit: 4 })
    expect(resumeAfter.map((position) => position?.number)).toEqual([1, 0, 0])
    expect(turn).toBe(1)
  })

  it('reads each source once if they are evenly mixed', async () => {
    const sources = [new Rows(rows(1, 3, 5, 7)), new Rows(rows(2, 4, 6, 8))]
    await merge(sources, { ...options, limit: 4 })
    expect(sources.map(({ reads }) => reads)).toEqual([[3], [3]])
  })

  it('doubles each read of a source that holds most items', async () => {
    const sources = [new Rows(rows(...Array(30).keys())), new Rows(rows(100))]
    await merge(sources, { ...options, limit: 20 })
    expect(sources.map(({ reads }) => reads)).toEqual([[3, 6, 12], [3]])
  })

  it('stops reading a source whose position is beyond the page', async () => {
    const hundred = rows(...Array(100).keys())
    const common = new Rows(hundred)
    const rare = new Rows(hundred.map((row) => ({ ...row, match: false })))
    const options = { ...bounded([common, rare], 100), limit: 5, firstReadLimit: 8 }
    const { rows: merged } = await merge([common, rare], options)
    expect(merged.map(({ row }) => row.value)).toEqual([0, 1, 2, 3, 4])
    expect([common.reads, rare.reads]).toEqual([[8], [8]])
  })

  it('returns what it has found when the budget is spent, and resumes there', async () => {
    const sparse = Array.from({ length: 100 }, (_, value) => ({ value, match: value === 5 || value === 90 }))
    const first = [new Rows(sparse)]
    const { rows: merged, hasMore, resumeAfter } = await merge(first, bounded(first, 20))
    expect(merged.map(({ row }) => row.value)).toEqual([5])
    expect(hasMore).toBe(true)
    expect(resumeAfter.map((position) => position?.number)).toEqual([19])
    const second = [new Rows(sparse, resumeAfter[0])]
    const next = await merge(second, bounded(second, 1_000))
    expect(next.rows.map(({ row }) => row.value)).toEqual([90])
    expect(next.hasMore).toBe(false)
  })

  it('returns each matching item once and in order over pages of any size', async () => {
    const source = fc.array(fc.record({ value: fc.nat(5), match: fc.boolean() }), { maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(source, { maxLength: 4 }),
        fc.record({ limit: fc.integer({ min: 1, max: 9 }), firstReadLimit: fc.integer({ min: 1, max: 9 }) }),
        fc.integer({ min: 1, max: 50 }),
        async (unsorted, sizes, maxRows) => {
          const sources = unsorted.map((rows) => rows.toSorted((one, other) => one.value - other.value))
          const taken: Row[] = []
          for (let resumeAfter: (Position | undefined)[] = [], turn = 0, hasMore = true; hasMore; ) {
            const pages = sources.map((rows, index) => new Rows(rows, resumeAfter[index]))
            const merged = await merge(pages, { ...bounded(pages, maxRows), ...sizes, turn })
            taken.push(...merged.rows.map(({ row }) => row))
            ;({ resumeAfter, turn, hasMore } = merged)
          }
          const matching = sources.flat().filter(({ match }) => match)
          expect(new Set(taken)).toEqual(new Set(matching))
          expect(taken.map(({ value }) => value)).toEqual(matching.map(({ value }) => value).toSorted())
        },
      ),
    )
  })
})
