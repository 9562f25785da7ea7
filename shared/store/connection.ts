/** The connection to the table of a service. */
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { Limits } from './limits.ts'

/** Everything that a call to the table needs. */
export interface Connection {
  /** Repeats calls after throttling, and after faults of servers and connections. */
  database: DynamoDBDocumentClient
  /** Makes each call once. */
  databaseOnce: DynamoDBDocumentClient
  jokesTable: string
  limits: Limits
  /** Returns the time for writes, in milliseconds. Tests write with other clocks. */
  now: () => number
}

/** Creates the clients. By default, the SDK reads its settings from the environment. */
export function connect(config: DynamoDBClientConfig, limits: Limits) {
  // The sockets are not limited, because waiting for a free one would count towards the connection timeout.
  const agents = { httpAgent: new HttpAgent({ keepAlive: true }), httpsAgent: new HttpsAgent({ keepAlive: true }) }
  let lastCallAt = Date.now()
  const clientWith = (maxAttempts: number) => {
    const client = new DynamoDBClient({
      ...config,
      maxAttempts,
      requestHandler: {
        ...agents,
        connectionTimeout: limits.connectMs,
        requestTimeout: limits.attemptMs,
        throwOnRequestTimeout: true,
        // Ends a response that stops halfway. `requestTimeout` does not.
        socketTimeout: limits.attemptMs,
      },
    })
    client.middlewareStack.add((next) => (args) => {
      // Timers do not run while Lambda is frozen, so each call checks how long the connections were idle.
      if (Date.now() - lastCallAt > limits.maxIdleMs) Object.values(agents).forEach(closeFreeSockets)
      lastCallAt = Date.now()
      return next(args)
    })
    return DynamoDBDocumentClient.from(client, {
      // Otherwise, one item with a number beyond JavaScript's integers would fail every call that meets it.
      unmarshallOptions: { wrapNumbers: Number },
      marshallOptions: { allowImpreciseNumbers: true },
    })
  }
  return { database: clientWith(3), databaseOnce: clientWith(1) }
}

function closeFreeSockets({ freeSockets }: HttpAgent): void {
  for (const socket of Object.values(freeSockets).flat()) socket?.destroy()
}
