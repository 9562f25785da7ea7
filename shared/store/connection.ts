/** The connection to the table of a service. */
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { Limits } from './limits.ts'

/** Everything that a call to the table needs. */
export interface Connection {
  /** Makes one attempt of a call. `call` in attempts.ts makes all. */
  database: DynamoDBDocumentClient
  jokesTable: string
  limits: Limits
  /** Returns the time for writes, in milliseconds. */
  now: () => number
}

/** Creates a client. By default, the SDK reads its settings from the environment. */
export function connect(
  config: DynamoDBClientConfig,
  { connectMs, attemptMs, maxIdleMs }: Limits,
): DynamoDBDocumentClient {
  // The sockets are not limited, because waiting for a free one would count towards the connection timeout.
  const httpAgent = new HttpAgent({ keepAlive: true })
  const httpsAgent = new HttpsAgent({ keepAlive: true })
  const client = new DynamoDBClient({
    ...config,
    maxAttempts: 1,
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
