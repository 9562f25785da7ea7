/** The store: everything that the access module needs to work on the jokes of one service. */
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import * as v from 'valibot'
import { JokeCache } from './cache/jokeCache.ts'
import { type Connection, connect } from './connection.ts'
import { LIMITS } from './limits.ts'
import { readChanges, readSegment } from './reads.ts'

export interface Store extends Connection {
  /** Whether new jokes wait for approval. Only adding a joke reads it. */
  approval?: boolean
  cache: JokeCache
}

export function openStore(
  options: Pick<Store, 'jokesTable' | 'approval'>,
  config: DynamoDBClientConfig = {},
  limits = LIMITS,
): Store {
  const connection = { ...options, limits, now: Date.now, ...connect(config, limits) }
  return { ...connection, cache: openCache(connection) }
}

export function openCache(connection: Connection): JokeCache {
  return new JokeCache({
    segment: (segment) => readSegment(connection, segment),
    changes: (since) => readChanges(connection, since),
  })
}

const Environment = v.object({ JOKES_TABLE: v.string(), APPROVAL: v.optional(v.string()) })

let opened: Store | undefined

/** Returns the store of the table in a function's environment. The first request opens it. */
export function storeOfEnvironment(): Store {
  if (opened === undefined) {
    const { JOKES_TABLE, APPROVAL } = v.parse(Environment, process.env)
    opened = openStore({ jokesTable: JOKES_TABLE, approval: APPROVAL === 'on' })
  }
  return opened
}
