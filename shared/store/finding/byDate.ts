/** Listings and searches by date: a listing walks along its index, a search reads the word lists. */
import type { Cursor } from '../../cursor.ts'
import type { Listing } from '../../listing.ts'
import { timeOf } from '../wordRows.ts'
import { openLists, type Range } from './lists.ts'
import { addMatching, type Page, PageJokes } from './page.ts'
import type { Reads } from './reads.ts'
import { everywhere, walk } from './shelves.ts'

export async function pageByDate(listing: Listing, reads: Reads): Promise<Page> {
  const { cursor, searchWords, numberofJokes } = listing
  if (!searchWords) return walk(listing, 'dateAdded', cursor?.plan === 'walk' ? cursor : START, reads)
  const { lists: budget, pageBytes } = reads.store.limits
  const range: Range = cursor?.plan === 'words' ? { after: cursor.after } : {}
  const lists = openLists(listing, reads.allot(budget), range)
  const page = new PageJokes(numberofJokes, pageBytes)
  const { last, hasMore } = await addMatching(page, (count) => lists.next(count), listing, reads)
  // What was read and is not on the page comes first on the next one.
  const after = hasMore ? (last?.position ?? range.after) : lists.resumeAfter
  const { jokes } = page
  if (!hasMore && lists.hasEnded) return { jokes }
  return { jokes, next: { plan: 'words', after } }
}

/** The cursor of a listing by date, the newest first, that begins with the last joke added before a date. */
export function cursorAt(date: Date, listing: Listing): Cursor {
  if (listing.searchWords) return { plan: 'words', after: timeOf(date) }
  // Without its last letter, a date sorts directly before itself. No joke has it, so the id is any text.
  const before = date.toISOString().slice(0, -1)
  return { plan: 'walk', positions: everywhere(listing, [before, before]) }
}

const START = { plan: 'walk', positions: {} } as const
