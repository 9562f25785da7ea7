/** The `Link` header with the next page of a listing (RFC 8288). The service writes it, and its clients read it. */
import type { Listing } from './listing.ts'

/** Matches the header. Its group is the URL of the next page, with the path, because Java drops it for a query alone. */
export const NEXT_LINK = /^<(joke\?[^>]+)>; rel="next"$/

/** Returns the header for the page of a listing that begins at a cursor. */
export function nextLink(listing: Listing, cursor: string): string {
  const { searchString, numberofJokes, categories, sortBy, sortOrder, seed } = listing
  const query = new URLSearchParams({
    ...(searchString !== undefined && { searchString }),
    numberofJokes: String(numberofJokes),
    ...(categories && { categories: categories.join() }),
    ...(sortBy === 'random' ? { sortBy, seed } : { sortBy, sortOrder }),
    cursor,
  })
  return `<joke?${query}>; rel="next"`
}

/** Returns the URL of the page after a response, or `undefined` after the last page. */
export function nextPageOf({ headers, url }: Pick<Response, 'headers' | 'url'>): URL | undefined {
  const target = NEXT_LINK.exec(`${headers.get('link')}`)?.[1]
  return target === undefined ? undefined : new URL(target, url)
}
