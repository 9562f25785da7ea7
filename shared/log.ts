/** Logs one JSON object for each failed request, load or refresh, each skipped item and each new joke. */
import type { APIGatewayProxyEventV2 } from 'aws-lambda'

/** Maximum length of a logged text, because every logged byte costs. Enough for nearly every valid query. */
const MAX_TEXT = 2_000

/** Characters that are logged from the end of `x-forwarded-for`: two IP addresses. Earlier ones are forged. */
const MAX_ADDRESSES = 100

const MAX_USER_AGENT = 200
const MAX_ID = 50

/** Maximum depth of causes. Errors of the SDK have fewer. */
const MAX_CAUSES = 5

/** Logs an error with its causes, and the request that failed. */
export function logError(error: unknown, event: APIGatewayProxyEventV2): void {
  console.error({
    route: event.routeKey,
    query: loggable(event.rawQueryString),
    ...(event.pathParameters?.id !== undefined && { id: loggable(event.pathParameters.id, MAX_ID) }),
    apiRequestId: event.requestContext?.requestId,
    error: describe(error),
  })
}

/** Logs the request that added a joke, and its client. The local service does not know the client and logs nothing. */
export function logAdded(id: string, event: APIGatewayProxyEventV2): void {
  if (event.headers?.['x-forwarded-for'] === undefined) return
  console.info({ added: id, apiRequestId: event.requestContext?.requestId, ...clientOf(event) })
}

/**
 * Logs the size of the jokes in memory, when the memory is full or after a load, which took some milliseconds. CloudWatch
 * makes metrics of this line.
 */
export function logCache({ count, bytes, isTruncated }: CacheSize, milliseconds?: number): void {
  if (process.env.AWS_LAMBDA_FUNCTION_VERSION === undefined) return
  console.info({ jokes: count, bytes, milliseconds, isTruncated })
}

interface CacheSize {
  count: number
  bytes: number
  /** Whether jokes were left out. */
  isTruncated: boolean
}

/** Logs why a listing was answered from memory. */
export function logNotRefreshed(error: unknown): void {
  console.warn({ notRefreshed: describe(error) })
}

/** Returns the IP address and program of a client. */
function clientOf({ headers }: APIGatewayProxyEventV2) {
  return {
    forwardedFor: loggable(headers?.['x-forwarded-for']?.slice(-MAX_ADDRESSES)),
    userAgent: loggable(headers?.['user-agent'], MAX_USER_AGENT),
  }
}

/** Logs a damaged item, which the service skips. */
export function logSkipped(id: string, faults: string[]): void {
  console.error({ skippedItem: loggable(id), faults: faults.map((fault) => loggable(fault)) })
}

/** Returns an error as plain data, with its causes, which Lambda's formatter would omit. */
function describe(error: unknown, depth = 1): unknown {
  if (!(error instanceof Error)) return loggable(String(error))
  return {
    name: error.name,
    message: loggable(error.message),
    ...('code' in error && { code: error.code }),
    // The SDK adds status, attempts and the request id, for which AWS's support asks.
    ...('$metadata' in error && { database: error.$metadata }),
    stack: error.stack
      ?.split('\n')
      .map((line) => line.trim())
      .filter((line) => line.startsWith('at ')),
    ...(error.cause !== undefined && depth < MAX_CAUSES && { cause: describe(error.cause, depth + 1) }),
  }
}

/** Returns the start of a text from outside. It encodes all but printable ASCII, which could mislead a terminal. */
function loggable(text = '', max = MAX_TEXT): string {
  const start = text.slice(0, max).toWellFormed()
  return start.replace(/[^ -~]/gu, encodeURIComponent) + (text.length > max ? '…' : '')
}
