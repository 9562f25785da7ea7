/** The `Link` header that leads to the next page of a listing (RFC 8288): the service writes it, its clients read it. */

/** @param target address of the next page, relative to the one that the header comes with */
export function nextLink(target: string): string {
  return `<${target}>; rel="next"`
}

/** The address of the page that follows a response; undefined: this is the last page. */
export function nextPageOf({ headers, url }: Pick<Response, 'headers' | 'url'>): URL | undefined {
  const target = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
  return target === undefined ? undefined : new URL(target, url)
}
