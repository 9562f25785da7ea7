/** How a listing finds its jokes: by their ids, or by the plan of its order. Each plan has a file of its own. */
import type { StoredJoke } from '../../joke.ts'
import type { Listing } from '../../listing.ts'
import { pageAtRandom, rankOf } from './atRandom.ts'
import { pageByDate } from './byDate.ts'
import { pageByVotes } from './byVotes.ts'
import { compare, comparePositions, positionOf } from './order.ts'
import type { Page } from './page.ts'
import type { Reads } from './reads.ts'

/** Finds a page of the jokes that a listing asks for. */
export async function findJokes(listing: Listing, reads: Reads): Promise<Page> {
  const { id, searchWords, sortBy } = listing
  if (id) return { jokes: await jokesById(id, listing, reads) }
  if (searchWords?.length === 0) return { jokes: [] }
  switch (sortBy) {
    case 'random':
      return pageAtRandom(listing, reads)
    case 'thumbsUp':
      return pageByVotes(listing, reads)
    // Nothing changes `thumbsDown`: all jokes have the same, so every order is right.
    case 'thumbsDown':
    case 'dateAdded':
      return pageByDate(listing, reads)
  }
}

/** The jokes with these ids that are listed, in their latest state. */
async function jokesById(ids: string[], { sortBy, sortOrder, seed }: Listing, reads: Reads): Promise<StoredJoke[]> {
  const found = await reads.jokes(ids, { ConsistentRead: true })
  const jokes = Array.from(found.values(), ({ joke }) => joke)
  if (sortBy === 'random') return jokes.toSorted((one, other) => compare(rankOf(seed, one.id), rankOf(seed, other.id)))
  const field = sortBy === 'thumbsUp' ? sortBy : 'dateAdded'
  return jokes.toSorted((one, other) => comparePositions(sortOrder, positionOf(one, field), positionOf(other, field)))
}
