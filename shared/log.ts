/** What the functions log: one JSON object for each failed or costly request, each skipped item and each new joke. */
import type { APIGatewayProxyEventV2 } from 'aws-lambda'

/** Enough for nearly every valid query. Clients choose how long these texts are, and every logged byte costs. */
const MAX_TEXT = 2_000

/** More than the SDK's errors nest. */
const MAX_CAUSES = 5

/** Logs an error with its causes, and the request that failed. */
export function logError(error: unknown, event: APIGatewayProxyEventV2): void {
  console.error({
    route: event.routeKey,
    query: loggable(event.rawQueryString),
    apiRequestId: event.requestContext?.requestId,
    error: describe(error),
  })
}

/**
 * Logs the request that added a joke, and its client's address. Behind CloudFront, the access log has only CloudFront's.
 * The local service knows no such address and logs nothing.
 */
export function logAdded(id: string, event: APIGatewayProxyEventV2): void {
  const forwardedFor = event.headers?.['x-forwarded-for']
  if (forwardedFor === undefined) return
  console.info({
    added: id,
    apiRequestId: event.requestContext?.requestId,
    forwardedFor: loggable(forwardedFor),
  })
}

/** What a listing read, and how long it took. */
export interface Spent {
  /** Read capacity units. */
  units: number
  calls: number
  milliseconds: number
}

/** Half of what a listing may read; usual ones read up to 20. */
const COSTLY_UNITS = 40
const SLOW_MS = 1_000

let isCold = true

/** Logs a listing that read much or took long, and why. Outside Lambda, nobody would read that. */
export function logCostly(event: APIGatewayProxyEventV2, spent: Spent): void {
  const version = process.env.AWS_LAMBDA_FUNCTION_VERSION
  const wasCold = isCold
  isCold = false
  if (version === undefined || (spent.units < COSTLY_UNITS && spent.milliseconds < SLOW_MS)) return
  console.warn({
    costly: event.routeKey,
    query: loggable(event.rawQueryString),
    ...spent,
    isCold: wasCold,
    version,
    apiRequestId: event.requestContext?.requestId,
  })
}

/** Logs an item or row that the service skips, because it would not have written it like this. */
export function logSkipped(key: string, faults: string[]): void {
  console.error({ skippedItem: loggable(key), faults: faults.map(loggable) })
}

/** An error as plain data. Lambda's formatter would log the minified class name and leave out the cause. */
function describe(error: unknown, depth = 1): unknown {
  if (!(error instanceof Error)) return loggable(String(error))
  return {
    name: error.name,
    message: loggable(error.message),
    ...('code' in error && { code: error.code }),
    // What the SDK tells of a call: the request id, for which AWS's support asks, the status and the attempts.
    ...('$metadata' in error && { database: error.$metadata }),
    stack: error.stack
      ?.split('\n')
      .map((line) => line.trim())
      .filter((line) => line.startsWith('at ')),
    ...(error.cause !== undefined && depth < MAX_CAUSES && { cause: describe(error.cause, depth + 1) }),
  }
}

/** The start of a text from outside. All but printable ASCII is percent-encoded, so it cannot mislead a terminal. */
function loggable(text = ''): string {
  const start = text.slice(0, MAX_TEXT).toWellFormed()
  return start.replace(/[^ -~]/gu, encodeURIComponent) + (text.length > MAX_TEXT ? '…' : '')
}
