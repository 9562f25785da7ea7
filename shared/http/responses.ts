/** The responses of the API. */
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type { Joke } from '../joke.ts'
import type { Listing, Page } from '../listing.ts'
import { nextLink } from '../nextLink.ts'
import { prefers } from './accept.ts'

export interface HttpResponse {
  statusCode: number
  headers: Record<string, string>
  body: string
  /** Whether the body is base64 of the bytes to send. */
  isBase64Encoded?: boolean
}

const JSON_TYPE = 'application/json'
/** The type of a new joke (interface.md, “Add a joke”). */
const CREATED_TYPE = 'application/vnd.json'
const TEXT_TYPE = 'text/plain'

/** Without a charset, some programs read Latin-1, such as Windows PowerShell 5. */
export function inUtf8(mediaType: string): string {
  return `${mediaType}; charset=utf-8`
}

/** A response with a JSON body. Caches may keep it only if `headers` allow that. */
export function respond(statusCode: number, body: unknown, headers: HttpResponse['headers'] = {}): HttpResponse {
  return {
    statusCode,
    headers: {
      'content-type': inUtf8(JSON_TYPE),
      'cache-control': 'no-store',
      // Browsers must not run a joke that looks like a script.
      'x-content-type-options': 'nosniff',
      ...headers,
    },
    body: JSON.stringify(body),
  }
}

/** Caches need a copy for each format. API Gateway adds CORS headers only if a request has an `Origin`. */
const VARY = { vary: 'Accept, Origin' }

/** 201 with the joke: as `application/vnd.json`, or as `application/json` if the client prefers that. */
export function respondCreated({ headers }: APIGatewayProxyEventV2, joke: Joke): HttpResponse {
  const type = prefers(headers?.accept, JSON_TYPE, CREATED_TYPE) ? inUtf8(JSON_TYPE) : CREATED_TYPE
  return respond(201, joke, { 'content-type': type, location: `joke?id=${joke.id}`, ...VARY })
}

/** 200 with a page of jokes: as JSON, or as plain text if the client prefers it. `Link` has the next page's URL. */
export function respondList(event: APIGatewayProxyEventV2, listing: Listing, page: Page): HttpResponse {
  const { jokes, total, next } = page
  const response = respond(200, jokes, {
    ...VARY,
    // A CDN may reuse a listing for 5 seconds. Browsers must ask again.
    ...(listing.isCacheable && { 'cache-control': 'max-age=0, s-maxage=5' }),
    ...(!listing.ids && { 'x-total-count': String(total) }),
    ...(next && { link: nextLink(listing, next) }),
  })
  if (!prefers(event.headers?.accept, TEXT_TYPE, JSON_TYPE)) return response
  const texts = jokes.map(({ joke, punchline }) => [joke, punchline].filter(Boolean).map(lineOf).join(''))
  return { ...response, headers: { ...response.headers, 'content-type': inUtf8(TEXT_TYPE) }, body: texts.join('\n') }
}

/** Returns a text on a line of its own. With line ends of its own, it could pass for several jokes. */
function lineOf(text: string): string {
  return `${text.replaceAll(/\s+/g, ' ')}\n`
}
