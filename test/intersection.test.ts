import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Intersection } from '../shared/store/finding/intersection.ts'
import { PartitionReader } from '../shared/store/finding/partitionReader.ts'

/**
 * A source of numbers in memory, each its own position. A negative number is a row that does not match. `reads` records
 * after which position each read began, and its limit.
 *
 * @param knowsEnd whether a read of as many rows as there are reports the end; DynamoDB does not
 */
function numbers(rows: number[], { start, knowsEnd = true }: { start?: number | undefined; knowsEnd?: boolean } = {}) {
  const reads: [after: number | undefined, limit: number][] = []
  const read = async (after: number | undefined, limit: number) => {
    reads.push([after, limit])
    const rest = rows.filter((row) => after === undefined || Math.abs(row) > after)
    const read = rest.slice(0, limit)
    const hasEnded = knowsEnd ? rest.length <= limit : rest.length < limit
    return {
      rows: read.filter((row) => row > 0).map((position) => ({ position })),
      readUpTo: hasEnded ? undefined : Math.abs(read.at(-1) ?? 0),
    }
  }
  return { reads, start, read }
}
type Numbers = ReturnType<typeof numbers>

/** Shares the rows that sources may read in all. */
function limited(sources: Numbers[], maxRows = Number.POSITIVE_INFINITY) {
  const left = () => maxRows - sources.flatMap(({ reads }) => reads).reduce((sum, [, limit]) => sum + limit, 0)
  const affordable = (count: number) => Math.floor(left() / count)
  return { left, sources: sources.map((each) => ({ ...each, affordable })) }
}

function intersectionOf(
  sources: Numbers[],
  { maxRows = 1e9, minLimit = 3, rowsPerCandidate = [] as (number | undefined)[] } = {},
) {
  const { left, sources: shared } = limited(sources, maxRows)
  const readers = shared.map(
    (source, index) =>
      new PartitionReader({
        ...source,
        compare: byPosition,
        minLimit,
        rowsPerCandidate: rowsPerCandidate[index] ?? Infinity,
      }),
  )
  return { left, intersection: new Intersection(readers, byPosition, ({ position }) => position - 1) }
}

const byPosition = (one: number, other: number) => one - other

/** The rows of several sources: `1 4, 2..8:2` are 1 and 4 of the first, and 2, 4, 6, 8 of the second. */
function rowsOf(text: string): number[][] {
  const range = (part: string) => {
    const [first = 0, last = first, step = 1] = part.split(/\.\.|:/).map(Number)
    return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step)
  }
  return text.split(', ').map((source) => source.split(' ').flatMap(range))
}

/** The reads of several sources: `0+3 49+6, 0+3` are two of the first, the second one after 49, and one of the second. */
function readsOf(sources: Numbers[]): string {
  return sources.map(({ reads }) => reads.map(([after = 0, limit]) => `${after}+${limit}`).join(' ')).join(', ')
}

/** Each reads at least some rows, so pages that take more rounds never end. */
const MOST_ROUNDS = 500

/** Sources with rows at some of the numbers up to 40, which match or not. */
const someRows = fc
  .array(fc.constantFrom(1, 1, -1, 0), { maxLength: 40 })
  .map((kinds) => kinds.map((kind, index) => kind * (index + 1)).filter((row) => row !== 0))
const someSources = fc.array(someRows, { minLength: 1, maxLength: 4 })
const size = fc.integer({ min: 1, max: 9 })
const sizes = { limit: size, first: size, maxRows: fc.integer({ min: 1, max: 50 }), knowsEnd: fc.boolean() }

