/** The store: all that the access module needs to work on the jokes of one service. */
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import * as v from 'valibot'
import { connect, hadNoEffect, retries } from './connection/connection.ts'
import { LIMITS, type Limits } from './limits.ts'
import type { Pace } from './operators/pace.ts'

export interface Store extends StoreOptions {
  limits: Limits
  /** For calls that may be repeated: reads, and writes that recognize what they did before. */
  database: DynamoDBDocumentClient
  /** For upvotes. A retry could count twice, unless the failed attempt certainly had no effect. */
  upvoteDatabase: DynamoDBDocumentClient
  /** Of a command: on how many jokes it works at once. */
  pace?: Pace
}

/** The names of the tables. */
export interface TableNames {
  jokesTable: string
  wordsTable: string
}

export interface StoreOptions extends TableNames {
  /** Whether new jokes wait for approval. Matters only to what adds jokes. */
  approval?: boolean
}

/**
 * Opens a store. Connects at the first call.
 *
 * @param config of the SDK's client; by default, the SDK reads the environment
 * @param pace of a command
 */
export function openStore(
  options: StoreOptions,
  config: DynamoDBClientConfig = {},
  limits: Limits = LIMITS,
  pace?: Pace,
): Store {
  return {
    ...options,
    limits,
    ...(pace && { pace }),
    database: connect(
      config,
      limits,
      retries(limits, () => true, pace),
    ),
    upvoteDatabase: connect(config, limits, retries(limits, hadNoEffect)),
  }
}

const Environment = v.object({ JOKES_TABLE: v.string(), WORDS_TABLE: v.string(), APPROVAL: v.optional(v.string()) })

let opened: Store | undefined

/** The store of the tables that a function's environment names. Opened by the first request, and then kept. */
export function storeOfEnvironment(): Store {
  if (opened === undefined) {
    const { JOKES_TABLE, WORDS_TABLE, APPROVAL } = v.parse(Environment, process.env)
    opened = openStore({ jokesTable: JOKES_TABLE, wordsTable: WORDS_TABLE, approval: APPROVAL === 'on' })
  }
  return opened
}
