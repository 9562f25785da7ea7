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
    request.response = problemOf(request.error, request.event.requestContext?.requestId)
    if (request.response.statusCode >= 500) logError(request.error, request.event)
  })
}

/**
 * Returns the query parameters of a request. Decoded with replaced characters, they would ask for something else.
 *
 * @throws {ProblemError} `invalid` if the query is not UTF-8
 */
export function queryOf({ rawQueryString, queryStringParameters }: APIGatewayProxyEventV2) {
  try {
    // Events that people write by hand may lack both forms of the query.
    if (rawQueryString) decodeURIComponent(rawQueryString)
  } catch {
    throw invalid('query', 'must be percent-encoded UTF-8, such as searchString=caf%C3%A9.')
  }
  return queryStringParameters ?? {}
}

/** Creates a handler whose event has a body of JSON, parsed whatever its content type. */
export function httpWithJson() {
  return http()
    .before(prepareBody)
    .use(httpJsonBodyParser({ disableContentTypeCheck: true }))
}

/**
 * Prepares the body for the parser. The parser would take any size, replace invalid UTF-8, and refuse a byte order mark.
 *
 * @throws {ProblemError} `invalid` if the body is compressed or not UTF-8, `too-large` above {@link MAX_BODY_KB}
 */
function prepareBody({ event }: { event: APIGatewayProxyEventV2 }): void {
  const { body, isBase64Encoded, headers } = event
  const encoding = headers?.['content-encoding']?.trim().toLowerCase() || 'identity'
  if (encoding !== 'identity')
    throw invalid(
      'body',
      'must be JSON in UTF-8 without a Content-Encoding, because compressed bodies are not accepted.',
    )
  const bytes = Buffer.from(body ?? '', isBase64Encoded ? 'base64' : undefined)
  if (bytes.length > MAX_BODY_KB * 1_024) throw new ProblemError('too-large')
  if (!isUtf8(bytes)) throw invalid('body', NO_JSON)
  event.body = bytes.toString().replace(/^\uFEFF/, '')
  event.isBase64Encoded = false
}

const NO_JSON = 'must be JSON in UTF-8.'

function invalid(field: string, detail: string): ProblemError {
  return new ProblemError('invalid', { errors: [{ field, code: 'invalid', detail }] })
}

/** A response with a JSON body. Caches may keep it only if `headers` allow that. */
export function respond(statusCode: number, body: unknown, headers: Headers = {}): HttpResponse {
  return {
    statusCode,
    headers: { 'content-type': inUtf8(JSON_TYPE), ...NOT_CACHED, ...NOT_SNIFFED, ...headers },
    body: JSON.stringify(body),
  }
}

/** Without a charset, some programs read Latin-1, such as Windows PowerShell 5. */
function inUtf8(mediaType: string): string {
  return `${mediaType}; charset=utf-8`
}

/** Browsers must not run a joke that looks like a script. */
const NOT_SNIFFED = { 'x-content-type-options': 'nosniff' }
const NOT_CACHED = { 'cache-control': 'no-store' }
/** A CDN may reuse a listing for 5 seconds. Browsers must ask again. */
const CACHED = { 'cache-control': 'max-age=0, s-maxage=5' }
/** Caches need a copy for each format. API Gateway adds CORS headers only if a request has an `Origin`. */
const VARY = { vary: 'Accept, Origin' }

/** 201 with the joke: as `application/vnd.json`, or as `application/json` if the client prefers that. */
export function respondCreated(event: APIGatewayProxyEventV2, joke: StoredJoke): HttpResponse {
  const type = prefers(event, JSON_TYPE, CREATED_TYPE) ? inUtf8(JSON_TYPE) : CREATED_TYPE
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
  if (!prefers(event, TEXT_TYPE, JSON_TYPE)) return respond(200, jokes, headers)
  const texts = jokes.map(({ joke, punchline }) => [joke, punchline].filter(Boolean).map(lineOf).join(''))
  return {
    statusCode: 200,
    headers: { 'content-type': inUtf8(TEXT_TYPE), ...NOT_SNIFFED, ...headers },
    body: texts.join('\n'),
  }
}

