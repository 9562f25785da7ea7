/** The store: everything that the access module needs to work on the jokes of one service. */
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { JokeCache } from './cache/jokeCache.ts'
import { connect, hadNoEffect, retries } from './connection.ts'
import { LIMITS, type Limits } from './limits.ts'
import { readFeed } from './reads.ts'

export interface Store extends StoreOptions {
  limits: Limits
  /** Client for calls that may be repeated: reads, and conditional writes. */
  database: DynamoDBDocumentClient
  /** Client for upvotes. It retries only if the failed attempt certainly had no effect. */
  upvoteDatabase: DynamoDBDocumentClient
  /** The listed jokes in memory. */
  cache: JokeCache
  /** Returns the time for writes, in milliseconds. */
  now: () => number
}

interface StoreOptions {
  jokesTable: string
  /** Whether new jokes wait for approval. Only adding a joke reads it. */
  approval?: boolean
}

/**
 * Opens a store. It creates each client when it is first used, because most functions use one. By default, the SDK
 * reads its settings from the environment.
 *
 * @param now the clock of writes; by default, that of this machine
 */
export function openStore(
  options: StoreOptions,
  config: DynamoDBClientConfig = {},
  limits: Limits = LIMITS,
  now = Date.now,
): Store {
  let database: DynamoDBDocumentClient | undefined
  let upvoteDatabase: DynamoDBDocumentClient | undefined
  const store: Store = {
    ...options,
    limits,
    now,
    cache: new JokeCache((...page) => readFeed(store, ...page)),
    get database() {
      database ??= connect(
        config,
        limits,
        retries(limits, () => true),
      )
      return database
    },
    get upvoteDatabase() {
      upvoteDatabase ??= connect(config, limits, retries(limits, hadNoEffect))
      return upvoteDatabase
    },
  }
  return store
}

const Environment = v.object({ JOKES_TABLE: v.string(), APPROVAL: v.optional(v.string()) })

let opened: Store | undefined

/** Returns the store of the table in a function's environment. The first request opens it, others reuse it. */
export function storeOfEnvironment(): Store {
  if (opened === undefined) {
    const { JOKES_TABLE, APPROVAL } = v.parse(Environment, process.env)
    opened = openStore({ jokesTable: JOKES_TABLE, approval: APPROVAL === 'on' })
  }
  return opened
}
