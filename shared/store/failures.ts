/** Says what an error of the database means for a client. */
import { isThrottlingError, isTransientError } from '@smithy/core/retry'
import { type ProblemCode, ProblemError } from '../errors.ts'

/** Throws an error as this problem, if DynamoDB could not be reached, or was too slow or too busy. Otherwise, it stays as it is. */
export function throwAs(code: ProblemCode, error: unknown, { mayRetry }: { mayRetry: boolean }): never {
  throw isTemporary(error) ? new ProblemError(code, {}, { cause: error, mayRetry }) : error
}

/** Whether DynamoDB was too busy. */
export function isThrottled(error: unknown): boolean {
  return error instanceof Error && isThrottlingError(Object(error))
}

/** Whether a call certainly had no effect: DynamoDB was too busy, or there was no connection to it. */
export function hadNoEffect(error: unknown): boolean {
  const { code, message } = Object(error)
  // The SDK gives a connection that timed out no code of its own.
  return isThrottled(error) || NO_CONNECTION.has(code) || /did not establish a connection/.test(message)
}

const NO_CONNECTION = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

function isTemporary(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return error.name === 'AbortError' || hadNoEffect(error) || isTransientError(Object(error))
}
