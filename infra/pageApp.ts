/** The CDK app of the page: `npm run deploy:page`, after `npm run deploy`. It reads the same settings. */
import { Fn } from 'aws-cdk-lib'
import { buildSite } from '../web/build.ts'
import { JokePage } from './page/jokePage.ts'
import { type Outputs, runApp } from './runApp.ts'
import { InvalidSettings, stackName } from './settings.ts'

await runApp(async (app, settings, outputs) => {
  const service = stackName(settings)
  const region = settings.region ?? process.env.CDK_DEFAULT_REGION
  // Named after the service's stack: the pages of all stages are in one region, which may differ from the service's.
  new JokePage(app, `Page-${service}`, {
    settings,
    // A deploy writes the host itself: a reference looks unchanged when the service has a new API, so it would be skipped.
    apiHost: outputs === undefined ? Fn.getStackOutput(service, 'ApiHost', region) : hostIn(outputs, service),
    site: await buildSite(settings.contact),
  })
})

function hostIn({ ApiHost }: Outputs, service: string): string {
  if (ApiHost === undefined) throw new InvalidSettings(`${service} must be deployed before its page: npm run deploy.`)
  return ApiHost
}
