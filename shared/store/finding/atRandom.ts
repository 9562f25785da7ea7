/**
 * Random orders. The jokes form a ring: in the order of their dates for a search or one category, otherwise in the order of
 * their ids. From a point that the seed chooses, a listing takes them in windows of neighbours, round the ring once. Within
 * a window they come in the order of a hash of seed and id, their rank. The next page reads the same window again.
 *
 * The ring is unrolled: positions after the start have a `0` before them, all others a `1`, as they come in a second lap.
 */
import { createHash } from 'node:crypto'
import * as v from 'valibot'
import type { Listing } from '../../listing.ts'
import { STATE_NAME, type State } from '../item.ts'
import type { Limits } from '../limits.ts'
import { placeOf } from '../wordRows.ts'
import type { BudgetedReads } from './budgetedReads.ts'
import { openLists, positionBefore, type Range, type Row } from './byDate.ts'
import { decodeCursor, encodeCursor, StringKey } from './cursor.ts'
import { Intersection } from './intersection.ts'
import { compare, compareKeys } from './order.ts'
import { addMatching, type Page, PageJokes } from './page.ts'
import { PartitionReader } from './partitionReader.ts'

/** After its lap, a position is empty at the start of the second one. */
const Unrolled = v.pipe(
  v.string(),
  v.regex(/^[01]/),
  v.check((text) => text.length === 1 || v.is(StringKey, text.slice(1))),
)

/** Where a random order continues. */
const RingCursor = v.strictObject({
  plan: v.literal('ring'),
  /** The position after which the ring begins, and with which it ends. */
  start: StringKey,
  /** The position after which the window begins. */
  begin: Unrolled,
  /**
   * Where the window ends, and up to which rank its jokes were shown; none: it has not been read yet. Several: jokes came in
   * between, and it took more than it may to read all of it again. What comes after a part keeps what was shown of it.
   */
  parts: v.array(v.strictObject({ end: Unrolled, shown: v.string() })),
})
type RingCursor = v.InferOutput<typeof RingCursor>

export async function pageOfRing(listing: Listing, reads: BudgetedReads): Promise<Page> {
  const { limits } = reads.store
  const ring = ringOf(listing, limits)
  const page = new PageJokes(listing.numberofJokes, limits.pageBytes)
  const ringReads = reads.withBudget(limits.lists)
  const cursor = decodeCursor(RingCursor, listing)
  const start = cursor?.start ?? (await ring.startOf(reads))
  const parts = cursor?.parts ?? []
  let begin = cursor?.begin ?? `0${start}`
  // A window takes its whole budget or none, so that it ends at the same joke on a page of any size.
  while (page.room > 0 && ringReads.has(limits.window)) {
    const { rows, end } = await readWindow(ring, start, begin, parts[0]?.end, ringReads.withBudget(limits.window))
    const known = parts.shift()
    const part = { end, shown: known?.shown ?? '' }
    if (known && known.end !== end) parts.unshift(known)
    const ranked = rank(rows, listing.seed).filter(({ rank }) => rank > part.shown)
    const { last, hasMore } = await addMatching(page, (count) => ranked.splice(0, count), listing, reads)
    if (hasMore || ranked.length > 0) {
      parts.unshift({ end, shown: last?.rank ?? part.shown })
      break
    }
    if (end === endOf(start)) return { jokes: page.jokes }
    begin = end
  }
  const next: RingCursor = { plan: 'ring', start, begin, parts }
  return { jokes: page.jokes, next: encodeCursor(next, listing) }
}

/** Text that orders jokes at random, another way for each seed. */
export function rankOf(seed: string, id: string): string {
  return createHash('sha256').update(`${seed} ${id}`).digest('base64url')
}

/** The jokes of rows, each once, by their ranks: a joke may also have a row of a lost race. */
function rank(rows: Row[], seed: string) {
  const byId = Map.groupBy(rows, ({ id }) => id)
  return Array.from(byId, ([id, own]) => ({
    id,
    places: own.flatMap(({ places }) => places),
    rank: rankOf(seed, id),
  })).toSorted((one, other) => compare(one.rank, other.rank))
}

