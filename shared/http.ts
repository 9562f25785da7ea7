/** HTTP for all functions: builds responses, and maps errors to problem documents. */
import { isUtf8 } from 'node:buffer'
import { STATUS_CODES } from 'node:http'
import middy from '@middy/core'
import httpJsonBodyParser from '@middy/http-json-body-parser'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import Negotiator from 'negotiator'
import { MAX_BODY_KB } from './clientLimits.ts'
import { type FieldError, PROBLEMS, ProblemError } from './errors.ts'
import type { StoredJoke } from './joke.ts'
import { type Listing, type Page, queryAt } from './listing.ts'
import { logError } from './log.ts'
import { nextLink } from './nextLink.ts'
import type { EncodedFile } from './site.ts'

type Headers = Record<string, string>

/** The response of a function to API Gateway. */
export interface HttpResponse {
  statusCode: number
  headers: Headers
  body: string
  /** Whether the body is base64 of the bytes to send. */
  isBase64Encoded?: boolean
}

const JSON_TYPE = 'application/json'
/** The type of a new joke (interface.md, “POST /joke”). */
const CREATED_TYPE = 'application/vnd.json'
const TEXT_TYPE = 'text/plain'
const PROBLEM_TYPE = 'application/problem+json'

/** Creates a handler behind API Gateway. Every error becomes a problem document (RFC 9457). */
export function http() {
  return middy<APIGatewayProxyEventV2, HttpResponse>().onError((request) => {
    request.response = problemOf(request.error)
    if (request.response.statusCode >= 500) logError(request.error, request.event)
  })
}

/** Creates a handler whose event has a body of JSON, parsed whatever its content type. */
export function httpWithJson() {
  return http().before(prepareBody).use(httpJsonBodyParser())
}

/**
 * Prepares the body for the parser, which would take any size and replace invalid UTF-8. It would also refuse a byte order
 * mark and other content types.
 *
 * @throws {ProblemError} `invalid` if the body is compressed or not UTF-8, `too-large` above {@link MAX_BODY_KB}
 */
function prepareBody({ event }: { event: APIGatewayProxyEventV2 }): void {
  const { body, isBase64Encoded, headers } = event
  const encoding = headers?.['content-encoding'] ?? 'identity'
  if (encoding !== 'identity')
    throw invalidBody('must be JSON in UTF-8 without a Content-Encoding, because compressed bodies are not accepted.')
  const bytes = Buffer.from(body ?? '', isBase64Encoded ? 'base64' : undefined)
  if (bytes.length > MAX_BODY_KB * 1_024) throw new ProblemError('too-large')
  if (!isUtf8(bytes)) throw invalidBody(NO_JSON)
  event.body = bytes.toString().replace(/^\uFEFF/, '')
  event.isBase64Encoded = false
  event.headers = { ...headers, 'content-type': JSON_TYPE }
}

const NO_JSON = 'must be JSON in UTF-8.'

function invalidBody(detail: string): ProblemError {
  return new ProblemError('invalid', { errors: [{ field: 'body', code: 'invalid', detail }] })
}

/** Whether the parser of JSON refused a body. */
function isNoJson(error: unknown): boolean {
  return error instanceof Error && Object(error.cause).package === '@middy/http-json-body-parser'
}

/** A response with a JSON body. Caches may keep it only if `headers` allow that. */
export function respond(statusCode: number, body: unknown, headers: Headers = {}): HttpResponse {
  return { statusCode, headers: { 'content-type': JSON_TYPE, ...NOT_CACHED, ...headers }, body: JSON.stringify(body) }
}

const NOT_CACHED = { 'cache-control': 'no-store' }
/** A CDN may reuse a listing for 5 seconds. Browsers must ask again. */
const CACHED = { 'cache-control': 'max-age=0, s-maxage=5' }
/** Caches need a copy for each format. API Gateway adds CORS headers only if a request has an `Origin`. */
const VARY = { vary: 'Accept, Origin' }

