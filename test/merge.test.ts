import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type MergeOptions, merge, type Source } from '../shared/merge.ts'

/** A source of rows in memory, those with `match` not false; its keys are places in it. It counts what is read. */
class Rows implements Source<Row, number> {
  after: number | undefined
  reads: number[] = []
  private readonly rows: Row[]

  constructor(rows: Row[], after?: number) {
    this.rows = rows
    this.after = after
  }

  async read(after = -1, limit: number) {
    this.reads.push(limit)
    const page = this.rows.slice(after + 1, after + 1 + limit)
    const lastKey = after + page.length
    return { items: page.filter(({ match }) => match), lastKey: lastKey + 1 < this.rows.length ? lastKey : undefined }
  }

  keyOf(row: Row) {
    return this.rows.indexOf(row)
  }
}

interface Row {
  value: number
  match: boolean
}

const options: MergeOptions<Row> = {
  compare: (one, other) => one.value - other.value,
  limit: 10,
  pageSize: 3,
  budget: Number.POSITIVE_INFINITY,
  last: -1,
}

function rows(...values: number[]): Row[] {
  return values.map((value) => ({ value, match: true }))
}

describe('merge', () => {
  it('takes items in order, across sources', async () => {
    const { items, more } = await merge([new Rows(rows(1, 4, 5)), new Rows(rows(2, 3, 6))], options)
    expect(items.map(({ value }) => value)).toEqual([1, 2, 3, 4, 5, 6])
    expect(more).toBe(false)
  })

  it('takes turns among equal items', async () => {
    const sources = [new Rows(rows(0, 0, 0)), new Rows(rows(0, 0, 0)), new Rows(rows(0, 0, 0))]
    const { after, last } = await merge(sources, { ...options, limit: 4 })
    expect(after).toEqual([1, 0, 0])
    expect(last).toBe(0)
  })

  it('reads each source once where they are evenly mixed', async () => {
    const sources = [new Rows(rows(1, 3, 5, 7)), new Rows(rows(2, 4, 6, 8))]
    await merge(sources, { ...options, limit: 4 })
    expect(sources.map(({ reads }) => reads)).toEqual([[3], [3]])
  })

  it('reads twice as much each time where one source holds most', async () => {
    const sources = [new Rows(rows(...Array(30).keys())), new Rows(rows(100))]
    await merge(sources, { ...options, limit: 20 })
    expect(sources.map(({ reads }) => reads)).toEqual([[3, 6, 12], [3]])
  })

  it('ends when the budget is spent, with what was found, and goes on from there', async () => {
    const sparse = Array.from({ length: 100 }, (_, value) => ({ value, match: value === 5 || value === 90 }))
    const { items, more, after } = await merge([new Rows(sparse)], { ...options, budget: 20 })
    expect(items.map(({ value }) => value)).toEqual([5])
    expect(more).toBe(true)
    expect(after).toEqual([19])
    const next = await merge([new Rows(sparse, after[0])], { ...options, budget: 1_000 })
    expect(next.items.map(({ value }) => value)).toEqual([90])
    expect(next.more).toBe(false)
  })

  it('page by page, of any size, takes each matching item once, in order', async () => {
    const source = fc.array(fc.record({ value: fc.nat(5), match: fc.boolean() }), { maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(source, { maxLength: 4 }),
        fc.record({
          limit: fc.integer({ min: 1, max: 9 }),
          pageSize: fc.integer({ min: 1, max: 9 }),
          budget: fc.integer({ min: 1, max: 50 }),
        }),
        async (unsorted, sizes) => {
          const sources = unsorted.map((rows) => rows.toSorted(options.compare))
          const taken: Row[] = []
          for (let after: (number | undefined)[] = [], last = -1, more = true; more; ) {
            const pages = sources.map((rows, index) => new Rows(rows, after[index]))
            const merged = await merge(pages, { ...options, ...sizes, last })
            taken.push(...merged.items)
            ;({ after, last, more } = merged)
          }
          const matching = sources.flat().filter(({ match }) => match)
          expect(new Set(taken)).toEqual(new Set(matching))
          expect(taken.map(({ value }) => value)).toEqual(matching.map(({ value }) => value).toSorted())
        },
      ),
    )
  })
})