interface Ring {
  /** The position after which it begins. */
  startOf(reads: BudgetedReads): Promise<string>
  open(range: Range, reads: BudgetedReads): Intersection<Row, string>
  /** How many rows are enough for a window. */
  enough: number
}

function ringOf(listing: Listing, { windowJokes, fewestShuffled }: Limits): Ring {
  const { seed, searchWords, categories } = listing
  const startOfIds = createHash('sha256').update(seed).digest('base64url')
  if (!searchWords && categories?.length !== 1)
    return {
      startOf: async () => startOfIds,
      open: (range, reads) => openIds(categories, windowJokes + 1, range, reads),
      enough: categories ? fewestShuffled : windowJokes,
    }
  return {
    // Where the joke stands at which the ring of ids begins: its ring has no large gaps, as that of dates may have.
    startOf: async (reads) => {
      const [first] = await openIds(undefined, 1, { after: startOfIds }, reads).next(1)
      const { id = '' } = first ?? (await openIds(undefined, 1, {}, reads).next(1))[0] ?? {}
      const found = (await reads.jokes([id])).get(id)
      return positionBefore(found ? placeOf(found.joke) : '')
    },
    open: (range, reads) => openLists({ ...listing, numberofJokes: windowJokes }, reads, range),
    enough: windowJokes,
  }
}

/** The listed jokes of some categories, or of all, in the order of their ids, which is as good as random. */
function openIds(
  categories: string[] | undefined,
  leastLimit: number,
  { after: start, upTo }: Range,
  reads: BudgetedReads,
) {
  const state: State = 'listed'
  const reader = new PartitionReader<Row, string>({
    compare,
    start,
    leastLimit,
    affordable: (readers) => reads.affordableRows(STATE_ROW_BYTES, readers),
    read: async (after, limit) => {
      // DynamoDB refuses to start beyond the end.
      if (after !== undefined && upTo !== undefined && compareKeys(after, upTo) >= 0) return { rows: [] }
      const { Items = [], LastEvaluatedKey } = await reads.query(STATE_ROW_BYTES, {
        TableName: reads.store.jokesTable,
        IndexName: 'byState',
        KeyConditionExpression: `#state = :state${upTo === undefined ? '' : ' AND id <= :upTo'}`,
        ExpressionAttributeNames: STATE_NAME,
        ExpressionAttributeValues: { ':state': state, ':upTo': upTo },
        ExclusiveStartKey: after === undefined ? undefined : { state, id: after },
        Limit: limit,
      })
      const rows = Items.filter(({ category }) => !categories || categories.includes(category))
      return {
        rows: rows.map(({ id }) => ({ id: String(id), places: [], position: String(id) })),
        readUpTo: LastEvaluatedKey && String(LastEvaluatedKey.id),
      }
    },
  })
  // Of one partition, no row is skipped.
  return new Intersection([reader], compare, (id) => id)
}

/** A row of the index by state. */
const STATE_ROW_BYTES = 100

/** Reads a window, up to where it ended when it was read before. Its budget may end it earlier. */
async function readWindow(
  ring: Ring,
  start: string,
  begin: string,
  knownEnd: string | undefined,
  reads: BudgetedReads,
) {
  const all = Number.POSITIVE_INFINITY
  const [most, enough] = knownEnd ? [all, all] : [reads.store.limits.windowJokes, ring.enough]
  const rows: Row[] = []
  const end = knownEnd ?? endOf(start)
  for (const [lap, range] of lapsOf(begin, end)) {
    const opened = ring.open(range, reads)
    rows.push(...(await opened.next(most - rows.length, enough - rows.length)))
    if (!opened.hasEnded) return { rows, end: lap + (opened.resumeAfter ?? '') }
  }
  return { rows, end }
}

/** The last position of an unrolled ring. */
function endOf(start: string): string {
  return `1${start}`
}

/** What to read between two positions: one range, or two if the second lap begins between them. */
function lapsOf(begin: string, end: string): [lap: string, Range][] {
  const [lap, after, upTo] = [begin.charAt(0), begin.slice(1) || undefined, end.slice(1)]
  const laps: [string, Range][] = end.startsWith(lap)
    ? [[lap, { after, upTo }]]
    : [
        ['0', { after }],
        ['1', { upTo }],
      ]
  return laps.filter(([, { upTo }]) => upTo !== '')
}
