/** The CDK app of the page: `npm run deploy:page`, after `npm run deploy`. It reads the same settings. */
import { buildSite } from '../web/build.ts'
import { JokePage } from './page/jokePage.ts'
import { runApp } from './runApp.ts'
import { stackName } from './settings.ts'

await runApp(async (app, settings) => {
  // Named after the service's stack: the pages of all stages are in one region, which may differ from the service's.
  new JokePage(app, `Page-${stackName(settings)}`, {
    settings,
    serviceRegion: settings.region ?? process.env.CDK_DEFAULT_REGION,
    site: await buildSite(settings.contact),
  })
})
