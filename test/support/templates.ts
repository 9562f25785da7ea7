/** The stack and its template, without bundles and files, which are slow to build. */
import type { App } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { JokeService } from '../../infra/service/jokeService.ts'
import { readSettings } from '../../infra/settings.ts'
import { encodeFile, HTML, QUALITY, type Site } from '../../shared/site.ts'
import { withApp } from './app.ts'

/** The context of production without settings of its own. Tests may replace each part. */
export const PRODUCTION = { stage: 'prod' }

const NO_FILES: Site = { headers: {}, html: '', files: {}, notFound: encodeFile(HTML, '', QUALITY.fast) }

/** The stack, with the settings in the context of the app. */
export function serviceOf(app: App): JokeService {
  return new JokeService(app, readSettings(app.node), NO_FILES, 'a1b2c3d')
}

export function serviceTemplate(context: Record<string, unknown> = {}): Template {
  return withApp({ ...PRODUCTION, ...context }, (app) => Template.fromStack(serviceOf(app)))
}

/**
 * Resources and outputs of a template in a form that is easy to compare. Ids lack their hashes, and references are text,
 * such as `Jokes` and `Jokes.Arn`.
 */
export function readable(template: Template) {
  const nameOf = (id: string) => id.replace(/[0-9A-F]{8}([0-9a-f]{32})?$/, '')
  const { Resources, Outputs } = JSON.parse(JSON.stringify(template.toJSON()), (_, value) => {
    if (value?.Ref) return nameOf(value.Ref)
    if (value?.['Fn::GetAtt']) return `${nameOf(value['Fn::GetAtt'][0])}.${value['Fn::GetAtt'][1]}`
    return value?.['Fn::Join'] ? value['Fn::Join'][1].join(value['Fn::Join'][0]) : value
  })
  const resources = Object.entries(Resources).map(([id, resource]) => [nameOf(id), resource])
  return { resources: Object.fromEntries(resources), outputs: Outputs }
}

/** The properties of all resources of a type, in the form of {@link readable}. */
export function propertiesOf(template: Template, type: string) {
  const resources = Object.values<ReturnType<Template['findResources']>[string]>(readable(template).resources)
  return resources.filter(({ Type }) => Type === type).map(({ Properties }) => Properties)
}

/** The permissions of each function's role, as `<action> <resource>`. An effect other than `Allow` is prefixed. */
export function rightsIn(template: Template): Record<string, string[]> {
  const rights: Record<string, string[]> = {}
  for (const { Roles, PolicyDocument } of propertiesOf(template, 'AWS::IAM::Policy')) {
    const allowed: string[] = []
    for (const { Effect, Action, Resource, Condition } of PolicyDocument.Statement)
      for (const action of [Action].flat())
        for (const resource of [Resource].flat())
          allowed.push(
            `${Effect === 'Allow' ? '' : Effect}${action} ${resource}${Condition ? ` if ${JSON.stringify(Condition)}` : ''}`,
          )
    rights[Roles.join().replace(/Role$/, '')] = allowed
  }
  return rights
}
