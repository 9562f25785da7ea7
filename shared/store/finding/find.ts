/** Chooses how a listing finds its jokes. */
import type { StoredJoke } from '../../joke.ts'
import type { Listing } from '../../listing.ts'
import { listAtRandom, rankOf } from './atRandom.ts'
import type { BudgetedReads } from './budgetedReads.ts'
import { searchByDate } from './byDate.ts'
import { searchByVotes } from './byVotes.ts'
import { decodeCursor } from './cursor.ts'
import { walkIndex, walkIndexCursor } from './indexWalk.ts'
import { compare, comparePositions, type IndexedField, positionOf } from './order.ts'
import type { Page } from './page.ts'

/** @throws {InvalidInput} if the cursor belongs to another listing */
export async function findJokes(listing: Listing, reads: BudgetedReads): Promise<Page> {
  const { id, searchWords, sortBy } = listing
  if (id) return { jokes: await jokesById(id, listing, reads) }
  if (searchWords?.length === 0) return { jokes: [] }
  if (sortBy === 'random') return listAtRandom(listing, reads)
  const field = indexedField(sortBy)
  if (!searchWords) return walkIndex(listing, field, reads, decodeCursor(walkIndexCursor(field), listing))
  return field === 'thumbsUp' ? searchByVotes(listing, reads) : searchByDate(listing, reads)
}

/** Reads the listed jokes with these ids, in their latest state. */
async function jokesById(ids: string[], listing: Listing, reads: BudgetedReads): Promise<StoredJoke[]> {
  const { sortBy, sortOrder, seed } = listing
  const found = await reads.jokes(ids, { ConsistentRead: true })
  const jokes = Array.from(found.values(), ({ joke }) => joke)
  if (sortBy === 'random') return jokes.toSorted((a, b) => compare(rankOf(seed, a.id), rankOf(seed, b.id)))
  const field = indexedField(sortBy)
  return jokes.toSorted((a, b) => comparePositions(sortOrder, positionOf(a, field), positionOf(b, field)))
}

/** Returns the index for a sort field. `thumbsDown` is the same for all jokes, so sorting by it gives date order. */
function indexedField(sortBy: 'thumbsUp' | 'thumbsDown' | 'dateAdded'): IndexedField {
  return sortBy === 'thumbsUp' ? sortBy : 'dateAdded'
}
