import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Intersection } from '../shared/store/finding/intersection.ts'
import { PartitionReader } from '../shared/store/finding/partitionReader.ts'

/**
 * Makes a source of numbers in memory, each its own position. Its `reads` are the start and the limit of each read. A
 * negative number is a row that does not match.
 *
 * @param knowsEnd whether a read of exactly the rows left reports the end, unlike DynamoDB
 */
function numbers(rows: number[], { start, knowsEnd = true }: { start?: number | undefined; knowsEnd?: boolean } = {}) {
  const reads: [after: number | undefined, limit: number][] = []
  const read = async (after: number | undefined, limit: number) => {
    reads.push([after, limit])
    const rest = rows.filter((row) => after === undefined || Math.abs(row) > after)
    const read = rest.slice(0, limit)
    const hasEnded = knowsEnd ? rest.length <= limit : rest.length < limit
    return {
      rows: read.filter((row) => row > 0).map((position) => ({ position, before: position - 1 })),
      readUpTo: hasEnded ? undefined : Math.abs(read.at(-1) ?? 0),
    }
  }
  return { reads, start, read }
}
type Numbers = ReturnType<typeof numbers>

/** Gives sources a shared budget of rows. */
function limited(sources: Numbers[], maxRows = Number.POSITIVE_INFINITY) {
  const left = () => maxRows - sources.flatMap(({ reads }) => reads).reduce((sum, [, limit]) => sum + limit, 0)
  const affordable = (count: number) => Math.floor(left() / count)
  return { left, sources: sources.map((source) => ({ ...source, affordable })) }
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
  return { left, intersection: new Intersection(readers, byPosition) }
}

const byPosition = (a: number, b: number) => a - b

/** Parses the rows of sources. In `1 4, 2..8:2`, the first has 1 and 4, the second 2, 4, 6 and 8. */
function rowsOf(text: string): number[][] {
  const range = (part: string) => {
    const [first = 0, last = first, step = 1] = part.split(/\.\.|:/).map(Number)
    return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step)
  }
  return text.split(', ').map((source) => source.split(' ').flatMap(range))
}

/** Prints the reads of sources. `0+3 49+6, 0+3`: the first read 3 rows from the start and 6 after 49, the second 3. */
function readsOf(sources: Numbers[]): string {
  return sources.map(({ reads }) => reads.map(([after = 0, limit]) => `${after}+${limit}`).join(' ')).join(', ')
}

/** Each round reads at least some rows, so pages that need more rounds would never end. */
const MAX_ROUNDS = 500

