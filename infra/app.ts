/** The CDK app. `npx cdk deploy` deploys the service, and `npx cdk deploy Page/JokeService` its page. */
import { Annotations, App, Stage } from 'aws-cdk-lib'
import { messageOf } from '../shared/causes.ts'
import { buildSite } from '../web/build.ts'
import { currentCommit } from './commit.ts'
import { JokePage } from './page/jokePage.ts'
import { JokeService } from './service/jokeService.ts'
import { InvalidSettings, readSettings, type Settings, stackName } from './settings.ts'

try {
  const app = new App()
  const settings = readSettings(app.node)
  refuseOtherStack(settings)
  new JokeService(app, settings, currentCommit())
  await addPage(app, settings)
} catch (error) {
  console.error(error instanceof InvalidSettings ? error.message : error)
  process.exit(1)
}

/**
 * Adds the page in an assembly of its own, so that commands without a stack's name work on the service alone. If the page
 * cannot be built, only commands for the page fail.
 */
async function addPage(app: App, settings: Settings): Promise<void> {
  const built = await buildSite(settings.contact).catch((error) => `The page cannot be built: ${messageOf(error)}`)
  const site = typeof built === 'string' ? new Map() : built
  const page = new JokePage(new Stage(app, 'Page'), stackName(settings), { settings, site })
  if (typeof built === 'string') Annotations.of(page).addError(built)
}

/** The runbooks' shell functions work on the stack that outputs.sh has read, so `cdk` must not work on another one. */
function refuseOtherStack(settings: Settings): void {
  const { JOKE_STACK: read } = process.env
  const chosen = stackName(settings)
  if (!read || read === chosen) return
  throw new InvalidSettings(
    `This command is for ${chosen}, but this shell works on ${read}. Add -c stage=$stage, or open another shell.`,
  )
}