/** 201 with the joke: as `application/vnd.json`, or as `application/json` if the client accepts only that. */
export function respondCreated(event: APIGatewayProxyEventV2, joke: StoredJoke): HttpResponse {
  const accepted = acceptedTypes(event, [CREATED_TYPE, JSON_TYPE])
  const type = accepted.includes(JSON_TYPE) && !accepted.includes(CREATED_TYPE) ? JSON_TYPE : CREATED_TYPE
  return respond(201, joke, { 'content-type': type, location: `?id=${joke.id}`, ...VARY })
}

/** 200 with a page of jokes: as JSON, or as plain text if the client prefers it. `Link` has the next page's URL. */
export function respondPage(
  event: APIGatewayProxyEventV2,
  listing: Listing,
  { jokes, total, next }: Page,
): HttpResponse {
  const headers = {
    ...VARY,
    ...(listing.isRepeatable && !listing.id ? CACHED : NOT_CACHED),
    ...(!listing.id && { 'x-total-count': String(total) }),
    ...(next && { link: nextLink(queryAt(next, listing)) }),
  }
  if (acceptedTypes(event, [JSON_TYPE, TEXT_TYPE])[0] !== TEXT_TYPE) return respond(200, jokes, headers)
  const body = jokes.map(({ joke, punchline }) => (punchline === '' ? `${joke}\n` : `${joke}\n${punchline}\n`))
  return {
    statusCode: 200,
    headers: { 'content-type': `${TEXT_TYPE}; charset=utf-8`, ...headers },
    body: body.join('\n'),
  }
}

/** A file, or 304 if the client has it. Browsers ask again each time, so they never mix files of different versions. */
export function respondFile(
  { headers: sent }: APIGatewayProxyEventV2,
  { contentType, compressed, fallback }: EncodedFile,
  more: Headers,
  statusCode = 200,
): HttpResponse {
  const accepted = new Negotiator({ headers: { 'accept-encoding': sent?.['accept-encoding'] } }).encodings()
  const { encoding, etag, base64 } = compressed.find((body) => accepted.includes(body.encoding)) ?? fallback
  const caching = { 'cache-control': 'no-cache', vary: 'Accept-Encoding, Origin', etag, ...more }
  if (statusCode === 200 && sent?.['if-none-match']?.includes(etag))
    return { statusCode: 304, headers: caching, body: '' }
  return {
    statusCode,
    headers: {
      ...caching,
      'content-type': contentType,
      ...(encoding !== 'identity' && { 'content-encoding': encoding }),
    },
    body: base64,
    isBase64Encoded: true,
  }
}

/** Whether the client is a browser that opens a page. */
export function acceptsHtml({ headers }: APIGatewayProxyEventV2): boolean {
  return headers?.accept?.includes('text/html') ?? false
}

/** API Gateway's response to a path without a route. */
export function gatewayNotFound(): HttpResponse {
  return respond(404, { message: STATUS_CODES[404] }, { vary: 'Accept, Origin' })
}

/** Returns those of the available media types that the client accepts, the preferred one first. */
function acceptedTypes({ headers }: APIGatewayProxyEventV2, available: string[]): string[] {
  const accept = headers?.accept?.replaceAll(PARAMETER, '')
  return new Negotiator({ headers: { accept } }).mediaTypes(available)
}

/** Matches a parameter of a media type, such as `;charset=utf-8`, except its weight `q`. Parameters are ignored. */
const PARAMETER = /;(?!\s*q=)[^;,]*/gi

/** Returns the problem document for an error. An unexpected error becomes a 500 without details. */
export function problemOf(error: unknown): HttpResponse {
  const { code, members, message } = problemErrorOf(error)
  const { status, retryAfter } = PROBLEMS[code]
  const detail = members.errors ? summaryOf(members.errors) : message
  const body = { type: 'about:blank', title: STATUS_CODES[status], status, code, detail, ...members }
  const headers = { 'content-type': PROBLEM_TYPE, ...(retryAfter && { 'retry-after': String(retryAfter) }) }
  return respond(status, body, headers)
}

function problemErrorOf(error: unknown): ProblemError {
  if (isNoJson(error)) return invalidBody(NO_JSON)
  return error instanceof ProblemError ? error : new ProblemError('bug')
}

function summaryOf(errors: FieldError[]): string {
  const [first, ...others] = errors.map(({ field, detail }) => `${field} ${detail}`)
  return others.length === 0 ? `${first}` : `${first} And ${others.length} more, see errors.`
}