/** Rows of a source, at some numbers up to 40, matching or not. */
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
    ['returns the rows that all sources contain', '2..60:2, 3..60:3, 5..60:5', { found: [30, 60], hasEnded: true }],
    ['of one source returns that source', '1 2 3 4', { found: [1, 2, 3, 4] }],
    ['skips to the furthest row of any source', '1..99, 50', { found: [50], reads: '0+3 49+6, 0+3' }],
    ['reads no row twice', '1..9, 3 4 5', { reads: '0+3 3+24, 0+3' }],
    ['doubles reads of disjoint sources', '2..58:2, 1..61:2', { reads: '0+3 6+6 18+12 42+24, 0+3 5+6 17+12 41+24' }],
    ['reads about as many rows as the wanted matches need', '1..99', { reads: '0+3 3+7 10+8 18+3' }, [8, 8, 4]],
    ['reads at most eight times as many rows as before', '1..400', { reads: '0+3 3+24 27+192 219+977' }],
    ['continues with rows already read', '1..99, 1..99', { found: [1, 2, 3], reads: '0+3, 0+3' }, [1, 2]],
    ['ends when one source ends', '1 2, 1..99', { found: [1, 2], hasEnded: true, reads: '0+3, 0+3' }],
    ['has not ended while loaded rows remain', '1 2', { hasEnded: false, resumeAfter: 1 }, [1]],
    ['stops if its budget is too low', '1..9, 1..9', { reads: '0+3, 0+3', hasEnded: false, resumeAfter: 3 }, [9, 9], 8],
    ['resumes directly before the furthest row', '1..99, 50..99', { found: [], resumeAfter: 49 }, [ALL], 6],
  ])('an intersection %s', async (_, rows, expected, pages = [ALL], maxRows = 10 * ALL) => {
    const sources = rowsOf(rows).map((sourceRows) => numbers(sourceRows))
    const { intersection } = intersectionOf(sources, { maxRows })
    const found: number[] = []
    for (const limit of pages) found.push(...(await values(intersection.next(limit))))
    const { hasEnded, resumeAfter } = intersection
    expect({ found, hasEnded, resumeAfter, reads: readsOf(sources) }).toMatchObject(expected)
  })

  it('a new intersection resumes where its sources start', () => {
    const { intersection } = intersectionOf([numbers([], { start: 5 }), numbers([], { start: 5 })])
    expect([intersection.hasEnded, intersection.resumeAfter]).toEqual([false, 5])
  })

  it('an intersection reads its sources in parallel', async () => {
    const sources = [numbers([1, 2, 3]), numbers([1, 2, 3])]
    const rows = intersectionOf(sources).intersection.next(ALL)
    expect(readsOf(sources)).toBe('0+3, 0+3')
    await rows
  })

  it.each([
    ['leaves it unread if reading costs more than it saves', 2, '0', true],
    ['reads it while that costs no more than it saves', 6, '0 49 149', true],
    ['reads it for each sparse row if that saves more', ALL, '0 49..949:100', false],
  ])('an intersection with a dense source %s', async (_, rowsPerCandidate, starts, hasTooMuch) => {
    const [sparse = [], dense = []] = rowsOf('50..950:100, 1..249 251..1000')
    const sources = [numbers(dense), numbers(sparse)]
    const { intersection } = intersectionOf(sources, { rowsPerCandidate: [rowsPerCandidate, 1] })
    const found: number[] = []
    while (!intersection.hasEnded) found.push(...(await values(intersection.next(1))))
    expect(found).toEqual(sparse.filter((value) => hasTooMuch || value !== 250))
    expect([sources[0]?.reads.map(([after = 0]) => after)]).toEqual(rowsOf(starts))
  })

  it('an intersection reads equally dense sources until one ends', async () => {
    const sources = rowsOf('1..24 26..40, 1..50:2').map((rows) => numbers(rows))
    const found = await values(intersectionOf(sources, { rowsPerCandidate: [2, 2] }).intersection.next(ALL))
    expect(found).toEqual(rowsOf('1..23:2 27..40:2').flat())
  })

  it('an intersection returns each common row once, in order, at any page size', async () => {
    const further = { pages: fc.integer({ min: 1, max: 3 }), rowsPerCandidate: fc.option(size, { nil: undefined }) }
    const property = fc.asyncProperty(someSources, fc.record({ ...sizes, ...further }), async (rows, sizes) => {
      const { limit, first, maxRows, pages, rowsPerCandidate, knowsEnd } = sizes
      const found: number[] = []
      for (let resumeAfter: number | undefined, hasEnded = false, rounds = 0; !hasEnded; rounds++) {
        expect(rounds).toBeLessThan(MAX_ROUNDS)
        const sources = rows.map((sourceRows) => numbers(sourceRows, { start: resumeAfter, knowsEnd }))
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
      const matching = rows.map((sourceRows) => new Set(sourceRows.filter((row) => row > 0)))
      const inAll = matching.reduce((a, b) => a.intersection(b))
      const inAny = matching.reduce((a, b) => a.union(b))
      expect(found).toEqual([...new Set(found)].toSorted(byPosition))
      // A dense source that is left unread excludes no rows.
      expect(inAll.difference(new Set(found)).size).toBe(0)
      expect(new Set(found).difference(rowsPerCandidate === undefined ? inAll : inAny).size).toBe(0)
    })
    // Each page would be empty if it reread the rows skipped before a dense source is left unread.
    const rows = [
      [1, 3, 4, -5],
      [1, 2, -3, 5],
      [1, 2, 3, 4],
    ]
    const few = { limit: 1, first: 3, maxRows: 1, knowsEnd: false, pages: 1, rowsPerCandidate: 2 }
    await fc.assert(property, { numRuns: 10_000, examples: [[rows, few]] })
  })
})
