/** The CDK app, run by `cdk` as it is. */
import { App } from 'aws-cdk-lib'
import { currentCommit } from './commit.ts'
import { JokeService } from './service/jokeService.ts'
import { InvalidSettings, readSettings } from './settings.ts'

try {
  const app = new App()
  new JokeService(app, readSettings(app.node), currentCommit())
} catch (error) {
  // Its message is for who typed the setting; a stack trace would bury it.
  console.error(error instanceof InvalidSettings ? error.message : error)
  process.exit(1)
}
