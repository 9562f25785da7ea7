/** Searches by date: the jokes that all lists of a search have, in the order of the lists. */
import * as v from 'valibot'
import type { Listing } from '../../listing.ts'
import type { BudgetedReads } from './budgetedReads.ts'
import { decodeCursor, encodeCursor, StringKey } from './cursor.ts'
import { openLists } from './invertedIndex.ts'
import { addMatching, type Page, PageJokes } from './page.ts'

/** Where a search by date continues: after a position in the lists. */
const ListsCursor = v.strictObject({ plan: v.literal('lists'), after: v.optional(StringKey) })
type ListsCursor = v.InferOutput<typeof ListsCursor>

export async function searchByDate(listing: Listing, reads: BudgetedReads): Promise<Page> {
  const { partition, pageBytes } = reads.store.limits
  const start = decodeCursor(ListsCursor, listing)?.after
  const lists = openLists(listing, reads.withBudget(partition), start)
  const page = new PageJokes(listing.numberofJokes, pageBytes)
  const { last, hasMore } = await addMatching(page, (count) => lists.next(count), listing, reads)
  const { jokes } = page
  if (!hasMore && lists.hasEnded) return { jokes }
  // What was read and is not on the page comes first on the next one.
  const next: ListsCursor = { plan: 'lists', after: hasMore ? (last?.position ?? start) : lists.resumeAfter }
  return { jokes, next: encodeCursor(next, listing) }
}
