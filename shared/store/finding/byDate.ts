/** Searches by date: returns the jokes that all index lists of a search have, in the order of the lists. */
import * as v from 'valibot'
import type { Listing } from '../../listing.ts'
import type { BudgetedReads } from './budgetedReads.ts'
import { decodeCursor, encodeCursor, StringKey } from './cursor.ts'
import { openLists } from './invertedIndex.ts'
import { type Page, PageJokes } from './page.ts'

/** The cursor of a search by date: a position in the index lists. */
const ListsCursor = v.strictObject({ plan: v.literal('lists'), after: v.optional(StringKey) })
type ListsCursor = v.InferOutput<typeof ListsCursor>

export async function searchByDate(listing: Listing, reads: BudgetedReads): Promise<Page> {
  const { indexLists, pageBytes } = reads.store.limits
  const start = decodeCursor(ListsCursor, listing)?.after
  const lists = openLists(listing, reads.withBudget(indexLists), start)
  const page = new PageJokes(listing.numberofJokes, pageBytes)
  const { jokes } = page
  const pageUpTo = (after: string | undefined): Page => ({
    jokes,
    next: encodeCursor<ListsCursor>({ plan: 'lists', after }, listing),
  })
  let checkedUpTo = start
  while (page.room > 0) {
    const candidates = await lists.next(page.batchSize)
    if (candidates.length === 0) break
    const left = await page.addMatching(candidates, listing, reads)
    checkedUpTo = candidates.at(-left.length - 1)?.position ?? checkedUpTo
    // The page is full, or the budget is spent.
    if (left.length > 0) return pageUpTo(checkedUpTo)
  }
  return lists.hasEnded ? { jokes } : pageUpTo(lists.resumeAfter)
}
