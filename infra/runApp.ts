/** What both CDK apps begin with: the settings of their stage, and what must not be deployed. */
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation'
import { App } from 'aws-cdk-lib'
import { isOlderThan } from './commit.ts'
import { InvalidSettings, readSettings, type Settings, stackName } from './settings.ts'

/** The outputs of a deployed stack. */
export type Outputs = Partial<Record<string, string>>

type Make = (app: App, settings: Settings, outputs: Outputs | undefined) => void | Promise<void>

/**
 * Makes the stacks of an app. Prints errors that its user can do something about as sentences, without a stack trace.
 *
 * @param make gets the outputs of the service's stack if it is for a deploy
 */
export async function runApp(make: Make): Promise<void> {
  try {
    refuseSwallowed()
    const app = new App()
    const settings = readSettings(app.node)
    refuseOtherStack(settings)
    // The name of the npm script: `deploy` or `deploy:page`.
    const isDeploy = process.env.npm_lifecycle_event?.startsWith('deploy')
    const outputs = isDeploy ? await readOutputs(settings) : undefined
    if (outputs) refuseOlderCommit(settings, outputs)
    await make(app, settings, outputs)
  } catch (error) {
    console.error(error instanceof InvalidSettings ? error.message : error)
    process.exit(1)
  }
}

/** npm takes options that stand before `--` for its own: `-c` is its `--call`. The app would work on the stage `dev`. */
function refuseSwallowed(): void {
  const { npm_config_call: call, npm_config_context: context, npm_lifecycle_event: script } = process.env
  if (call || context)
    throw new InvalidSettings(
      `npm has kept -c for itself. Write -- before it: npm run ${script} -- -c ${call || 'stage=…'}`,
    )
}

/** The runbooks' functions work on the stack that outputs.sh has read, so `cdk` must not work on another one beside it. */
function refuseOtherStack(settings: Settings): void {
  const { JOKE_STACK: read } = process.env
  const own = stackName(settings)
  if (!read || read === own) return
  throw new InvalidSettings(
    `This command is for ${own}, but this shell works on ${read}. Add -c stage=$stage (to npm run, after --), or open another shell.`,
  )
}

/** The outputs of the service's stack; none if it does not exist. */
async function readOutputs(settings: Settings): Promise<Outputs> {
  const StackName = stackName(settings)
  const region = settings.region ?? process.env.CDK_DEFAULT_REGION
  const client = new CloudFormationClient(region === undefined ? {} : { region })
  const { Stacks } = await client.send(new DescribeStacksCommand({ StackName })).catch((error: Error) => {
    if (error.message.includes('does not exist')) return { Stacks: [] }
    throw new InvalidSettings(`Cannot read which commit ${StackName} has: ${error.message}`)
  })
  return Object.fromEntries(Stacks?.[0]?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]) ?? [])
}

function refuseOlderCommit(settings: Settings, { Commit: deployed }: Outputs): void {
  if (deployed !== undefined && isOlderThan(deployed))
    throw new InvalidSettings(
      `${stackName(settings)} has a newer commit already: ${deployed}. Check out that one or a later one. To take changes back, revert them.`,
    )
}
