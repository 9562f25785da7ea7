/** The ring of all listed jokes: the index `byState`, in the order of ids. After the last id comes the first. */
import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { JokeId } from '../../joke.ts'
import type { Listing } from '../../listing.ts'
import { filterBy, STATE_NAME, STATE_ROW_BYTES, type State } from '../item.ts'
import type { BudgetedReads } from './budgetedReads.ts'
import { StringKey } from './cursor.ts'
import { compare } from './order.ts'
import { isOfCategory } from './page.ts'

/** Rows after one place of the ring, up to another one. `''` is before the first id. Equal places are the whole ring. */
export const Arc = v.strictTuple([v.union([v.literal(''), StringKey]), v.pipe(v.string(), v.regex(/^[\w-]{12}$/))])
export type Arc = v.InferOutput<typeof Arc>

/** Cuts an arc at places that the seed chooses. */
export function cutArc([after, end]: Arc, seed: string): Arc[] {
  const cuts = Array.from({ length: CUTS }, (_, number) => placeOf(`${seed} ${number}`))
  // The order in which a walk meets places: those up to its start come after the last id.
  const isAfterLastId = (place: string) => Number(place <= after)
  const places = [...cuts, end].toSorted((a, b) => isAfterLastId(a) - isAfterLastId(b) || compare(a, b))
  const ends = places.slice(0, places.indexOf(end) + 1)
  return ends.map((place, index) => [ends[index - 1] ?? after, place])
}

/** Enough that neighbours on the ring are seldom read together. Cursors hold all arcs. */
const CUTS = 15

/** Returns the place of a text on the ring. It is shorter than an id, so no joke has it as its id. */
export function placeOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 12)
}

/** Matches that are read together. */
export interface Window {
  ids: string[]
  /** Number of ids that certainly match. Jokes with too many words for the filter may not. */
  certain: number
  rowsRead: number
  /** The rest of the ring. The next read is in the first arc, which then becomes the last one. */
  arcs: Arc[]
}

export const EMPTY_WINDOW = { ids: [], certain: 0, rowsRead: 0 }

/** Extends a window until it has enough rows and matches. The ring or the budget may end it earlier. */
export async function extend(begun: Window, matches: number, listing: Listing, ring: BudgetedReads): Promise<Window> {
  const { windowRows, window: budget } = ring.store.limits
  const reads = ring.withBudget(budget)
  let window = begun
  while (window.rowsRead < windowRows || window.ids.length < matches) {
    const { ids, rowsRead } = window
    const [arc] = window.arcs
    // Reads a quarter more rows than are probably needed, to save a further call.
    const likely = Math.ceil((1.25 * (matches - ids.length) * rowsRead) / Math.max(1, ids.length))
    const limit = Math.min(Math.max(windowRows - rowsRead, likely), reads.affordableRows(STATE_ROW_BYTES, 1))
    if (!arc || limit === 0) break
    window = await readArc(window, arc, limit, listing, reads)
  }
  return window
}

/** Adds the matches of the next rows to a window. */
async function readArc(window: Window, [after, end]: Arc, limit: number, listing: Listing, reads: BudgetedReads) {
  const { searchWords } = listing
  const filter = searchWords && filterBy(searchWords)
  const passesLastId = after >= end
  const state: State = 'listed'
  const output = await reads.query(STATE_ROW_BYTES, {
    TableName: reads.store.jokesTable,
    IndexName: 'byState',
    KeyConditionExpression: passesLastId ? '#state = :state' : '#state = :state AND id < :end',
    FilterExpression: filter?.expression,
    ExpressionAttributeNames: STATE_NAME,
    ExpressionAttributeValues: { ':state': state, ':end': passesLastId ? undefined : end, ...filter?.values },
    ExclusiveStartKey: after === '' ? undefined : { state, id: after },
    Limit: limit,
  })
  const { Items = [], ScannedCount = limit, LastEvaluatedKey } = output
  const matches = Items.filter((item) => v.is(JokeId, item.id) && isOfCategory(item, listing))
  const lastPlace = passesLastId ? '' : end
  const reached = LastEvaluatedKey ? String(LastEvaluatedKey.id) : lastPlace
  const rest: Arc[] = reached === end ? [] : [[reached, end]]
  const others = window.arcs.slice(1)
  return {
    ids: [...window.ids, ...matches.map(({ id }) => id)],
    certain: window.certain + matches.filter(({ words }) => !searchWords || words !== undefined).length,
    rowsRead: window.rowsRead + ScannedCount,
    // An arc that has passed the last id stays first: its next read begins with the first id.
    arcs: reached === '' ? [...rest, ...others] : [...others, ...rest],
  }
}
