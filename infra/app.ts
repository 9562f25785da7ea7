/** The CDK app: the stack of one stage. */
import { App } from 'aws-cdk-lib'
import { encodedSite } from '../web/site.ts'
import { JokeService } from './service/jokeService.ts'
import { samSettings, settingsOf } from './settings.ts'

const app = new App()
const { SAM_DATABASE_ENDPOINT: sam } = process.env
const settings = sam ? samSettings(sam) : settingsOf(app.node.tryGetContext('stage') ?? 'dev')
new JokeService(app, settings, await encodedSite(settings.contact))
