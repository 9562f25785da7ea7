/** The connection to DynamoDB: how long a call may take, what is retried, and which faults mean "try again later". */
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Duplex } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { ConfiguredRetryStrategy, isServerError, isThrottlingError, isTransientError } from '@smithy/core/retry'
import { Unavailable } from '../errors.ts'
import {
  ATTEMPT_MS,
  ATTEMPTS,
  CONNECT_MS,
  FIRST_WAIT_MS,
  MAX_CALLS_AT_ONCE,
  MAX_IDLE_MS,
  OPERATION_MS,
} from './limits.ts'

/** Retries only if the failed attempt certainly had no effect. */
class CautiousRetryStrategy extends ConfiguredRetryStrategy {
  override async refreshRetryTokenForRetry(...[token, failure]: Parameters<RefreshRetryToken>) {
    if (!hadNoEffect(failure.error)) throw new Error('The call may have had its effect.')
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
 * @param message what to tell the client if that fails; may depend on the fault
 * @param work passes the signal on to every call
 * @throws {Unavailable} where the database cannot be reached, is too slow or throttles
 */
export async function withTimeLimit<Result>(
  message: (fault: unknown) => string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(AbortSignal.timeout(OPERATION_MS))
  } catch (error) {
    throw isPassing(error) ? new Unavailable(message(error), { cause: error }) : error
  }
}

/** Whether DynamoDB has certainly not carried out the call: it was throttled, or there was no connection. */
export function hadNoEffect(error: unknown): boolean {
  if (!isSdkError(error)) return false
  return isThrottlingError(error) || isConnectTimeout(error) || ('code' in error && isConnectFault(error.code))
}

/**
 * Sends requests in parallel batches and resends unprocessed ones with exponential backoff.
 *
 * @param send returns the requests left unprocessed
 */
export async function sendBatches<Request>(
  requests: Request[],
  batchSize: number,
  abortSignal: AbortSignal | undefined,
  send: (batch: Request[]) => Promise<Request[] | undefined>,
): Promise<void> {
  const batches = Array.from({ length: Math.ceil(requests.length / batchSize) }, (_, index) =>
    requests.slice(index * batchSize, (index + 1) * batchSize),
  )
  await Promise.all(
    batches.map(async (batch) => {
      let unprocessed = await send(batch)
      for (let retry = 1; unprocessed && unprocessed.length > 0; retry++) {
        await setTimeout(waitBefore(retry), undefined, abortSignal && { signal: abortSignal })
        unprocessed = await send(unprocessed)
      }
    }),
  )
}

/** Milliseconds to wait before a retry: random, so that calls that failed together are not retried together. */
function waitBefore(retry: number): number {
  return Math.random() * FIRST_WAIT_MS * 2 ** (retry - 1)
}

function connect(retryStrategy: ConfiguredRetryStrategy): DynamoDBDocumentClient {
  // Waiting for a free socket counts towards the connection timeout, so every call needs its own.
  const options = { keepAlive: true, maxSockets: MAX_CALLS_AT_ONCE }
  const [httpAgent, httpsAgent] = [new HttpAgent(options), new HttpsAgent(options)]
  const closeIdle = [httpAgent, httpsAgent].map(idleCloser)
  const client = new DynamoDBClient({
    retryStrategy,
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      requestTimeout: ATTEMPT_MS,
      throwOnRequestTimeout: true,
      // Ends an answer that has begun and then stops coming, which requestTimeout does not.
      socketTimeout: ATTEMPT_MS,
      httpAgent,
      httpsAgent,
    },
  })
  client.middlewareStack.add(
    (next) => (args) => {
      for (const close of closeIdle) close()
      return next(args)
    },
    // Within the retries, so that each attempt looks.
    { step: 'deserialize', priority: 'low', name: 'closeIdleConnections' },
  )
  return DynamoDBDocumentClient.from(client)
}

/**
 * A function that closes an agent's connections that have been idle for too long. They may have died while Lambda was
 * frozen, and a timer would not have run meanwhile.
 */
function idleCloser(agent: HttpAgent): () => void {
  const idleSince = new WeakMap<Duplex, number>()
  const keepSocketAlive = agent.keepSocketAlive.bind(agent)
  agent.keepSocketAlive = (socket) => {
    idleSince.set(socket, Date.now())
    return keepSocketAlive(socket)
  }
  return () => {
    for (const socket of Object.values(agent.freeSockets).flatMap((sockets) => sockets ?? [])) {
      if (Date.now() - (idleSince.get(socket) ?? 0) > MAX_IDLE_MS) socket.destroy()
    }
  }
}

/** The SDK gives this error no code, unlike the timeout of a request. */
function isConnectTimeout(error: Error): boolean {
  return error.name === 'TimeoutError' && /did not establish a connection/.test(error.message)
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