describe('an intersection', () => {
  const ALL = 1_000
  const values = async (rows: Promise<{ position: number }[]>) => (await rows).map(({ position }) => position)

  it.each<[string, rows: string, expected: object, pages?: number[], maxRows?: number]>([
    ['has the rows that all sources contain', '2..60:2, 3..60:3, 5..60:5', { found: [30, 60], hasEnded: true }],
    ['of one source is that source', '1 2 3 4', { found: [1, 2, 3, 4] }],
    ['skips to the furthest row, and reads from before it', '1..99, 50', { found: [50], reads: '0+3 49+6, 0+3' }],
    ['does not read again what it has read before it', '1..9, 3 4 5', { reads: '0+3 3+24, 0+3' }],
    ['doubles reads of what shares nothing', '2..58:2, 1..61:2', { reads: '0+3 6+6 18+12 42+24, 0+3 5+6 17+12 41+24' }],
    ['reads about as many rows as lead to those wanted', '1..99', { reads: '0+3 3+7 10+8 18+3' }, [8, 8, 4]],
    ['reads at most eight times as many rows as before', '1..400', { reads: '0+3 3+24 27+192 219+977' }],
    ['goes on with the rows it has read', '1..99, 1..99', { found: [1, 2, 3], reads: '0+3, 0+3' }, [1, 2]],
    ['stops at the end of one source', '1 2, 1..99', { found: [1, 2], hasEnded: true, reads: '0+3, 0+3' }],
    ['has not ended while rows are left that it has read', '1 2', { hasEnded: false, resumeAfter: 1 }, [1]],
    ['ends if too few rows are left', '1..9, 1..9', { reads: '0+3, 0+3', hasEnded: false, resumeAfter: 3 }, [9, 9], 8],
    ['resumes directly before the furthest row', '1..99, 50..99', { found: [], resumeAfter: 49 }, [ALL], 6],
  ])('%s', async (_, rows, expected, pages = [ALL], maxRows = 10 * ALL) => {
    const sources = rowsOf(rows).map((each) => numbers(each))
    const { intersection } = intersectionOf(sources, { maxRows })
    const found: number[] = []
    for (const limit of pages) found.push(...(await values(intersection.next(limit))))
    const { hasEnded, resumeAfter } = intersection
    expect({ found, hasEnded, resumeAfter, reads: readsOf(sources) }).toMatchObject(expected)
  })

  it('at first has not ended, and resumes where its sources do', () => {
    const { intersection } = intersectionOf([numbers([], { start: 5 }), numbers([], { start: 5 })])
    expect([intersection.hasEnded, intersection.resumeAfter]).toEqual([false, 5])
  })

  it('reads all sources side by side', async () => {
    const sources = [numbers([1, 2, 3]), numbers([1, 2, 3])]
    const rows = intersectionOf(sources).intersection.next(ALL)
    expect(readsOf(sources)).toBe('0+3, 0+3')
    await rows
  })

  it.each([
    ['leaves one unread whose rows cost more than they are worth, and may return too much', 2, '0', true],
    ['reads it as long as that costs no more than it is worth', 6, '0 49 149', true],
    ['reads it for each row of the other if that is worth it', ALL, '0 49..949:100', false],
  ])('of a dense source and another %s', async (_, rowsPerCandidate, starts, hasTooMuch) => {
    const [sparse = [], dense = []] = rowsOf('50..950:100, 1..249 251..1000')
    const sources = [numbers(dense), numbers(sparse)]
    const { intersection } = intersectionOf(sources, { rowsPerCandidate: [rowsPerCandidate, 1] })
    const found: number[] = []
    while (!intersection.hasEnded) found.push(...(await values(intersection.next(1))))
    expect(found).toEqual(sparse.filter((value) => hasTooMuch || value !== 250))
    expect([sources[0]?.reads.map(([after = 0]) => after)]).toEqual(rowsOf(starts))
  })

  it('reads sources that are about as dense to the end of one', async () => {
    const sources = rowsOf('1..24 26..40, 1..50:2').map((rows) => numbers(rows))
    const found = await values(intersectionOf(sources, { rowsPerCandidate: [2, 2] }).intersection.next(ALL))
    expect(found).toEqual(rowsOf('1..23:2 27..40:2').flat())
  })

  it('has each row once and in order over pages of any size, but may have others if it leaves dense sources unread', async () => {
    const further = { pages: fc.integer({ min: 1, max: 3 }), rowsPerCandidate: fc.option(size, { nil: undefined }) }
    const property = fc.asyncProperty(someSources, fc.record({ ...sizes, ...further }), async (rows, sizes) => {
      const { limit, first, maxRows, pages, rowsPerCandidate, knowsEnd } = sizes
      const found: number[] = []
      for (let resumeAfter: number | undefined, hasEnded = false, rounds = 0; !hasEnded; rounds++) {
        expect(rounds).toBeLessThan(MOST_ROUNDS)
        const sources = rows.map((each) => numbers(each, { start: resumeAfter, knowsEnd }))
        const { left, intersection } = intersectionOf(sources, {
          maxRows: rows.length * first + maxRows,
          minLimit: first,
          rowsPerCandidate: rows.map(() => rowsPerCandidate),
        })
        for (let page = 0; page < pages; page++) {
          const next = await values(intersection.next(limit))
          found.push(...next)
          expect(next.length).toBeLessThanOrEqual(limit)
          if (next.length < limit) expect(intersection.hasEnded || left() < rows.length * Math.max(4, first)).toBe(true)
        }
        ;({ resumeAfter, hasEnded } = intersection)
      }
      const matching = rows.map((each) => new Set(each.filter((row) => row > 0)))
      const inAll = matching.reduce((one, other) => one.intersection(other))
      const inAny = matching.reduce((one, other) => one.union(other))
      expect(found).toEqual([...new Set(found)].toSorted(byPosition))
      expect(inAll.difference(new Set(found)).size).toBe(0)
      expect(new Set(found).difference(rowsPerCandidate === undefined ? inAll : inAny).size).toBe(0)
    })
    // Pages would be empty for ever if what was skipped before a dense source is left unread were read again.
    const rows = [
      [1, 3, 4, -5],
      [1, 2, -3, 5],
      [1, 2, 3, 4],
    ]
    const few = { limit: 1, first: 3, maxRows: 1, knowsEnd: false, pages: 1, rowsPerCandidate: 2 }
    await fc.assert(property, { numRuns: 10_000, examples: [[rows, few]] })
  })
})
