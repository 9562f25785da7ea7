/** HTTP, the same for every function: how an answer is made, and which answer an error becomes. */
import { STATUS_CODES } from 'node:http'
import middy from '@middy/core'
import jsonBodyParser from '@middy/http-json-body-parser'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { DuplicateJoke, type Fault, InvalidInput, Unavailable, UnknownJoke } from './errors.ts'

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
  })
}

/** Middleware that parses the body as JSON, whatever content type it came with. */
export function jsonBody() {
  return jsonBodyParser<APIGatewayProxyEventV2>({ disableContentTypeCheck: true })
}

/** An answer with a JSON body. */
export function respond(statusCode: number, body: unknown, headers: Headers = {}): Answer {
  return { statusCode, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
}

function problemOf(error: unknown): Answer {
  if (error instanceof InvalidInput) return invalid(error.faults)
  if (isParserError(error)) return invalid([{ field: 'body', detail: 'must be JSON.' }])
  if (error instanceof UnknownJoke) return problem(404, 'No joke has this id; a listing tells the ids there are.')
  if (error instanceof DuplicateJoke) return problem(409, 'An equal joke is there already.', { id: error.id })
  console.error(error)
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

/** The JSON body parser's own errors carry statuses that this service does not answer with. */
function isParserError(error: unknown): boolean {
  return error instanceof Error && 'statusCode' in error && error.statusCode === 422
}
