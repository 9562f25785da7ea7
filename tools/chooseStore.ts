/** Opens the store that a command works on: the table of a deployed stack, or the database of `npm start`. */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation'
import { type DynamoDBClientConfig, ResourceNotFoundException } from '@aws-sdk/client-dynamodb'
import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { configOf, tableOfEnvironment } from '../infra/local/localDatabase.ts'
import { dataFolder, environment, inUseFile } from '../infra/local/startup.ts'
import { openStore, type Store } from '../shared/store/store.ts'
import { CannotContinue, define } from './commandLine.ts'

/** The `Date` header has whole seconds. */
const ROUNDING_MS = 2_000
/** DynamoDB refuses signatures with a greater difference. */
const MAX_DIFFERENCE_MS = 300_000

/** Begins the definition of a command that works on a store. */
export function defineForStore(...definition: Parameters<typeof define>) {
  return define(...definition)
    .option('--stack <name>', 'the deployed stack; production is JokeService. By default, the service of npm start')
    .addHelpText('after', '\nIf it was stopped or has failed, run it again: it does what is left.')
}

/**
 * Opens the store of a stack, by default that of `npm start`, and prints which one. Writes get DynamoDB's time.
 *
 * @throws {CannotContinue} if there is no such store, if the shell works on another stack, or if the clock of this machine
 * is wrong
 */
export async function chooseStore({ stack }: { stack?: string | undefined }): Promise<Store> {
  // bin/stack.sh sets this variable. Its functions work on that stack.
  const { JOKE_STACK: read } = environment()
  if (read !== undefined && read !== stack)
    throw new CannotContinue(`This shell works on the stack ${read}. Write --stack ${read}, or open another shell.`)
  if (stack === undefined) return open(tableOfEnvironment(), configOf(localEndpoint()))
  const table = await tableOf(stack)
  console.error(`Working on the stack ${stack}.`)
  return open(table, {})
}

function localEndpoint(): string {
  // npm start runs in the folder of the project.
  const folder = resolve(import.meta.dirname, '..', dataFolder())
  const file = inUseFile(folder)
  const other = environment().AWS_ENDPOINT_URL_DYNAMODB
  const endpoint = other ?? (existsSync(file) ? readFileSync(file, 'utf8') : '')
  if (!endpoint) throw new CannotContinue(`No local service keeps its jokes in ${folder}. Run npm start first.`)
  console.error(`Working on the local database ${other ?? `in ${folder}`}.`)
  return endpoint
}

async function open(jokesTable: string, config: DynamoDBClientConfig): Promise<Store> {
  const store = openStore({ jokesTable }, config)
  await clockDifference(store).catch((error) => {
    throw explainMissing(error, jokesTable)
  })
  return store
}

/** Returns an error that names a missing table, which DynamoDB's own does not, and any other error unchanged. */
export function explainMissing(error: unknown, table: string): unknown {
  return error instanceof ResourceNotFoundException ? new CannotContinue(`The table ${table} does not exist.`) : error
}

/**
 * Returns how many milliseconds DynamoDB's clock is ahead of this machine's. This first call also resolves the
 * credentials. A slow login before a write would make its time old.
 *
 * @throws {CannotContinue}
 */
async function clockDifference(store: Store): Promise<number> {
  let date = ''
  const get = new GetCommand({ TableName: store.jokesTable, Key: { id: 'none' } })
  get.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args)
      date = String(Object(result.response).headers?.date)
      return result
    },
    { step: 'deserialize', priority: 'low' },
  )
  await store.database.send(get)
  const difference = Date.parse(date) - Date.now()
  if (Math.abs(difference) > MAX_DIFFERENCE_MS)
    throw new CannotContinue(
      `The clock of this machine differs from DynamoDB's by ${Math.round(Math.abs(difference) / 60_000)} minutes. Set it first.`,
    )
  // A response without a date corrects nothing.
  return Math.abs(difference) >= ROUNDING_MS ? difference : 0
}

async function tableOf(stack: string): Promise<string> {
  const command = new DescribeStacksCommand({ StackName: stack })
  const { Stacks } = await new CloudFormationClient().send(command).catch((error: Error) => {
    throw new CannotContinue(
      `Cannot find the table of the stack ${stack}: ${error.message.replace(/\.$/, '')}. Set credentials and region of its account, or leave out --stack for npm start.`,
    )
  })
  const table = Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === 'JokesTable')?.OutputValue
  if (table === undefined)
    throw new CannotContinue(`The stack ${stack} is not a Joke Service: it has no output JokesTable.`)
  return table
}
