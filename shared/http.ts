/** HTTP, the same for every function: how an answer is made, and which answer an error becomes. */
import { isUtf8 } from 'node:buffer'
import { STATUS_CODES } from 'node:http'
import middy from '@middy/core'
import jsonBodyParser from '@middy/http-json-body-parser'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { DuplicateJoke, type Fault, InvalidInput, Unavailable, UnknownJoke } from './errors.ts'
import { logError } from './log.ts'

type Headers = Record<string, string>

/** What a function hands to API Gateway. */
export interface Answer {
  statusCode: number
  headers: Headers
  body: string
}

/** A handler behind API Gateway; whatever it throws becomes a problem document (RFC 9457). */
export function http() {
  return middy<APIGatewayProxyEventV2, Answer>().onError((request) => {
    request.response = problemOf(request.error)
    if (request.response.statusCode >= 500) logError(request.error, request.event)
  })
}

/** Middleware that parses the body as JSON in UTF-8, whatever content type it came with. */
export function jsonBody() {
  return [{ before: decodeBody }, jsonBodyParser<APIGatewayProxyEventV2>({ disableContentTypeCheck: true })]
}

/** The parser would put replacement characters in the place of what is no UTF-8. */
function decodeBody({ event }: { event: APIGatewayProxyEventV2 }): void {
  if (!event.isBase64Encoded || event.body === undefined) return
  const bytes = Buffer.from(event.body, 'base64')
  if (!isUtf8(bytes)) throw new InvalidInput([NOT_JSON])
  event.body = bytes.toString()
  event.isBase64Encoded = false
}

const NOT_JSON = { field: 'body', detail: 'must be JSON.' }

/** An answer with a JSON body. */
export function respond(statusCode: number, body: unknown, headers: Headers = {}): Answer {
  return { statusCode, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
}

function problemOf(error: unknown): Answer {
  if (error instanceof InvalidInput) return invalid(error.faults)
  const parserFault = parserFaultOf(error)
  if (parserFault) return invalid([parserFault])
  if (error instanceof UnknownJoke) return problem(404, 'No joke has this id; a listing tells the ids there are.')
  if (error instanceof DuplicateJoke) return problem(409, 'An equal joke is there already.', { id: error.id })
  if (error instanceof Unavailable) return problem(503, error.message, {}, { 'retry-after': '1' })
  return problem(500, 'The service has failed; trying again may help.')
}

function problem(status: number, detail: string, members: object = {}, headers: Headers = {}) {
  const body = { type: 'about:blank', title: STATUS_CODES[status], status, detail, ...members }
  return respond(status, body, { 'content-type': 'application/problem+json', ...headers })
}

function invalid(errors: Fault[]) {
  const [first, ...others] = errors.map(({ field, detail }) => `${field} ${detail}`)
  return problem(400, others.length === 0 ? `${first}` : `${first} And ${others.length} more, see errors.`, { errors })
}

/** The JSON body parser has errors of its own: for what is no JSON, and for a field that would change an object's kind. */
function parserFaultOf(error: unknown): Fault | undefined {
  if (!(error instanceof Error && 'statusCode' in error && error.statusCode === 422)) return undefined
  if (!error.message.startsWith('Forbidden key')) return NOT_JSON
  return { field: String(Object(error.cause).data), detail: 'is not accepted here.' }
}
