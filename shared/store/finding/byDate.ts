/** Searches by date: the jokes that all lists of a search have, in the order of the lists. */
import * as v from 'valibot'
import type { Listing } from '../../listing.ts'
import type { BudgetedReads } from './budgetedReads.ts'
import { decodeCursor, encodeCursor, StringKey } from './cursor.ts'
import { type IndexedCandidate, openLists } from './invertedIndex.ts'
import { type Page, PageJokes } from './page.ts'

/** Where a search by date continues: after a position in the lists. */
const ListsCursor = v.strictObject({ plan: v.literal('lists'), after: v.optional(StringKey) })
type ListsCursor = v.InferOutput<typeof ListsCursor>

export async function searchByDate(listing: Listing, reads: BudgetedReads): Promise<Page> {
  const { partition, pageBytes } = reads.store.limits
  const start = decodeCursor(ListsCursor, listing)?.after
  const lists = openLists(listing, reads.withBudget(partition), start)
  const page = new PageJokes(listing.numberofJokes, pageBytes)
  const { jokes } = page
  let checkedUpTo = start
  while (page.room > 0) {
    const candidates: IndexedCandidate[] = await lists.next(page.batchSize)
    if (candidates.length === 0) break
    const left = await page.addMatching(candidates, listing, reads)
    checkedUpTo = candidates.at(-left.length - 1)?.position ?? checkedUpTo
    // The page is full, or the budget spent.
    if (left.length > 0) return { jokes, next: cursorAfter(checkedUpTo, listing) }
  }
  return lists.hasEnded ? { jokes } : { jokes, next: cursorAfter(lists.resumeAfter, listing) }
}

function cursorAfter(after: string | undefined, listing: Listing): string {
  const cursor: ListsCursor = { plan: 'lists', after }
  return encodeCursor(cursor, listing)
}
