/** The CDK app: the stack of one stage. */
import { App, Tags } from 'aws-cdk-lib'
import { encodedSite } from '../web/site.ts'
import { JokeService } from './service/jokeService.ts'
import { samSettings, settingsOf } from './settings.ts'

const app = new App()
const { SAM_DATABASE_ENDPOINT: sam } = process.env
const settings = sam ? samSettings(sam) : settingsOf(app.node.tryGetContext('stage') ?? 'dev')
// For the bill. Activate them there as cost allocation tags.
Tags.of(app).add('service', 'joke-service')
Tags.of(app).add('stage', settings.stage)
new JokeService(app, settings, await encodedSite(settings.contact))
