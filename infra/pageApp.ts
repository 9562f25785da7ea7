/** The CDK app of the page: `npm run deploy:page`, after `npm run deploy`. */
import { App } from 'aws-cdk-lib'
import { JokePage } from './page.ts'
import { buildSite } from './site.ts'

const app = new App()
const stage: unknown = app.node.tryGetContext('stage')
// Each stage of the service can have a page of its own.
const suffix = stage === undefined || stage === 'prod' ? '' : `-${stage}`
new JokePage(app, `JokePage${suffix}`, {
  serviceStack: `JokeService${suffix}`,
  // Where the command line's credentials point to; the page itself is in a region of its own.
  serviceRegion: process.env.CDK_DEFAULT_REGION,
  site: await buildSite(),
})
