/** The CDK app: the stack of one stage. */
import { App } from 'aws-cdk-lib'
import { encodedSite } from '../web/site.ts'
import { currentCommit } from './commit.ts'
import { JokeService } from './service/jokeService.ts'
import { InvalidSettings, readSettings, type Settings, stackName } from './settings.ts'

try {
  const app = new App()
  const settings = readSettings(app.node)
  refuseOtherStack(settings)
  new JokeService(app, settings, await encodedSite(settings.contact), currentCommit())
} catch (error) {
  console.error(error instanceof InvalidSettings ? error.message : error)
  process.exit(1)
}

/** The runbooks' shell functions work on the stack that stack.sh has read, so `cdk` must not work on another one. */
function refuseOtherStack(settings: Settings): void {
  const { JOKE_STACK: read, AWS_REGION: region } = process.env
  if (!read) return
  if (region && settings.region && settings.region !== region)
    throw new InvalidSettings(
      `This command is for ${settings.region}, but this shell works on ${read} in ${region}. Open another shell.`,
    )
  const chosen = stackName(settings)
  if (read === chosen) return
  throw new InvalidSettings(
    `This command is for ${chosen}, but this shell works on ${read}. Add -c stage=$stage, or open another shell.`,
  )
}
