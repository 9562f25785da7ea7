/** The stack and its template, without bundles and files, which are slow to build. */
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App } from 'aws-cdk-lib'
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions'
import { JokeService } from '../../infra/service/jokeService.ts'
import { type Settings, settingsOf } from '../../infra/settings.ts'
import type { StageSettings } from '../../infra/stages.ts'
import { encodeFile, type Site } from '../../shared/site/files.ts'

const NO_FILES: Site = { headers: {}, html: '', files: {}, notFound: encodeFile({}, '') }

/** Bundles of functions and copies of files are slow to make, and other tests cover them. */
const SKIPPED = { 'aws:cdk:bundling-stacks': [], 'aws:cdk:disable-asset-staging': true }

/** A stage with every setting. */
export const EVERY_SETTING: Required<StageSettings> = {
  account: '123456789012',
  region: 'eu-west-1',
  alarmEmail: 'oncall@example.com',
  monthlyBudget: 50,
  contact: 'mailto:jokes@example.com',
  paused: 'writes',
  approval: 'on',
  createRate: 5,
  listRate: 50,
  thumbsUpRate: 3,
  pageRate: 4,
  domain: {
    name: 'jokes.example.com',
    certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/a1b2',
  },
}

/** Returns an app that writes into a folder. The CDK's own validation, which the flags turn on, is slow. */
export function appIn(outdir: string, flags: object = {}): App {
  const builtinCloudFormationValidation = Object.keys(flags).length > 0
  return new App({ outdir, context: { ...flags, ...SKIPPED }, builtinCloudFormationValidation })
}

export function serviceOf(app: App, settings: Settings): JokeService {
  return new JokeService(app, settings, NO_FILES)
}

/** Returns a stack, by default that of production without settings of its own, and its template. */
export function stackOf(settings = settingsOf('prod', {})) {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'app-'))
  const stack = serviceOf(appIn(folder.path), settings)
  const template = Template.fromStack(stack)
  const warnings = Annotations.fromStack(stack).findWarning('*', Match.anyValue())
  return { stack, template, ...readable(template), warnings: warnings.map(({ entry }) => entry.data) }
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
