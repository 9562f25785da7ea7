/** The `Link` header that leads to the next page of a listing (RFC 8288): the service writes it, its clients read it. */

/** Matches the header; the group is the query of the next page. */
export const NEXT_LINK = /^<(\?[^>]+)>; rel="next"$/

/** @param target the query of the next page, starting with `?` */
export function nextLink(target: string): string {
  return `<${target}>; rel="next"`
}

/** The address of the page that follows a response; undefined: this is the last page. */
export function nextPageOf({ headers, url }: Pick<Response, 'headers' | 'url'>): URL | undefined {
  const target = NEXT_LINK.exec(`${headers.get('link')}`)?.[1]
  return target === undefined ? undefined : new URL(target, url)
}
