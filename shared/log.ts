/** What the functions write to their logs: one JSON object for each error, each skipped item and each joke added. */
import type { APIGatewayProxyEventV2 } from 'aws-lambda'

/** Enough for the longest legal query; a client decides how long these texts are, and every byte logged is paid for. */
const MAX_TEXT = 2_000

/** An SDK error, its reason and the fault below that; deeper chains tell nothing new. */
const MAX_CAUSES = 5

/** Logs an error with its chain of causes, and which request met it. */
export function logError(error: unknown, event: APIGatewayProxyEventV2): void {
  console.error({
    route: event.routeKey,
    query: printable(event.rawQueryString),
    apiRequestId: event.requestContext?.requestId,
    error: describe(error),
  })
}

/**
 * Logs which request added a joke, and from where: neither the access log nor the joke tells the address behind
 * CloudFront. Behind no API Gateway, nothing is known of that and nothing is logged.
 */
export function logAdded(id: string, event: APIGatewayProxyEventV2): void {
  const forwardedFor = event.headers?.['x-forwarded-for']
  if (forwardedFor === undefined) return
  console.info({
    added: id,
    apiRequestId: event.requestContext?.requestId,
    forwardedFor: printable(forwardedFor),
  })
}

/** Logs an item of the database that is not as the service writes it, by its key. */
export function logSkipped(item: unknown, faults: string[]): void {
  const { id, prefix, entry } = Object(item)
  const key = id === undefined ? `${prefix} ${entry}` : String(id)
  console.error({ skippedItem: printable(key), faults: faults.map(printable) })
}

/**
 * An error as plain data. Lambda's formatter names an error by its class, which minifying renames, and leaves out its
 * cause.
 */
function describe(error: unknown, depth = 1): unknown {
  if (!(error instanceof Error)) return printable(String(error))
  // DynamoDB's answer, if any: its request id is what AWS's support asks for.
  const { requestId, attempts, httpStatusCode } = Object('$metadata' in error && error.$metadata)
  return {
    name: error.name,
    message: printable(error.message),
    ...('code' in error && { code: error.code }),
    ...(requestId !== undefined && { databaseRequestId: requestId }),
    ...(httpStatusCode !== undefined && { databaseStatus: httpStatusCode }),
    ...(attempts !== undefined && { attempts }),
    stack: error.stack
      ?.split('\n')
      .slice(1)
      .map((line) => line.trim()),
    ...(error.cause !== undefined && depth < MAX_CAUSES && { cause: describe(error.cause, depth + 1) }),
  }
}

/** A text from outside, cut, with every character that could move the cursor or mislead a reader percent-encoded. */
function printable(text = ''): string {
  const start = text.slice(0, MAX_TEXT).toWellFormed()
  return start.replace(/[^ -~]/gu, encodeURIComponent) + (text.length > MAX_TEXT ? '…' : '')
}
