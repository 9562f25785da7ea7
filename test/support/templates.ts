/** The templates of both stacks, without bundles and files, which take long to build. */
import { Template } from 'aws-cdk-lib/assertions'
import { JokePage } from '../../infra/page/jokePage.ts'
import { JokeService } from '../../infra/service/jokeService.ts'
import { readSettings } from '../../infra/settings.ts'
import { withApp } from './app.ts'

/** The service's stack with these settings, as in the context of the app. */
export function serviceTemplate(context: Record<string, unknown> = {}): Template {
  return withApp(context, (app) => Template.fromStack(new JokeService(app, readSettings(app.node))))
}

/** The page's stack with these settings. */
export function pageTemplate(context: Record<string, unknown> = {}): Template {
  return withApp(context, (app) => {
    const settings = readSettings(app.node)
    return Template.fromStack(new JokePage(app, 'Page', { settings, serviceRegion: 'eu-west-1', site: new Map() }))
  })
}

/** The properties of all resources of a type. */
export function propertiesOf(template: Template, type: string) {
  return Object.values(template.findResources(type)).map(({ Properties }) => Properties)
}
