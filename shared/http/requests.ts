/** Handlers behind API Gateway, and what they read of a request. */
import { isUtf8 } from 'node:buffer'
import middy from '@middy/core'
import httpJsonBodyParser from '@middy/http-json-body-parser'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { MAX_BODY_KIB } from '../clientLimits.ts'
import { invalid, ProblemError } from '../errors.ts'
import { logError } from '../log.ts'
import { EXAMPLE, problemOf } from './problems.ts'
import type { HttpResponse } from './responses.ts'

/** Begins a handler. Every error becomes a problem document. */
export function http() {
  return middy<APIGatewayProxyEventV2, HttpResponse>().onError((request) => {
    request.response = problemOf(request.error, request.event.requestContext?.requestId)
    if (request.response.statusCode >= 500) logError(request.error, request.event)
  })
}

/** Begins a handler whose event has a body of JSON, whatever its content type. */
export function httpWithJson() {
  return http()
    .before(prepareBody)
    .use(httpJsonBodyParser({ disableContentTypeCheck: true }))
}

/**
 * Prepares the body for the parser, which would take any size, replace invalid UTF-8, and refuse a byte order mark.
 *
 * @throws {ProblemError} `invalid` if the body is empty or not UTF-8, `too-large` above {@link MAX_BODY_KIB}
 */
function prepareBody({ event }: { event: APIGatewayProxyEventV2 }): void {
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : undefined)
  if (bytes.length > MAX_BODY_KIB * 1_024) throw new ProblemError('too-large')
  if (!isUtf8(bytes)) throw invalid('body', 'is not UTF-8. Send JSON in UTF-8, not compressed.')
  event.body = bytes.toString().replace(/^\uFEFF/, '')
  event.isBase64Encoded = false
  if (event.body.trim() === '') throw invalid('body', `is empty. ${EXAMPLE}`)
}

/**
 * Returns the query parameters of a request. The values of a repeated one are joined with commas.
 *
 * @param repeatable the parameters that may be repeated
 * @throws {ProblemError} `invalid` if the query is not UTF-8, or repeats another parameter
 */
export function queryOf({ rawQueryString = '' }: APIGatewayProxyEventV2, repeatable: readonly string[]) {
  try {
    // URLSearchParams would replace what is not UTF-8, and search for something else.
    decodeURIComponent(rawQueryString)
  } catch {
    throw invalid('query', 'must be percent-encoded UTF-8, such as searchString=caf%C3%A9.')
  }
  const query = new URLSearchParams(rawQueryString)
  const names = [...new Set(query.keys())]
  const repeated = names.find((name) => !repeatable.includes(name) && query.getAll(name).length > 1)
  if (repeated !== undefined)
    throw invalid(repeated, `must be sent only once. Only ${repeatable.join(' and ')} may be repeated.`)
  return Object.fromEntries(names.map((name) => [name, query.getAll(name).join()]))
}
