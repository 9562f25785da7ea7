/** What the functions log: one JSON object for each failed or costly request, each skipped item and each new joke. */
import type { APIGatewayProxyEventV2 } from 'aws-lambda'

/** Enough for nearly every valid query. Clients choose how long these texts are, and every logged byte costs. */
const MAX_TEXT = 2_000

/** The last two addresses: those of CloudFront and its client, or only the client's. What comes before is forged. */
const MAX_ADDRESSES = 100

const MAX_USER_AGENT = 200
const MAX_ID = 50

/** More than the SDK's errors nest. */
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
    ...clientOf(event),
  })
}

/** Address and program of a client. Behind CloudFront, the access log has only CloudFront's address. */
function clientOf({ headers }: APIGatewayProxyEventV2) {
  return {
    forwardedFor: loggable(headers?.['x-forwarded-for']?.slice(-MAX_ADDRESSES)),
    userAgent: loggable(headers?.['user-agent'], MAX_USER_AGENT),
  }
}

/** Logs an item or row that the service skips, because it would not have written it like this. */
export function logSkipped(key: string, faults: string[]): void {
  console.error({ skippedItem: loggable(key), faults: faults.map((fault) => loggable(fault)) })
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
function loggable(text = '', max = MAX_TEXT): string {
  const start = text.slice(0, max).toWellFormed()
  return start.replace(/[^ -~]/gu, encodeURIComponent) + (text.length > max ? '…' : '')
}
