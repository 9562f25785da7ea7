/** Problem documents (RFC 9457). */
import { STATUS_CODES } from 'node:http'
import * as v from 'valibot'
import { invalid, PROBLEMS, ProblemError } from '../errors.ts'
import { type HttpResponse, inUtf8, respond } from './responses.ts'

/**
 * Returns the problem document for an error. An unexpected error becomes a 500 without details.
 *
 * @param requestId API Gateway's id of the request, with which operators find it in the logs
 */
export function problemOf(error: unknown, requestId: string | undefined): HttpResponse {
  const { code, message, members, mayRetry } = tellable(error)
  const { status } = PROBLEMS[code]
  const body = {
    type: 'about:blank',
    title: STATUS_CODES[status],
    status,
    code,
    detail: message,
    requestId,
    ...members,
  }
  return respond(status, body, {
    'content-type': inUtf8('application/problem+json'),
    ...(mayRetry && { 'retry-after': '1' }),
  })
}

/** Returns what clients may hear of an error. */
function tellable(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  const refusal = v.safeParse(ParserRefusal, error)
  if (!refusal.success) return new ProblemError('bug')
  const { data, message } = refusal.output.cause
  if (message === undefined) return invalid('body', `must not have the key ${data}.`)
  // The parser is recursive. All its other messages speak of JSON.
  return invalid('body', message.includes('JSON') ? `is not JSON: ${message}. ${EXAMPLE}` : 'is nested too deeply.')
}

export const EXAMPLE = 'Send an object such as {"joke": "A lamp.", "category": "Classic"}.'

/** An error of the parser. Without a message, `data` is a key that could change what objects do, such as `__proto__`. */
const ParserRefusal = v.object({
  cause: v.object({
    package: v.literal('@middy/http-json-body-parser'),
    data: v.string(),
    message: v.optional(v.string()),
  }),
})
