/** The store: everything that the access module needs to work on the jokes of one service. */
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { connect, hadNoEffect, retries } from './connection/connection.ts'
import { LIMITS, type Limits } from './limits.ts'
import type { Pace } from './operators/pace.ts'

export interface Store extends StoreOptions {
  limits: Limits
  /** Client for calls that may be repeated: reads, and idempotent writes. */
  database: DynamoDBDocumentClient
  /** Client for upvotes. It retries only if the failed attempt certainly had no effect. */
  upvoteDatabase: DynamoDBDocumentClient
  /** Limits how many jokes a command works on at once. */
  pace?: Pace
}

export interface TableNames {
  jokesTable: string
  wordsTable: string
}

export interface StoreOptions extends TableNames {
  /** Whether new jokes wait for approval. Only adding a joke reads it. */
  approval?: boolean
}

/**
 * Opens a store. It creates each client when it is first used, because most functions use one. By default, the SDK
 * reads its settings from the environment.
 *
 * @param pace only for commands
 */
export function openStore(
  options: StoreOptions,
  config: DynamoDBClientConfig = {},
  limits: Limits = LIMITS,
  pace?: Pace,
): Store {
  let database: DynamoDBDocumentClient | undefined
  let upvoteDatabase: DynamoDBDocumentClient | undefined
  return {
    ...options,
    limits,
    ...(pace && { pace }),
    get database() {
      const always = () => true
      database ??= connect(config, limits, retries(limits, always, pace))
      return database
    },
    get upvoteDatabase() {
      upvoteDatabase ??= connect(config, limits, retries(limits, hadNoEffect))
      return upvoteDatabase
    },
  }
}

const Environment = v.object({ JOKES_TABLE: v.string(), WORDS_TABLE: v.string(), APPROVAL: v.optional(v.string()) })

let opened: Store | undefined

/** Returns the store of the tables in a function's environment. The first request opens it, others reuse it. */
export function storeOfEnvironment(): Store {
  if (opened === undefined) {
    const { JOKES_TABLE, WORDS_TABLE, APPROVAL } = v.parse(Environment, process.env)
    opened = openStore({ jokesTable: JOKES_TABLE, wordsTable: WORDS_TABLE, approval: APPROVAL === 'on' })
  }
  return opened
}
