/** The local database: dynalite on disk, and the tables in it or in any other DynamoDB. */
import { on, once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  type GlobalSecondaryIndex,
  type KeySchemaElement,
  ResourceNotFoundException,
  type TableDescription,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb'
import { codeOf, messageOf } from '../../shared/causes.ts'
import { JOKE_WORDS, JOKES, type Table } from '../../shared/store/tables.ts'
import { type Address, CannotStart, cannotListen, inUseFile, LOCALHOST, urlOf } from './startup.ts'

/** What the functions and the SDK need; a local database accepts any region and credentials. */
export const LOCAL_ENVIRONMENT = {
  AWS_REGION: 'local',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  JOKES_TABLE: 'Jokes',
  WORDS_TABLE: 'JokeWords',
}

/**
 * Starts dynalite in a worker thread.
 *
 * @param folder keeps the data; undefined: in memory
 * @param onBroken called if the database breaks down later
 * @param address where to listen; by default a free port, for this machine only
 * @throws {CannotStart} if it cannot use the folder or the port
 */
export async function startDynalite(
  folder: string | undefined,
  onBroken: (reason: CannotStart) => void,
  address: Address = { host: LOCALHOST, port: 0 },
) {
  try {
    // Not recursively: mkdir with `recursive` hangs under /proc.
    if (folder !== undefined && !existsSync(folder)) mkdirSync(folder)
  } catch (error) {
    throw cannotKeepData(`${folder}`, error)
  }
  // The SDK would look up a profile before it reads the keys of the local database.
  delete process.env.AWS_PROFILE
  const thread = new Worker(new URL('dynaliteThread.ts', import.meta.url), { workerData: { folder, ...address } })
  const explain = (error: unknown) =>
    isListenFault(error) ? cannotListen(address, error) : cannotKeepData(`${folder}`, error)
  const port = await portOf(thread).catch((error) => {
    throw explain(error)
  })
  thread.on('error', (error) => onBroken(explain(error)))
  const endpoint = urlOf({ ...address, port })
  // The operators' commands find the database by this file.
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

/** The port that the database in a thread listens on. Under `node --watch`, the thread also reports its modules. */
async function portOf(thread: Worker): Promise<number> {
  for await (const [message] of on(thread, 'message')) if (typeof message.port === 'number') return message.port
  throw new Error('the database thread has ended')
}

/**
 * Creates the tables that do not exist yet. Reads the address of the database and the names of the tables from the
 * environment.
 *
 * @throws {CannotStart} if the database cannot be used, or a table of an older version lacks an index
 */
export async function createTables(): Promise<void> {
  const { AWS_ENDPOINT_URL_DYNAMODB, JOKES_TABLE = '', WORDS_TABLE = '' } = process.env
  const client = new DynamoDBClient({
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
  })
  try {
    await Promise.all([ensureTable(client, JOKES_TABLE, JOKES), ensureTable(client, WORDS_TABLE, JOKE_WORDS)])
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

async function ensureTable(client: DynamoDBClient, name: string, table: Table): Promise<void> {
  try {
    const existing = await client.send(new DescribeTableCommand({ TableName: name }))
    checkIndexes(name, table, existing.Table)
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error
    await createTable(client, name, table)
  }
}

function checkIndexes(name: string, { indexes }: Table, { GlobalSecondaryIndexes = [] }: TableDescription = {}): void {
  const present = GlobalSecondaryIndexes.map(({ IndexName }) => IndexName)
  const missing = Object.keys(indexes).filter((index) => !present.includes(index))
  if (missing.length > 0)
    throw new CannotStart(
      `The table ${name} was made by an older version: it lacks the index ${missing.join(', ')}. Export its jokes with that version, remove the table or the folder DATA_DIR, start again and import them.`,
    )
}

async function createTable(client: DynamoDBClient, name: string, table: Table): Promise<void> {
  const types = new Map<string, Table['partitionKey']['type']>()
  for (const { partitionKey, sortKey } of [table, ...Object.values(table.indexes)]) {
    types.set(partitionKey.name, partitionKey.type)
    if (sortKey) types.set(sortKey.name, sortKey.type)
  }
  const globalIndexes = Object.entries(table.indexes).map(
    ([IndexName, index]): GlobalSecondaryIndex => ({
      IndexName,
      KeySchema: keySchema(index),
      Projection: index.attributes
        ? { ProjectionType: 'INCLUDE', NonKeyAttributes: [...index.attributes] }
        : { ProjectionType: 'ALL' },
    }),
  )
  await client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: Array.from(types, ([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
      KeySchema: keySchema(table),
      ...(globalIndexes.length > 0 && { GlobalSecondaryIndexes: globalIndexes }),
    }),
  )
  await waitUntilTableExists({ client, maxWaitTime: 10, minDelay: 0.02, maxDelay: 0.1 }, { TableName: name })
}

function keySchema({ partitionKey, sortKey }: Pick<Table, 'partitionKey' | 'sortKey'>): KeySchemaElement[] {
  const schema: KeySchemaElement[] = [{ AttributeName: partitionKey.name, KeyType: 'HASH' }]
  if (sortKey) schema.push({ AttributeName: sortKey.name, KeyType: 'RANGE' })
  return schema
}

function isListenFault(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && ['listen', 'getaddrinfo'].includes(String(error.syscall))
}

function cannotKeepData(folder: string, error: unknown): CannotStart {
  switch (codeOf(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new CannotStart(
        `Cannot create the folder ${folder}: its parent folder does not exist. Create it, or set DATA_DIR to another folder.`,
      )
    case 'LEVEL_LOCKED':
      return new CannotStart(
        `The folder ${folder} is already in use, perhaps by another npm start. Stop that, or set DATA_DIR to another folder.`,
      )
    default:
      return new CannotStart(
        `Cannot keep data in the folder ${folder}: ${messageOf(error)}. Set DATA_DIR to another folder.`,
      )
  }
}
