/** Which tables an operator's command works on: those of a deployed stack, or those of `npm start`. */
import { existsSync, readFileSync } from 'node:fs'
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation'
import { LOCAL_ENVIRONMENT } from '../infra/local/localDatabase.ts'
import { dataFolder, inUseFile } from '../infra/local/startup.ts'
import { CannotContinue } from './commandLine.ts'

/** Options of every command that works on tables. */
export const TABLES_OPTIONS = {
  stack: { type: 'string', default: 'JokeService' },
  local: { type: 'boolean', default: false },
} as const

export const TABLES_USAGE = `--stack NAME   the deployed stack; default: ${TABLES_OPTIONS.stack.default}, which is production
--local        instead, the service of \`npm start\`, which must be running`

/**
 * Sets the environment variables that the access module reads when it is imported. Import it after this.
 *
 * @returns a name for the tables' owner, to be shown to the user
 * @throws {CannotContinue} if there is no such stack, no credentials, or no local service
 */
export async function chooseTables({ stack, local }: { stack: string; local: boolean }): Promise<string> {
  if (local) return useLocalTables()
  Object.assign(process.env, await tablesOf(stack))
  return `the stack ${stack}`
}

function useLocalTables(): string {
  const folder = dataFolder()
  const file = inUseFile(folder)
  const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? (existsSync(file) ? readFileSync(file, 'utf8') : '')
  if (!endpoint) throw new CannotContinue(`No local service keeps its jokes in ${folder}. Run npm start first.`)
  // The SDK would prefer a profile over the keys of the local database.
  delete process.env.AWS_PROFILE
  Object.assign(process.env, { ...LOCAL_ENVIRONMENT, ...process.env, AWS_ENDPOINT_URL_DYNAMODB: endpoint })
  return `the local service, ${endpoint}`
}

async function tablesOf(stack: string): Promise<{ JOKES_TABLE: string; WORDS_TABLE: string }> {
  const command = new DescribeStacksCommand({ StackName: stack })
  const { Stacks } = await new CloudFormationClient().send(command).catch((error: Error) => {
    throw new CannotContinue(
      `Cannot find the tables of the stack ${stack}: ${error.message.replace(/\.$/, '')}. Set credentials and region of its account, or use --local for npm start.`,
    )
  })
  const outputs = new Map(Stacks?.[0]?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]))
  const JOKES_TABLE = outputs.get('JokesTable')
  const WORDS_TABLE = outputs.get('WordsTable')
  if (JOKES_TABLE === undefined || WORDS_TABLE === undefined)
    throw new CannotContinue(`The stack ${stack} is not a Joke Service: it has no outputs JokesTable and WordsTable.`)
  return { JOKES_TABLE, WORDS_TABLE }
}
