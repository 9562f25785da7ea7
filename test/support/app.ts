/** CDK apps that leave no files behind. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App } from 'aws-cdk-lib'

/**
 * Calls `work` with an app with this context. Skips what takes long and other tests cover: the bundling, and CDK's own
 * validation of templates, unless `isValidated`.
 */
export function withApp<Result>(
  context: Record<string, unknown>,
  work: (app: App) => Result,
  isValidated = false,
): Result {
  const outdir = mkdtempSync(join(tmpdir(), 'app-'))
  try {
    const withoutBundling = { ...context, 'aws:cdk:bundling-stacks': [] }
    return work(new App({ outdir, context: withoutBundling, builtinCloudFormationValidation: isValidated }))
  } finally {
    rmSync(outdir, { recursive: true })
  }
}
