/** Opens the store that a command works on: the table of a deployed stack, or the database of `npm start`. */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation'
import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { configOf, tableOfEnvironment } from '../infra/local/localDatabase.ts'
import { dataFolder, environment, inUseFile } from '../infra/local/startup.ts'
import { openStore, type Store } from '../shared/store/store.ts'
import { CannotContinue } from './commandLine.ts'

export async function chooseStore(stack: string | undefined): Promise<Store> {
  const jokesTable = stack === undefined ? tableOfEnvironment() : await outputOf(stack, 'JokesTable')
  if (stack !== undefined) console.error(`Working on the stack ${stack}.`)
  const store = openStore({ jokesTable }, stack === undefined ? configOf(localEndpoint()) : {})
  await checkClock(store)
  return store
}

export async function outputOf(stack: string, name: 'JokesTable' | 'ApiUrl'): Promise<string> {
  const command = new DescribeStacksCommand({ StackName: stack })
  const { Stacks } = await new CloudFormationClient().send(command).catch((error: Error) => {
    throw new CannotContinue(`Cannot read the stack ${stack} (${error.message}). Check its name, account and region.`)
  })
  const output = Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue
  if (output !== undefined) return output
  throw new CannotContinue(`The stack ${stack} has no output ${name}, so it is not a Joke Service.`)
}

function localEndpoint(): string {
  const folder = resolve(import.meta.dirname, '..', dataFolder())
  const { AWS_ENDPOINT_URL_DYNAMODB: other } = environment()
  if (other === undefined && !existsSync(inUseFile(folder)))
    throw new CannotContinue(`No local service keeps its jokes in ${folder}. Run npm start first, or add --stack NAME.`)
  console.error(`Working on the local database ${other ?? `in ${folder}`}.`)
  return other ?? readFileSync(inUseFile(folder), 'utf8')
}

/** Compares the clocks, because readers look for changes by the times of writes. @throws {CannotContinue} */
async function checkClock({ database, jokesTable }: Store): Promise<void> {
  const get = new GetCommand({ TableName: jokesTable, Key: { id: 'none' } })
  let [sentAt, date] = [0, 0]
  const readDate: Parameters<typeof get.middlewareStack.add>[0] = (next) => async (args) => {
    // A login may take long, but here the credentials are known already.
    sentAt = Date.now()
    const result = await next(args)
    date = Date.parse(Object(result.response).headers?.date)
    return result
  }
  get.middlewareStack.add(readDate, { step: 'deserialize', priority: 'low' })
  await database.send(get)
  // The header has whole seconds.
  if (Math.max(sentAt - (date + 1_000), date - Date.now()) > 1_000)
    throw new CannotContinue("This machine's clock differs from DynamoDB's by more than a second. Set it first.")
}
