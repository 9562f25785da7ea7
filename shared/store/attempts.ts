/** Repeats calls to DynamoDB that failed, and tells which failures are temporary and which had no effect. */
import { setTimeout } from 'node:timers/promises'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import {
  getRetryAfterHint,
  isClockSkewError,
  isServerError,
  isThrottlingError,
  isTransientError,
} from '@smithy/core/retry'
import { ProblemError } from '../errors.ts'
import type { ProblemCode } from '../problem.ts'
import type { Connection } from './connection.ts'
import type { Limits } from './limits.ts'

export interface CallOptions {
  /** Ends the call, with its repetitions. */
  signal?: AbortSignal | undefined
  /** Whether the call may be repeated after this error. By default, always. */
  mayRepeat?: (error: unknown) => boolean
  /** Called before the call is repeated, if the failed attempt may have had an effect. */
  onUncertain?: () => void
}

/**
 * Makes a call, and repeats it after throttling and after faults of servers and connections. It calls `send` for each
 * attempt. So a time in the request is that of the attempt, while the SDK's own retries would send the first one again.
 *
 * @throws the error of the last attempt
 */
export async function call<Output>(
  { database, limits }: Connection,
  send: (database: DynamoDBDocumentClient, options: { abortSignal?: AbortSignal }) => Promise<Output>,
  { signal, mayRepeat = () => true, onUncertain }: CallOptions = {},
): Promise<Output> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send(database, { ...(signal && { abortSignal: signal }) })
    } catch (error) {
      if (attempt >= limits.attempts || !isRepeatable(error) || !mayRepeat(error)) throw error
      const wait = waitBeforeNext(error, attempt, limits)
      if (wait >= limits.operationMs) throw error
      if (!hadNoEffect(error)) onUncertain?.()
      await setTimeout(wait, undefined, { ...(signal && { signal }) }).catch(() => {
        throw error
      })
    }
  }
}

/** Returns random milliseconds to wait, so that calls that failed together are not repeated together. */
export function waitAfter(attempt: number, { firstWaitMs }: Limits): number {
  return Math.random() * firstWaitMs * 2 ** (attempt - 1)
}

/** Returns the milliseconds to wait after a failed attempt, which are at least those that the server asked for. */
function waitBeforeNext(error: Error, attempt: number, limits: Limits): number {
  const asked = '$response' in error ? getRetryAfterHint(Object(error.$response)) : undefined
  return Math.max(waitAfter(attempt, limits), asked ? asked.getTime() - Date.now() : 0)
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

/** Whether the connection timed out. The SDK gives this error no code, unlike the timeout of a request. */
function isConnectTimeout(error: Error): boolean {
  return error.name === 'TimeoutError' && /did not establish a connection/.test(error.message)
}

function isRepeatable(error: unknown): error is Error {
  return isErrorChain(error) && (isThrottlingError(error) || isTransientError(error))
}

/** Whether a call may succeed later. */
function isTemporary(error: unknown): boolean {
  return isErrorChain(error) && (error.name === 'AbortError' || isRepeatable(error) || isServerError(error))
}

/** Whether the SDK can classify an error: its cause, if any, must be an error. */
function isErrorChain(error: unknown): error is Error & { cause?: Error } {
  return error instanceof Error && (error.cause === undefined || error.cause instanceof Error)
}
