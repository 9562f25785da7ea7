/** The clients of DynamoDB: how long a call may take, what is retried, and which errors are temporary. */
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Duplex } from 'node:stream'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { ConfiguredRetryStrategy, isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry'
import { Unavailable } from '../errors.ts'
import { ATTEMPT_MS, ATTEMPTS, CONNECT_MS, FIRST_WAIT_MS, MAX_IDLE_MS, MAX_SOCKETS, OPERATION_MS } from './limits.ts'

/** Retries only if the failed attempt certainly had no effect. */
class CautiousRetryStrategy extends ConfiguredRetryStrategy {
  override async refreshRetryTokenForRetry(token: RetryToken, failure: Failure) {
    // The SDK then throws the failure itself.
    if (!hadNoEffect(failure.error)) throw new Error('The call may have had its effect.')
    return super.refreshRetryTokenForRetry(token, failure)
  }
}
type RetryToken = Parameters<ConfiguredRetryStrategy['refreshRetryTokenForRetry']>[0]
type Failure = Parameters<ConfiguredRetryStrategy['refreshRetryTokenForRetry']>[1]

/** For calls that may be repeated after any temporary error: reads, and writes that recognize what they did before. */
export const database = /* @__PURE__ */ connect(/* @__PURE__ */ new ConfiguredRetryStrategy(ATTEMPTS, waitBefore))

/** For upvotes. A retry could count twice, unless the failed attempt certainly had no effect. */
export const upvoteDatabase = /* @__PURE__ */ connect(/* @__PURE__ */ new CautiousRetryStrategy(ATTEMPTS, waitBefore))

/**
 * Does the work of one request, and ends all its calls after {@link OPERATION_MS}.
 *
 * @param message for the client if the work fails; may depend on the error
 * @param work passes the signal on to every call
 * @throws {Unavailable} if the database cannot be reached, is too slow or throttles
 */
export async function withTimeLimit<Result>(
  message: (error: unknown) => string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(AbortSignal.timeout(OPERATION_MS))
  } catch (error) {
    throw isTemporary(error) ? new Unavailable(message(error), { cause: error }) : error
  }
}

/** Whether DynamoDB certainly did not carry out the call: it throttled it, or there was no connection. */
export function hadNoEffect(error: unknown): boolean {
  if (!isErrorChain(error)) return false
  return isThrottlingError(error) || isConnectTimeout(error) || ('code' in error && CONNECT_FAULTS.has(error.code))
}

const CONNECT_FAULTS = new Set<unknown>(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

/** Milliseconds to wait before a retry: random, so that calls that failed together are not retried together. */
export function waitBefore(retry: number): number {
  return Math.random() * FIRST_WAIT_MS * 2 ** (retry - 1)
}

function connect(retryStrategy: ConfiguredRetryStrategy): DynamoDBDocumentClient {
  // Waiting for a free socket counts towards the connection timeout, so every call gets one at once.
  const options = { keepAlive: true, maxSockets: MAX_SOCKETS }
  const httpAgent = new HttpAgent(options)
  const httpsAgent = new HttpsAgent(options)
  const closeIdleHttp = idleCloser(httpAgent)
  const closeIdleHttps = idleCloser(httpsAgent)
  const client = new DynamoDBClient({
    retryStrategy,
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      requestTimeout: ATTEMPT_MS,
      throwOnRequestTimeout: true,
      // Ends an answer that stops halfway, which requestTimeout does not.
      socketTimeout: ATTEMPT_MS,
      httpAgent,
      httpsAgent,
    },
  })
  client.middlewareStack.add(
    (next) => (args) => {
      closeIdleHttp()
      closeIdleHttps()
      return next(args)
    },
    // Placed inside the retries, it runs before each attempt.
    { step: 'deserialize', priority: 'low', name: 'closeIdleConnections' },
  )
  return DynamoDBDocumentClient.from(client, {
    // By default, a damaged item whose number exceeds JavaScript's integers would fail every request that meets it.
    unmarshallOptions: { wrapNumbers: Number },
    marshallOptions: { allowImpreciseNumbers: true },
  })
}

/**
 * Returns a function that closes an agent's connections that have idled for {@link MAX_IDLE_MS}. It checks at each call,
 * because timers do not run while Lambda is frozen.
 */
function idleCloser(agent: HttpAgent): () => void {
  const idleSince = new WeakMap<Duplex, number>()
  const keepSocketAlive = agent.keepSocketAlive.bind(agent)
  agent.keepSocketAlive = (socket) => {
    idleSince.set(socket, Date.now())
    return keepSocketAlive(socket)
  }
  return () => {
    for (const sockets of Object.values(agent.freeSockets)) {
      for (const socket of sockets ?? []) {
        if (Date.now() - (idleSince.get(socket) ?? 0) > MAX_IDLE_MS) socket.destroy()
      }
    }
  }
}

/** The SDK gives this error no code, unlike the timeout of a request. */
function isConnectTimeout(error: Error): boolean {
  return error.name === 'TimeoutError' && /did not establish a connection/.test(error.message)
}

function isTemporary(error: unknown): boolean {
  if (!isErrorChain(error)) return false
  return error.name === 'AbortError' || isThrottlingError(error) || isTransientError(error) || isServerError(error)
}

/** Whether the SDK can classify it: an error whose cause, if any, is an error. */
function isErrorChain(error: unknown): error is Error & { cause?: Error } {
  return error instanceof Error && (error.cause === undefined || error.cause instanceof Error)
}
