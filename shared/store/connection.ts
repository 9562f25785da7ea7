/** Connections to DynamoDB: time limits, retries, and temporary errors. */
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { isClockSkewError, isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry'
import { ProblemError } from '../errors.ts'
import type { ProblemCode } from '../problem.ts'
import type { Limits } from './limits.ts'

type RetryStrategy = Extract<DynamoDBClientConfig['retryStrategy'], { acquireInitialRetryToken: unknown }>

/**
 * Retries after throttling, and after faults of servers and connections. In the SDK's own strategies, all calls of a
 * client share a quota. After some 35 failed retries, they would give each call a single attempt.
 *
 * @param mayRepeat whether a call may be repeated after an error
 */
export function retries(limits: Limits, mayRepeat: (error: unknown) => boolean): RetryStrategy {
  return {
    acquireInitialRetryToken: async () => retryToken(0, 0),
    refreshRetryTokenForRetry: async (token, { errorType, error, retryAfterHint }) => {
      const retry = token.getRetryCount() + 1
      const waitAsked = retryAfterHint ? retryAfterHint.getTime() - Date.now() : 0
      const isRetryable = errorType === 'THROTTLING' || errorType === 'TRANSIENT'
      const isAttemptLeft = retry < limits.attempts && waitAsked < limits.operationMs
      // The SDK catches this error, and throws that of the call.
      if (!isAttemptLeft || !isRetryable || !mayRepeat(error)) throw new Error('No further attempt.')
      return retryToken(retry, Math.max(waitBefore(Math.min(retry, LAST_DOUBLING), limits), waitAsked))
    },
    recordSuccess: () => {},
  }
}

/** The last retry whose wait is doubled. So a wait takes 3.2 seconds at most. */
const LAST_DOUBLING = 6

/** @param wait in milliseconds, before this retry */
function retryToken(retry: number, wait: number) {
  return { getRetryCount: () => retry, getRetryDelay: () => wait }
}

/**
 * Does the work of one request, which must pass the signal to every call. The signal aborts the calls after
 * `operationMs`.
 *
 * @param outcome returns the code of what an error means for the client
 * @throws {ProblemError} if the database cannot be reached, is too slow or throttles
 */
export async function withTimeLimit<Result>(
  { operationMs }: Limits,
  outcome: (error: unknown) => ProblemCode,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  return work(AbortSignal.timeout(operationMs)).catch((error) => {
    throw unavailableIf(error, outcome)
  })
}

/** Returns the {@link ProblemError} for an error that may pass, and any other error unchanged. */
export function unavailableIf(error: unknown, outcome: (error: unknown) => ProblemCode): unknown {
  return isTemporary(error) ? new ProblemError(outcome(error), {}, { cause: error }) : error
}

/** Whether DynamoDB certainly did not carry out the failed call: it throttled or rejected it, or there was no connection. */
export function hadNoEffect(error: unknown): boolean {
  if (!isErrorChain(error)) return false
  // DynamoDB rejects a signature with the wrong time. The SDK then corrects its clock.
  const isRejected = isThrottlingError(error) || isClockSkewError(error)
  return isRejected || isConnectTimeout(error) || ('code' in error && CONNECT_FAULTS.has(error.code))
}

const CONNECT_FAULTS = new Set<unknown>(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

/** Returns random milliseconds to wait, so that calls that failed together are not retried together. */
export function waitBefore(retry: number, { firstWaitMs }: Limits): number {
  return Math.random() * firstWaitMs * 2 ** (retry - 1)
}

export function connect(
  config: DynamoDBClientConfig,
  { connectMs, attemptMs, maxIdleMs }: Limits,
  retryStrategy: RetryStrategy,
): DynamoDBDocumentClient {
  // The sockets are not limited, because waiting for a free one would count towards the connection timeout.
  const httpAgent = new HttpAgent({ keepAlive: true })
  const httpsAgent = new HttpsAgent({ keepAlive: true })
  const client = new DynamoDBClient({
    ...config,
    retryStrategy,
    requestHandler: {
      connectionTimeout: connectMs,
      requestTimeout: attemptMs,
      throwOnRequestTimeout: true,
      // Ends a response that stops halfway. `requestTimeout` does not.
      socketTimeout: attemptMs,
      httpAgent,
      httpsAgent,
    },
  })
  let lastCallAt = Date.now()
  client.middlewareStack.add((next) => (args) => {
    // No timer can do this, because timers do not run while Lambda is frozen.
    if (Date.now() - lastCallAt > maxIdleMs) for (const agent of [httpAgent, httpsAgent]) closeFreeSockets(agent)
    lastCallAt = Date.now()
    return next(args)
  })
  return DynamoDBDocumentClient.from(client, {
    // By default, a damaged item whose number exceeds JavaScript's integers would fail every request that meets it.
    unmarshallOptions: { wrapNumbers: Number },
    marshallOptions: { allowImpreciseNumbers: true },
  })
}

function closeFreeSockets({ freeSockets }: HttpAgent): void {
  for (const socket of Object.values(freeSockets).flat()) socket?.destroy()
}

/** Whether the connection timed out. The SDK gives this error no code, unlike the timeout of a request. */
function isConnectTimeout(error: Error): boolean {
  return error.name === 'TimeoutError' && /did not establish a connection/.test(error.message)
}

/** Whether a call may succeed later. */
function isTemporary(error: unknown): boolean {
  if (!isErrorChain(error)) return false
  return error.name === 'AbortError' || isThrottlingError(error) || isTransientError(error) || isServerError(error)
}

/** Whether the SDK can classify an error: its cause, if any, must be an error. */
function isErrorChain(error: unknown): error is Error & { cause?: Error } {
  return error instanceof Error && (error.cause === undefined || error.cause instanceof Error)
}
