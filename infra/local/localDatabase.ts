/** The local database: dynalite, an embedded DynamoDB on disk, and the table in it or in any other DynamoDB. */
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import {
  CreateTableCommand,
  DynamoDBClient,
  type DynamoDBClientConfig,
  ResourceInUseException,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb'
import dynalite from 'dynalite'
import { Level } from 'level'
import { JOKES } from '../../shared/store/item.ts'
import { codeOf, messageOf } from './causes.ts'
import { CannotStart, environment, inUseFile, LOCALHOST, urlOf } from './startup.ts'

/** Changes when the service would misread an older folder, although it has the same table. */
const FORMAT = JSON.stringify({ FORMAT: 11, JOKES })

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
 * Starts dynalite in this process, on a free port. Without a folder, it keeps the data in memory. By default, only this
 * machine can reach it. `stop` refuses further requests. The folder stays open until the process ends.
 *
 * @throws {CannotStart} if it cannot use the folder
 */
export async function startDynalite(folder?: string, host = LOCALHOST) {
  if (folder !== undefined) await prepareFolder(folder)
  const database = dynalite({ path: folder, createTableMs: 0 })
  const server = createServer((request, response) => {
    // dynalite would answer any web page. Browsers send `Origin` with each POST, and all calls are POSTs.
    if (request.headers.origin === undefined) database.emit('request', request, response)
    else response.writeHead(403).end('Web pages may not use this database.')
  }).listen(0, host)
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The database has no port.')
  const endpoint = urlOf({ host, port: address.port })
  // The operators' commands find the database by this file.
  if (folder !== undefined) writeFileSync(inUseFile(folder), endpoint)
  const stop = () => {
    server.close()
    server.closeAllConnections()
    if (folder !== undefined) rmSync(inUseFile(folder), { force: true })
  }
  return { endpoint, stop }
}

/** @throws {CannotStart} if the folder has another format, or cannot be used */
async function prepareFolder(folder: string): Promise<void> {
  try {
    if (!existsSync(folder)) mkdirSync(folder)
    const file = join(folder, 'FORMAT')
    // LevelDB creates the file CURRENT.
    if (!existsSync(join(folder, 'CURRENT'))) writeFileSync(file, FORMAT)
    else if (!existsSync(file) || readFileSync(file, 'utf8') !== FORMAT)
      throw new CannotStart(
        `The folder ${folder} has jokes of another version of this service. To keep them, start that version and export them with bin/jokes export. Then start this version with DATA_DIR set to a new folder, and import them. If you do not need them, delete the folder.`,
      )
    // dynalite would crash without a reason if it could not open the folder. Opening it here tells the reason.
    const level = new Level(folder)
    await level.open()
    addReturnToIterators(level)
    await level.close()
  } catch (error) {
    if (error instanceof CannotStart) throw error
    const isLocked = codeOf(error) === 'LEVEL_LOCKED'
    const reason = isLocked ? 'it is in use by another program, perhaps another npm start' : messageOf(error)
    throw new CannotStart(`Cannot keep data in the folder ${folder}: ${reason}. Set DATA_DIR to another folder.`)
  }
}

/** Adds `return` to LevelDB's iterators. dynalite calls it to close them, and without it leaks 20 kB at each query. */
function addReturnToIterators(level: Level): void {
  for (const iterator of [level.keys(), level.values()])
    Object.getPrototypeOf(iterator).return = function close(this: typeof iterator) {
      return this.close()
    }
}

/** Creates the table if it does not exist yet. @throws {CannotStart} if the database cannot be used */
export async function createTable(name: string, config: DynamoDBClientConfig): Promise<void> {
  const client = new DynamoDBClient({
    ...config,
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 2_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
  })
  const { partitionKey, index } = JOKES
  const keys = [partitionKey, index.partitionKey, index.sortKey]
  const table = new CreateTableCommand({
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: keys.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
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
  })
  try {
    await client.send(table)
    await waitUntilTableExists({ client, maxWaitTime: 10, minDelay: 0.02, maxDelay: 0.1 }, { TableName: name })
  } catch (error) {
    if (!(error instanceof ResourceInUseException))
      throw new CannotStart(`Cannot use the database at ${config.endpoint}: ${messageOf(error)}.`)
  } finally {
    client.destroy()
  }
}
