/** The local database: dynalite on disk, and the tables in it or in any other DynamoDB. */
import { on, once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceNotFoundException,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb'
import { JOKE_WORDS, JOKES, type Key, type Table } from '../../shared/store/tables.ts'
import {
  type Address,
  CannotStart,
  cannotListen,
  codeOf,
  inUseFile,
  messageOf,
  THIS_MACHINE,
  urlOf,
} from './startup.ts'

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
  address: Address = { host: THIS_MACHINE, port: 0 },
) {
  try {
    // Not recursively: mkdir with `recursive` hangs under /proc.
    if (folder !== undefined && !existsSync(folder)) mkdirSync(folder)
  } catch (error) {
    throw new CannotStart(
      ['ENOENT', 'ENOTDIR'].includes(`${codeOf(error)}`)
        ? `Cannot create the folder ${folder}: the folder around it does not exist. Create that, or set DATA_DIR to another folder.`
        : `Cannot create the folder ${folder}: ${messageOf(error)}. Set DATA_DIR to another folder.`,
    )
  }
  // A profile would be looked up before the keys that this database takes.
  delete process.env.AWS_PROFILE
  const thread = new Worker(new URL('dynaliteThread.ts', import.meta.url), { workerData: { folder, ...address } })
  const cannot = (error: unknown) =>
    isListenFault(error) ? cannotListen(address, error) : cannotKeepData(`${folder}`, error)
  const port = await portOf(thread).catch((error) => {
    throw cannot(error)
  })
  thread.on('error', (error) => onBroken(cannot(error)))
  const endpoint = urlOf({ ...address, port })
  // Commands that run beside the service find its database by this.
  if (folder !== undefined) writeFileSync(inUseFile(folder), endpoint)
  return {
    endpoint,
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
    throw new CannotStart(
      codeOf(error) === 'ECONNREFUSED'
        ? `No database listens at ${AWS_ENDPOINT_URL_DYNAMODB}. Start it, or leave out AWS_ENDPOINT_URL_DYNAMODB to use the local one.`
        : `Cannot use the database at ${AWS_ENDPOINT_URL_DYNAMODB}: ${messageOf(error)}.`,
    )
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
      `The table ${name} was made by an older version: it lacks the index ${missing.join(', ')}. Export its jokes with that version, remove the table or the folder DATA_DIR, start again and import them.`,
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
  return error instanceof Error && 'syscall' in error && ['listen', 'getaddrinfo'].includes(String(error.syscall))
}

function cannotKeepData(folder: string, error: unknown): CannotStart {
  return new CannotStart(
    codeOf(error) === 'LEVEL_LOCKED'
      ? `The folder ${folder} is already in use, perhaps by another npm start. Stop that, or set DATA_DIR to another folder.`
      : `Cannot keep data in the folder ${folder}: ${messageOf(error)}. Set DATA_DIR to another folder.`,
  )
}
