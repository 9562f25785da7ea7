/** The CDK app: the stack of one stage. */
import { App } from 'aws-cdk-lib'
import { encodedSite } from '../web/site.ts'
import { currentCommit } from './commit.ts'
import { JokeService } from './service/jokeService.ts'
import { InvalidSettings, type Settings, samSettings, settingsOf, stackName } from './settings.ts'

try {
  const app = new App()
  const { SAM_DATABASE_ENDPOINT: sam } = process.env
  const settings = sam ? samSettings(sam) : settingsOf(`${app.node.tryGetContext('stage') ?? 'dev'}`)
  if (!sam) refuseOtherStack(settings)
  new JokeService(app, settings, await encodedSite(settings.contact), currentCommit())
} catch (error) {
  console.error(error instanceof InvalidSettings ? error.message : error)
  process.exit(1)
}

/** The runbooks' shell functions work on the stack that stack.sh has read, so `cdk` must not work on another one. */
function refuseOtherStack({ stage, ...settings }: Settings): void {
  // The CDK's command line passes the account of the credentials, if there are any, and the region of the shell.
  const { JOKE_STACK, JOKE_ACCOUNT, JOKE_REGION, CDK_DEFAULT_ACCOUNT, CDK_DEFAULT_REGION } = process.env
  const { account = CDK_DEFAULT_ACCOUNT, region = CDK_DEFAULT_REGION } = settings
  if (!JOKE_STACK) return
  const refuse = (chosen: string, read: string, advice: string) =>
    new InvalidSettings(`This command is for ${chosen}, but this shell works on ${read}. ${advice}`)
  const name = stackName(stage)
  if (name !== JOKE_STACK) throw refuse(name, JOKE_STACK, 'Add -c stage=$stage, or open another shell.')
  // Without a stack of this name, stack.sh knows neither account nor region.
  if (JOKE_ACCOUNT && account && account !== JOKE_ACCOUNT)
    throw refuse(`account ${account}`, `${name} in account ${JOKE_ACCOUNT}`, 'Open another shell.')
  if (JOKE_REGION && region && region !== JOKE_REGION)
    throw refuse(region, `${name} in ${JOKE_REGION}`, 'Open another shell.')
}
