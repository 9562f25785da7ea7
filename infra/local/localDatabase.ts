/** The local database: dynalite on disk, and the table in it or in any other DynamoDB. */
import { on, once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DynamoDBClient,
  type DynamoDBClientConfig,
  ResourceInUseException,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb'
import { JOKES } from '../../shared/store/item.ts'
import { codeOf, messageOf } from './causes.ts'
import { type Address, CannotStart, cannotListen, environment, LOCALHOST } from './startup.ts'

/** Returns the name of the table: that in `JOKES_TABLE`, or a default. */
export function tableOfEnvironment(): string {
  return environment().JOKES_TABLE ?? 'Jokes'
}

/** Returns the SDK's settings for a database. A local one accepts any region and credentials. */
export function configOf(endpoint: string): DynamoDBClientConfig {
  const { AWS_REGION = 'local', AWS_ACCESS_KEY_ID } = environment()
  const local = { accessKeyId: 'local', secretAccessKey: 'local' }
  return { endpoint, region: AWS_REGION, ...(AWS_ACCESS_KEY_ID === undefined && { credentials: local }) }
}

/**
 * Starts dynalite in a worker thread. Without a folder, it keeps the data in memory. Without an address, only this
 * machine can reach it, on a free port. It calls `onBroken` if it breaks down later.
 *
 * @throws {CannotStart} if it cannot use the folder or the port
 */
export async function startDynalite(
  folder: string | undefined,
  onBroken: (reason: CannotStart) => void,
  address: Address = { host: LOCALHOST, port: 0 },
) {
  const explain = (error: unknown) => {
    if (error instanceof CannotStart) return error
    return isListenFault(error) ? cannotListen(address, error) : cannotKeepData(`${folder}`, error)
  }
  try {
    if (folder !== undefined) prepareFolder(folder)
    const thread = new Worker(new URL('dynaliteThread.ts', import.meta.url), { workerData: { folder, ...address } })
    const endpoint = await endpointOf(thread)
    thread.on('error', (error) => onBroken(explain(error)))
    const stop = async () => {
      const exit = once(thread, 'exit')
      thread.postMessage('stop')
      await exit
    }
    return { endpoint, stop }
  } catch (error) {
    throw explain(error)
  }
}

/** Changes when the service would misread an older folder, although it has the same table. */
const FORMAT = 9

/** @throws {CannotStart} if the folder has another table or format */
function prepareFolder(folder: string): void {
  // With its option `recursive`, mkdir would hang under /proc.
  if (!existsSync(folder)) mkdirSync(folder)
  const file = join(folder, 'FORMAT')
  const format = JSON.stringify({ FORMAT, JOKES })
  // LevelDB creates the file CURRENT.
  const isNew = !existsSync(join(folder, 'CURRENT'))
  if (!isNew && (!existsSync(file) || readFileSync(file, 'utf8') !== format))
    throw new CannotStart(
      `The folder ${folder} has jokes in the format of another version of this service. If you do not need them, delete the folder. To keep them, start that version and export them to jokes.json, as its README says. Then start this version with DATA_DIR set to a new folder, and run bin/jokes import jokes.json.`,
    )
  if (!isNew) return
  // A kill, a full disk or a simultaneous start must not leave a part of the file.
  const part = `${file}.${process.pid}`
  writeFileSync(part, format)
  renameSync(part, file)
}

/** Returns the URL of the database in a thread. Under `node --watch`, other messages report modules. */
async function endpointOf(thread: Worker): Promise<string> {
  for await (const [message] of on(thread, 'message')) if (message.endpoint) return message.endpoint
  throw new Error('the database thread has ended')
}

/** Creates the table if it does not exist yet. @throws {CannotStart} if the database cannot be used */
export async function createTable(name: string, config: DynamoDBClientConfig): Promise<void> {
  const client = new DynamoDBClient({
    ...config,
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
  })
  try {
    await client.send(new CreateTableCommand(definitionOf(name)))
    await waitUntilTableExists({ client, maxWaitTime: 10, minDelay: 0.02, maxDelay: 0.1 }, { TableName: name })
  } catch (error) {
    if (error instanceof ResourceInUseException) return
    throw new CannotStart(
      codeOf(error) === 'ECONNREFUSED'
        ? `No database listens at ${config.endpoint}. Start it, or leave out AWS_ENDPOINT_URL_DYNAMODB to use the local one.`
        : `Cannot use the database at ${config.endpoint}: ${messageOf(error)}.`,
    )
  } finally {
    client.destroy()
  }
}

function definitionOf(TableName: string): CreateTableCommandInput {
  const { partitionKey, index } = JOKES
  const keys = [partitionKey, index.partitionKey, index.sortKey]
  return {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: keys.map((name) => ({ AttributeName: name, AttributeType: 'S' })),
    KeySchema: [{ AttributeName: partitionKey, KeyType: 'HASH' }],
    GlobalSecondaryIndexes: [
      {
        IndexName: index.name,
        KeySchema: [
          { AttributeName: index.partitionKey, KeyType: 'HASH' },
          { AttributeName: index.sortKey, KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'ALL' },
      },
    ],
  }
}

function isListenFault(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && ['listen', 'getaddrinfo'].includes(String(error.syscall))
}

function cannotKeepData(folder: string, error: unknown): CannotStart {
  const known: Record<string, string> = {
    ENOENT: 'its parent folder does not exist',
    ENOTDIR: 'it is a file, or below one',
    LEVEL_LOCKED: 'another program uses it, perhaps another npm start',
  }
  const reason = known[`${codeOf(error)}`] ?? messageOf(error)
  return new CannotStart(`Cannot keep data in the folder ${folder}: ${reason}. Set DATA_DIR to another folder.`)
}