/** Returns a text on a line of its own. With line ends of its own, it could pass for several jokes. */
function lineOf(text: string): string {
  return `${text.replaceAll(/\s+/g, ' ')}\n`
}

/** A file, or 304 if the client has it. Browsers ask again each time, so they never mix files of different versions. */
export function respondFile(
  { headers: sent }: APIGatewayProxyEventV2,
  { headers: own, compressed, fallback }: EncodedFile,
  more: Headers = {},
  statusCode = 200,
): HttpResponse {
  const accepted = new Negotiator({ headers: { 'accept-encoding': sent?.['accept-encoding'] } }).encodings()
  const { encoding, etag, base64 } = compressed.find((body) => accepted.includes(body.encoding)) ?? fallback
  const headers = {
    'cache-control': 'no-cache',
    vary: 'Accept-Encoding, Origin',
    etag,
    ...(encoding !== 'identity' && { 'content-encoding': encoding }),
    ...NOT_SNIFFED,
    ...own,
    ...more,
  }
  // API Gateway would give a 304 without a type one of its own, and caches would keep that for the file.
  if (statusCode === 200 && sent?.['if-none-match']?.includes(etag)) return { statusCode: 304, headers, body: '' }
  return { statusCode, headers, body: base64, isBase64Encoded: true }
}

/** Whether the client is a browser that opens a page. */
export function acceptsHtml({ headers }: APIGatewayProxyEventV2): boolean {
  return headers?.accept?.includes('text/html') ?? false
}

/** API Gateway's response to a path without a route. */
export function gatewayNotFound(): HttpResponse {
  return respond(404, { message: STATUS_CODES[404] }, { vary: 'Accept, Origin' })
}

/** Whether a client gives a media type more weight than another one. Most give both the same. */
function prefers({ headers }: APIGatewayProxyEventV2, mediaType: string, other: string): boolean {
  const accept = headers?.accept ?? '*/*'
  return weightIn(accept, mediaType) > weightIn(accept, other)
}

/** Returns the weight that `Accept` gives a media type, from 0 to 1 (RFC 9110, section 12.5.1). Other parameters do not count. */
function weightIn(accept: string, mediaType: string): number {
  const ranges = accept.split(',').map((range) => range.split(';').map((part) => part.trim().toLowerCase()))
  const weights = new Map(
    ranges.map(([range, ...parameters]) => {
      const [, weight = 1] = parameters.map((parameter) => /^q\s*=\s*([\d.]+)$/.exec(parameter)).find(Boolean) ?? []
      return [range, Number(weight)]
    }),
  )
  const [type] = mediaType.split('/')
  return weights.get(mediaType) ?? weights.get(`${type}/*`) ?? weights.get('*/*') ?? 0
}

/**
 * Returns the problem document for an error. An unexpected error becomes a 500 without details.
 *
 * @param requestId API Gateway's id of the request, with which operators find it in the logs
 */
export function problemOf(error: unknown, requestId: string | undefined): HttpResponse {
  const { code, members, message } = refusalOfParser(error) ?? (error instanceof ProblemError ? error : BUG)
  const { status, retryAfter } = PROBLEMS[code]
  const detail = members.errors ? summaryOf(members.errors) : message
  const body = { type: 'about:blank', title: STATUS_CODES[status], status, code, detail, requestId, ...members }
  const headers = { 'content-type': inUtf8(PROBLEM_TYPE), ...(retryAfter && { 'retry-after': String(retryAfter) }) }
  return respond(status, body, headers)
}

const BUG = new ProblemError('bug')

/**
 * Returns what an error of the parser of JSON means. Its cause names the parser. The cause has a message too if the body is
 * no JSON. Otherwise, it has a key that could change what objects do, such as `__proto__`.
 */
function refusalOfParser(error: unknown): ProblemError | undefined {
  const { package: name, message, data }: Record<string, unknown> = Object(error instanceof Error && error.cause)
  if (name !== '@middy/http-json-body-parser') return undefined
  return invalid('body', message === undefined ? `must not have the key ${data}.` : NO_JSON)
}

function summaryOf(errors: FieldError[]): string {
  const [first, ...others] = errors.map(({ field, detail }) => `${field} ${detail}`)
  return others.length === 0 ? `${first}` : `${first} And ${others.length} more, see errors.`
}
