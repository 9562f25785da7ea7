/** Opens the store that a command works on: the tables of a deployed stack, or the database of `npm start`. */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation'
import { Option } from '@commander-js/extra-typings'
import { configOf, tablesOfEnvironment } from '../infra/local/localDatabase.ts'
import { dataFolder, environment, inUseFile } from '../infra/local/startup.ts'
import { PATIENT } from '../shared/store/limits.ts'
import { Pace } from '../shared/store/operators/pace.ts'
import { openStore, type Store, type TableNames } from '../shared/store/store.ts'
import { CannotContinue, define, WrongUsage } from './commandLine.ts'

/** The stack of the stage `prod`, for which `restore` asks to confirm. */
export const PRODUCTION_STACK = 'JokeService'

const STACK = new Option('--stack <name>', `the deployed stack; production is ${PRODUCTION_STACK}`)
const LOCAL = new Option('--local', 'instead, the service of npm start, which must be running').conflicts('stack')

/** Begins the definition of a command that works on a store. */
export function defineForStore(...definition: Parameters<typeof define>) {
  return define(...definition)
    .addOption(STACK)
    .addOption(LOCAL)
}

interface Chosen {
  stack?: string | undefined
  local?: true | undefined
}

/**
 * Opens the store of the chosen stack or of `npm start`, and prints which one. It waits as long as the database throttles.
 *
 * @throws {CannotContinue} if no store was chosen or found, or if the shell works on another stack
 */
export async function chooseStore({ stack, local }: Chosen): Promise<Store> {
  if (stack === undefined && !local)
    throw new WrongUsage(`Say which service: --stack NAME (production is ${PRODUCTION_STACK}), or --local.`)
  if (stack === undefined) return openLocalStore()
  // docs/runbooks/outputs.sh sets this variable. Its functions work on that stack.
  const read = process.env.JOKE_STACK
  if (read && read !== stack)
    throw new CannotContinue(
      `This command is for ${stack}, but this shell works on ${read}. Say --stack $stack, or open another shell.`,
    )
  const tables = await tablesOf(stack)
  console.error(`Working on the stack ${stack}.`)
  return openStore(tables, {}, PATIENT, new Pace(reportThrottling))
}

function openLocalStore(): Store {
  // npm start runs in the folder of the project.
  const folder = resolve(import.meta.dirname, '..', dataFolder())
  const file = inUseFile(folder)
  const other = environment().AWS_ENDPOINT_URL_DYNAMODB
  const endpoint = other ?? (existsSync(file) ? readFileSync(file, 'utf8') : '')
  if (!endpoint) throw new CannotContinue(`No local service keeps its jokes in ${folder}. Run npm start first.`)
  console.error(`Working on the local database ${other ?? `in ${folder}`}.`)
  return openStore(tablesOfEnvironment(), configOf(endpoint), PATIENT, new Pace(reportThrottling))
}

function reportThrottling(): void {
  console.error('The database throttles. Going on more slowly.')
}

async function tablesOf(stack: string): Promise<TableNames> {
  const command = new DescribeStacksCommand({ StackName: stack })
  const { Stacks } = await new CloudFormationClient().send(command).catch((error: Error) => {
    throw new CannotContinue(
      `Cannot find the tables of the stack ${stack}: ${error.message.replace(/\.$/, '')}. Set credentials and region of its account, or use --local for npm start.`,
    )
  })
  const outputs = new Map(Stacks?.[0]?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]))
  const [jokesTable, wordsTable] = [outputs.get('JokesTable'), outputs.get('WordsTable')]
  if (jokesTable === undefined || wordsTable === undefined)
    throw new CannotContinue(`The stack ${stack} is not a Joke Service: it has no outputs JokesTable and WordsTable.`)
  return { jokesTable, wordsTable }
}
