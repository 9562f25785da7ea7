/** Problem documents (RFC 9457). */
import { STATUS_CODES } from 'node:http'
import { invalid, PROBLEMS, ProblemError } from '../errors.ts'
import { type HttpResponse, inUtf8, respond } from './responses.ts'

/**
 * Returns the problem document for an error. An unexpected error becomes a 500 without details.
 *
 * @param requestId API Gateway's id of the request, with which operators find it in the logs
 */
export function problemOf(error: unknown, requestId: string | undefined): HttpResponse {
  const { code, message, members, retryAfter } = tellable(error)
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
    ...(retryAfter && { 'retry-after': String(retryAfter) }),
  })
}

/** Returns what clients may hear of an error. */
function tellable(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  const isRefusalOfParser = Object(Object(error).cause).package === '@middy/http-json-body-parser'
  return isRefusalOfParser ? notJson() : new ProblemError('bug')
}

/** The parser also refuses keys that could change what objects do. */
export function notJson(): ProblemError {
  return invalid('body', 'must be JSON in UTF-8, not compressed, without keys such as __proto__.')
}
