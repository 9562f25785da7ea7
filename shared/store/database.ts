/** The connection to DynamoDB: how long a call may take, what is repeated, and which faults mean "try again later". */
import { setTimeout } from 'node:timers/promises'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { ConfiguredRetryStrategy, isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry'
import { Unavailable } from '../errors.ts'
import { ATTEMPT_MS, ATTEMPTS, CONNECT_MS, FIRST_WAIT_MS, MAX_CALLS_AT_ONCE, OPERATION_MS } from './limits.ts'

/** Repeats a call only where the failed one certainly did nothing. */
class CautiousRetryStrategy extends ConfiguredRetryStrategy {
  override async refreshRetryTokenForRetry(...[token, failure]: Parameters<RefreshRetryToken>) {
    if (!didNothing(failure)) throw new Error('The call may have done its work.')
    return super.refreshRetryTokenForRetry(token, failure)
  }
}
type RefreshRetryToken = ConfiguredRetryStrategy['refreshRetryTokenForRetry']

/** For calls that may be repeated after any passing fault: reads, and puts that recognize their own work. */
export const database = /* @__PURE__ */ connect(/* @__PURE__ */ new ConfiguredRetryStrategy(ATTEMPTS, waitBefore))

/** For upvotes, which would count twice. */
export const upvoteDatabase = /* @__PURE__ */ connect(/* @__PURE__ */ new CautiousRetryStrategy(ATTEMPTS, waitBefore))

/**
 * Does the calls of one operation, all of them within {@link OPERATION_MS}.
 *
 * @param message what to tell the client where that fails
 * @param work passes the signal on to every call
 * @throws {Unavailable} where the database is out of reach, too slow or refuses for load
 */
export async function operate<Result>(
  message: string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(AbortSignal.timeout(OPERATION_MS))
  } catch (error) {
    throw isPassing(error) ? new Unavailable(message, { cause: error }) : error
  }
}

/**
 * Sends requests in batches, all at once, and what is left unprocessed of a batch again after growing waits.
 *
 * @param send returns the requests left unprocessed
 */
export async function sendBatches<Request>(
  requests: Request[],
  batchSize: number,
  abortSignal: AbortSignal,
  send: (batch: Request[]) => Promise<Request[] | undefined>,
): Promise<void> {
  const batches = Array.from({ length: Math.ceil(requests.length / batchSize) }, (_, index) =>
    requests.slice(index * batchSize, (index + 1) * batchSize),
  )
  await Promise.all(
    batches.map(async (batch) => {
      let left = await send(batch)
      for (let repetition = 1; left && left.length > 0; repetition++) {
        await setTimeout(waitBefore(repetition), undefined, { signal: abortSignal })
        left = await send(left)
      }
    }),
  )
}

/** Milliseconds to wait before a repetition: random, so that those who failed together don't come back together. */
function waitBefore(repetition: number): number {
  return Math.random() * FIRST_WAIT_MS * 2 ** (repetition - 1)
}

function connect(retryStrategy: ConfiguredRetryStrategy): DynamoDBDocumentClient {
  // A call that waits for a free socket counts as not connected, so there must be one for each.
  const agent = { maxSockets: MAX_CALLS_AT_ONCE }
  const client = new DynamoDBClient({
    retryStrategy,
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      requestTimeout: ATTEMPT_MS,
      throwOnRequestTimeout: true,
      // Ends an answer that has begun and then stops coming, which requestTimeout does not.
      socketTimeout: ATTEMPT_MS,
      httpAgent: agent,
      httpsAgent: agent,
    },
  })
  return DynamoDBDocumentClient.from(client)
}

/** Refused for load, or no connection: DynamoDB has not begun to work on the call. */
function didNothing({ errorType, error }: Parameters<RefreshRetryToken>[1]): boolean {
  return errorType === 'THROTTLING' || (error instanceof Error && 'code' in error && isConnectFault(error.code))
}

function isConnectFault(code: unknown): boolean {
  return ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'].some((fault) => fault === code)
}

function isPassing(error: unknown): boolean {
  if (!isSdkError(error)) return false
  return error.name === 'AbortError' || isThrottlingError(error) || isTransientError(error) || isServerError(error)
}

function isSdkError(error: unknown): error is Parameters<typeof isTransientError>[0] {
  return error instanceof Error && (error.cause === undefined || error.cause instanceof Error)
}
