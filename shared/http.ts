/** HTTP for all functions: builds their responses and maps errors to problem documents. */
import { isUtf8 } from 'node:buffer'
import { STATUS_CODES } from 'node:http'
import middy from '@middy/core'
import jsonBodyParser from '@middy/http-json-body-parser'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import Negotiator from 'negotiator'
import * as v from 'valibot'
import { MAX_BODY_KB } from './clientLimits.ts'
import { DuplicateJoke, type FieldError, InvalidInput, Unavailable, UnknownJoke } from './errors.ts'
import type { StoredJoke } from './joke.ts'
import type { Listing } from './listing.ts'
import { logError } from './log.ts'
import { nextLink } from './nextLink.ts'

type Headers = Record<string, string>

/** What a function returns to API Gateway. */
export interface HttpResponse {
  statusCode: number
  headers: Headers
  body: string
}

const JSON_TYPE = 'application/json'
/** For a new joke (interface.md, “POST /joke”). */
const CREATED_TYPE = 'application/vnd.json'
const TEXT_TYPE = 'text/plain'

/** A handler behind API Gateway. Whatever it throws becomes a problem document (RFC 9457). */
export function http() {
  return middy<APIGatewayProxyEventV2, HttpResponse>().onError((request) => {
    request.response = problemOf(request.error)
    if (request.response.statusCode >= 500) logError(request.error, request.event)
  })
}

/** Middleware that parses the body as JSON in UTF-8, whatever its content type. */
export function jsonBody() {
  return [{ before: decodeBody }, jsonBodyParser<APIGatewayProxyEventV2>({ disableContentTypeCheck: true })]
}

/** Decodes the body. The parser would silently replace invalid UTF-8 with U+FFFD. */
function decodeBody({ event }: { event: APIGatewayProxyEventV2 }): void {
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : undefined)
  if (bytes.length > MAX_BODY_KB * 1_024) throw new BodyTooLarge()
  if (!isUtf8(bytes)) throw new InvalidInput([NOT_JSON])
  event.body = bytes.toString()
  event.isBase64Encoded = false
}

/** The body is not worth parsing: no joke needs one so large. */
export class BodyTooLarge extends Error {}

const NOT_JSON = { field: 'body', detail: 'must be JSON.' }

/** A response with a JSON body, which no cache may keep unless `headers` say so. */
export function respond(statusCode: number, body: unknown, headers: Headers = {}): HttpResponse {
  return { statusCode, headers: { 'content-type': JSON_TYPE, ...NOT_CACHED, ...headers }, body: JSON.stringify(body) }
}

const NOT_CACHED = { 'cache-control': 'no-store' }
/** CloudFront may keep a listing for 5 seconds. Browsers may not. */
const CACHED = { 'cache-control': 'max-age=0, s-maxage=5' }
/** Caches keep a response for each format. API Gateway adds CORS headers only if there is an `Origin`. */
const VARY = { vary: 'Accept, Origin' }

/** 201 with the joke, as `application/vnd.json`, or as `application/json` if the client accepts only that. `Location` leads to it. */
export function respondCreated(event: APIGatewayProxyEventV2, joke: StoredJoke): HttpResponse {
  const accepted = acceptedTypes(event, [CREATED_TYPE, JSON_TYPE])
  const type = accepted.includes(JSON_TYPE) && !accepted.includes(CREATED_TYPE) ? JSON_TYPE : CREATED_TYPE
  return respond(201, joke, { 'content-type': type, location: `?id=${joke.id}`, ...VARY })
}

/** 200 with a page of jokes: JSON, or plain text if the client prefers it. `Link` leads to the next page (RFC 8288). */
export function respondPage(
  event: APIGatewayProxyEventV2,
  listing: Listing,
  jokes: StoredJoke[],
  next?: string,
): HttpResponse {
  const caching = listing.isRepeatable && !listing.id ? CACHED : NOT_CACHED
  const headers = { ...VARY, ...caching, ...(next && { link: nextLink(queryOf(listing, next)) }) }
  if (acceptedTypes(event, [JSON_TYPE, TEXT_TYPE])[0] !== TEXT_TYPE) return respond(200, jokes, headers)
  const body = jokes.map(({ joke, punchline }) => (punchline === '' ? `${joke}\n` : `${joke}\n${punchline}\n`))
  return {
    statusCode: 200,
    headers: { 'content-type': `${TEXT_TYPE}; charset=utf-8`, ...headers },
    body: body.join('\n'),
  }
}

/** The available media types that the client accepts, the preferred one first. */
function acceptedTypes({ headers }: APIGatewayProxyEventV2, available: string[]): string[] {
  const accept = headers?.accept?.replaceAll(PARAMETER, '')
  return new Negotiator({ headers: { accept } }).mediaTypes(available)
}

/** A parameter of a media type, such as `;charset=utf-8`, but not its weight. Types that differ only there are the same. */
const PARAMETER = /;(?!\s*q=)[^;,]*/gi

/** The query, starting with `?`, for the page of a listing that begins at a cursor. */
function queryOf(listing: Listing, cursor: string): string {
  const { searchString, numberofJokes, categories, sortBy, sortOrder, seed } = listing
  const order = sortBy === 'random' ? { sortBy, seed } : { sortBy, sortOrder }
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries({ searchString, numberofJokes, categories, ...order })) {
    if (value !== undefined) query.set(name, String(value))
  }
  query.set('cursor', cursor)
  return `?${query}`
}

/** The problem document for an error. An unexpected one becomes a 500 without details. */
export function problemOf(error: unknown): HttpResponse {
  if (error instanceof InvalidInput) return invalid(error.errors)
  if (v.is(ForbiddenKey, error)) return invalid([{ field: error.cause.data, detail: 'is not accepted here.' }])
  if (v.is(ParserError, error)) return invalid([NOT_JSON])
  if (error instanceof UnknownJoke) return problem(404, 'No joke has this id. GET /joke lists the existing ones.')
  if (error instanceof DuplicateJoke)
    return problem(409, DUPLICATE[error.state], error.state === 'listed' ? { id: error.id } : {})
  if (error instanceof BodyTooLarge) return problem(413, `Send a body of at most ${MAX_BODY_KB} kB.`)
  if (error instanceof Unavailable) return problem(503, error.message, {}, { 'retry-after': '1' })
  return problem(500, 'Something went wrong on our side. Please report it to the operators of the service.')
}

function problem(status: number, detail: string, members: object = {}, headers: Headers = {}) {
  const body = { type: 'about:blank', title: STATUS_CODES[status], status, detail, ...members }
  return respond(status, body, { 'content-type': 'application/problem+json', ...headers })
}

const DUPLICATE: Record<DuplicateJoke['state'], string> = {
  listed: 'This joke already exists.',
  waiting: 'This joke has been added already, and waits for the approval of the operators of the service.',
  removed: 'This joke was removed by the operators of the service, so it cannot be added again.',
}

function invalid(errors: FieldError[]) {
  const [first, ...others] = errors.map(({ field, detail }) => `${field} ${detail}`)
  return problem(400, others.length === 0 ? `${first}` : `${first} And ${others.length} more, see errors.`, { errors })
}

/** What the JSON body parser throws. */
const ParserError = v.object({ statusCode: v.literal(422) })

/** What it throws for a key that could pollute a prototype, such as `__proto__`. */
const ForbiddenKey = v.object({
  ...ParserError.entries,
  message: v.pipe(v.string(), v.startsWith('Forbidden key')),
  cause: v.object({ data: v.string() }),
})
