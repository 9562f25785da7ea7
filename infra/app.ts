/** The CDK app of the service: `npm run deploy`. */
import { App } from 'aws-cdk-lib'
import { currentCommit } from './commit.ts'
import { JokeService } from './service/jokeService.ts'
import { InvalidSettings, readSettings } from './settings.ts'

try {
  const app = new App()
  new JokeService(app, readSettings(app.node), currentCommit())
} catch (error) {
  // A stack trace would bury the message about an invalid setting.
  console.error(error instanceof InvalidSettings ? error.message : error)
  process.exit(1)
}
