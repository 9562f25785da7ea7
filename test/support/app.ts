/** CDK apps that leave no files behind. */
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App } from 'aws-cdk-lib'
import { readSettings, type Settings } from '../../infra/settings.ts'

/** Turns off slow steps that other tests cover: bundling functions, and copying files to the output. */
const SKIPPED = { 'aws:cdk:bundling-stacks': [], 'aws:cdk:disable-asset-staging': true }

/** Calls `work` with an app with this context. CDK's own validation is slow, so it is off by default. */
export function withApp<Result>(context: object, work: (app: App) => Result, isValidated = false): Result {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'app-'))
  const outdir = folder.path
  return work(new App({ outdir, context: { ...context, ...SKIPPED }, builtinCloudFormationValidation: isValidated }))
}

/** The settings in the context of an app. */
export function settingsOf(context: object): Settings {
  return withApp(context, (app) => readSettings(app.node))
}
