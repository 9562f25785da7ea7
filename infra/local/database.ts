/** The local database: dynalite on disk, and the tables in it or in any other DynamoDB. */
import { on, once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceNotFoundException,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb'
import { JOKE_WORDS, JOKES, type Key, type Table } from '../../shared/store/tables.ts'

/** A reason not to start that its user can do something about, in one sentence. */
export class CannotStart extends Error {
  override name = 'CannotStart'
}

/** What the functions and the SDK need to know, and a local database does not care about. */
export const LOCAL_ENVIRONMENT = {
  AWS_REGION: 'local',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  JOKES_TABLE: 'Jokes',
  WORDS_TABLE: 'JokeWords',
}

/**
 * Starts dynalite in a thread of its own.
 *
 * @param folder where it keeps its data; absent: in memory
 * @param onBroken hears why it cannot go on, should it break down later
 * @param address where it listens; absent: on any free port, for this machine only
 * @throws {CannotStart} where the folder or the port cannot be used
 */
export async function startDynalite(
  folder: string | undefined,
  onBroken: (reason: CannotStart) => void,
  address = { port: 0, host: '127.0.0.1' },
) {
  try {
    // Not its parents as well: under /proc, Node.js never comes back from that.
    if (folder !== undefined && !existsSync(folder)) mkdirSync(folder)
  } catch (error) {
    throw new CannotStart(`The folder ${folder} cannot be made, ${messageOf(error)}.`)
  }
  // A profile would be looked up before the keys that this database takes.
  delete process.env.AWS_PROFILE
  const thread = new Worker(new URL('dynaliteThread.ts', import.meta.url), { workerData: { folder, ...address } })
  const cannot = (error: unknown) =>
    isListenFault(error)
      ? new CannotStart(`Port ${address.port} cannot be had: ${messageOf(error)}. Set PORT to another.`)
      : new CannotStart(
          `The folder ${folder} cannot be used, ${messageOf(error)}: is it writable, and in no other use?`,
        )
  const port = await portOf(thread).catch((error) => {
    throw cannot(error)
  })
  thread.on('error', (error) => onBroken(cannot(error)))
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop: async () => {
      const exit = once(thread, 'exit')
      thread.postMessage('stop')
      await exit
    },
  }
}

/** Where the database in a thread listens. Under `node --watch`, a thread also tells which modules it has loaded. */
async function portOf(thread: Worker): Promise<number> {
  for await (const [message] of on(thread, 'message')) if (typeof message.port === 'number') return message.port
  throw new Error('it has ended')
}

/**
 * Makes the tables that are not there yet, in the database and by the names that the environment tells.
 *
 * @throws {CannotStart} where the database cannot be reached, or a table of an older version lacks an index
 */
export async function createTables(): Promise<void> {
  const { AWS_ENDPOINT_URL_DYNAMODB, JOKES_TABLE = '', WORDS_TABLE = '' } = process.env
  const client = new DynamoDBClient({
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
  })
  try {
    await Promise.all([createTable(client, JOKES_TABLE, JOKES), createTable(client, WORDS_TABLE, JOKE_WORDS)])
  } catch (error) {
    if (error instanceof CannotStart) throw error
    throw new CannotStart(`The database at ${AWS_ENDPOINT_URL_DYNAMODB} cannot be used: ${messageOf(error)}.`)
  } finally {
    client.destroy()
  }
}

async function createTable(
  client: DynamoDBClient,
  name: string,
  { partitionKey, sortKey, indexes }: Table,
): Promise<void> {
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: name }))
    const present = Table?.GlobalSecondaryIndexes?.map((index) => index.IndexName) ?? []
    const missing = Object.keys(indexes).filter((index) => !present.includes(index))
    if (missing.length === 0) return
    throw new CannotStart(
      `The table ${name} is from an older version, without the index ${missing.join()}: remove it, or DATA_DIR.`,
    )
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error
  }
  const keys = [
    partitionKey,
    sortKey,
    ...Object.values(indexes).flatMap((index) => [index.partitionKey, index.sortKey]),
  ]
  const types = new Map(keys.filter((key) => key !== undefined).map(({ name, type }) => [name, type]))
  const globalIndexes = Object.entries(indexes).map(([IndexName, { attributes, ...index }]) => ({
    IndexName,
    KeySchema: keySchema(index.partitionKey, index.sortKey),
    Projection: attributes
      ? { ProjectionType: 'INCLUDE' as const, NonKeyAttributes: [...attributes] }
      : { ProjectionType: 'ALL' as const },
  }))
  await client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: Array.from(types, ([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
      KeySchema: keySchema(partitionKey, sortKey),
      ...(globalIndexes.length > 0 && { GlobalSecondaryIndexes: globalIndexes }),
    }),
  )
  await waitUntilTableExists({ client, maxWaitTime: 10, minDelay: 0.02, maxDelay: 0.1 }, { TableName: name })
}

function keySchema(partitionKey: Key, sortKey?: Key) {
  const hash = { AttributeName: partitionKey.name, KeyType: 'HASH' as const }
  return sortKey ? [hash, { AttributeName: sortKey.name, KeyType: 'RANGE' as const }] : [hash]
}

function isListenFault(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'listen'
}

/** What went wrong, however deep Node.js or the SDK has wrapped it. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(', ')
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : messageOf(error.cause)
}
