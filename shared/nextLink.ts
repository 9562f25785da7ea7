/** The `Link` header with the next page of a listing (RFC 8288). The service writes it, and its clients read it. */

/** Matches the header. Its group is the URL of the next page, which has the path, because Java drops it for a query alone. */
export const NEXT_LINK = /^<(joke\?[^>]+)>; rel="next"$/

/** @param query the query of the next page */
export function nextLink(query: URLSearchParams | string): string {
  return `<joke?${query}>; rel="next"`
}

/** Returns the URL of the page after a response, or `undefined` after the last page. */
export function nextPageOf({ headers, url }: Pick<Response, 'headers' | 'url'>): URL | undefined {
  const target = NEXT_LINK.exec(`${headers.get('link')}`)?.[1]
  return target === undefined ? undefined : new URL(target, url)
}
