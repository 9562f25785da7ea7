import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Intersection } from '../shared/store/finding/intersection.ts'
import { Union } from '../shared/store/finding/union.ts'

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

/** The next rows of a union, at most `limit`, and whether there may be more. */
async function takeFrom(union: Union<{ position: number }, number>, limit: number) {
  const found: number[] = []
  for (;;) {
    const { head, hasEnded } = union
    if (hasEnded) return { found, hasMore: false }
    if (found.length === limit && union.hasPending) return { found, hasMore: true }
    if (head !== undefined) {
      found.push(head.position)
      union.take()
    } else if (!(await union.read())) return { found, hasMore: true }
  }
}

function intersectionOf(
  sources: Numbers[],
  { maxRows = 1e9, firstLimit = 3, rowsPerCandidate = [] as (number | undefined)[] } = {},
) {
  const { left, sources: shared } = limited(sources, maxRows)
  const unions = shared.map(
    (source, index) =>
      new Union([source], { compare: byPosition, firstLimit, rowsPerCandidate: rowsPerCandidate[index] ?? Infinity }),
  )
  return { left, intersection: new Intersection(unions, byPosition, (position) => position - 1) }
}

/** Positions with the same whole part are equal, so that rows of one source can be. */
const byWholePart = (one: number, other: number) => Math.floor(one) - Math.floor(other)
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

describe('a union', () => {
  it.each<[string, rows: string, limit: number, maxRows: number, expected: object]>([
    ['has the rows of all sources in order', '1 4 5, 2 3 6', 9, 99, { found: [1, 2, 3, 4, 5, 6], hasMore: false }],
    ['reads each source once if they are evenly mixed', '1 3 5 7, 2 4 6 8', 4, 99, { reads: '0+3, 0+3' }],
    ['reads a source no further while the rows read come first', '1 2 3 4, 3 8 9 10', 1, 99, { reads: '0+3, 0+3' }],
    ['reads a source no further that is read up to the next row', '5 8 9 10, -1 -2 -5 6', 1, 99, { reads: '0+3, 0+3' }],
    ['doubles each read of a source that has most rows', '1..30, 99', 20, 99, { reads: '0+3 3+6 9+12, 0+3' }],
    ['reads no source beyond the page', '1..99, -1..-99:-1', 2, 99, { found: [1, 2], reads: '0+3, 0+3' }],
    ['continues after rows that do not match', '1 -2 -3 4 5', 1, 99, { hasMore: true, positions: [3] }],
    ['divides the rows left among sources', '1..19:2, 2..20:2', 9, 10, { hasMore: true, reads: '0+3 5+4, 0+3' }],
    ['ends when too few rows are left', '-1 2 -3 -4 5', 9, 5, { found: [2], hasMore: true, positions: [3] }],
    ['of a page has not ended', '1 4 5 9, 2 3 6 8', 2, 99, { found: [1, 2], hasMore: true, positions: [1, 2] }],
    ['that may read nothing reads nothing', '1 3, 2 4', 9, 0, { hasMore: true, positions: [undefined, undefined] }],
  ])('%s', async (_, rows, limit, maxRows, expected) => {
    const each = rowsOf(rows).map((rows) => numbers(rows))
    const union = new Union(limited(each, maxRows).sources, { compare: byPosition, firstLimit: 3 })
    const page = await takeFrom(union, limit)
    expect({ ...page, positions: union.positions, reads: readsOf(each) }).toMatchObject(expected)
  })

  it.each(['2 3 4 5', '-2 -3 -4 5'])('knows nothing beyond a source that may not be read: %s', async (rows) => {
    const budgets = [9, 0]
    const sources = rowsOf(`${rows}, 1`).map((each, at) => ({ ...numbers(each), affordable: () => budgets[at] ?? 0 }))
    const union = new Union(sources, { compare: byPosition, firstLimit: 3 })
    expect(await union.read()).toBe(true)
    expect([union.head, union.resumeAfter, union.readUpTo]).toEqual([undefined, undefined, undefined])
  })

  it('alternates between sources of equal rows', async () => {
    const sources = limited([1, 2, 3].map(() => numbers([1.1, 1.2, 1.3]))).sources
    const union = new Union(sources, { compare: byWholePart, firstLimit: 3 })
    await takeFrom(union, 4)
    expect(union.positions).toEqual([1.2, 1.1, 1.1])
  })

  it('has each matching row once and in order over pages of any size, however it resumes', async () => {
    const property = fc.asyncProperty(someSources, fc.record(sizes), async (some, chosen) => {
      const { limit, first, maxRows, knowsEnd } = chosen
      // Many rows are equal.
      const all = some.map((rows) => rows.map((row) => row / 10 + Math.sign(row)))
      const taken: number[] = []
      for (let positions: (number | undefined)[] = [], hasMore = true, rounds = 0; hasMore; rounds++) {
        expect(rounds).toBeLessThan(MOST_ROUNDS)
        const each = all.map((rows, index) => numbers(rows, { start: positions[index], knowsEnd }))
        const { sources } = limited(each, some.length * 4 + maxRows)
        const union = new Union(sources, { compare: byWholePart, firstLimit: first })
        const page = await takeFrom(union, limit)
        taken.push(...page.found)
        ;({ hasMore } = page)
        positions = union.positions
      }
      expect(taken).toEqual(taken.toSorted(byWholePart))
      const matching = all.flat().filter((row) => row > 0)
      expect(taken.toSorted(byPosition)).toEqual(matching.toSorted(byPosition))
    })
    await fc.assert(property, { numRuns: 300 })
  })
})

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
          firstLimit: first,
          rowsPerCandidate: rows.map(() => rowsPerCandidate),
        })
        for (let page = 0; page < pages; page++) {
          const next = await values(intersection.next(limit))
          found.push(...next)
          expect(next.length).toBeLessThanOrEqual(limit)
          if (next.length < limit) expect(intersection.hasEnded || left() < Math.max(4, first)).toBe(true)
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
    await fc.assert(property, { numRuns: 1_000 })
  })
})
