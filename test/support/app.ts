/** CDK apps that leave no files behind. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App } from 'aws-cdk-lib'

/** Calls `work` with an app with this context, which skips the bundling: it takes long, and other tests cover it. */
export function withApp<Result>(context: Record<string, unknown>, work: (app: App) => Result): Result {
  const outdir = mkdtempSync(join(tmpdir(), 'app-'))
  try {
    return work(new App({ outdir, context: { ...context, 'aws:cdk:bundling-stacks': [] } }))
  } finally {
    rmSync(outdir, { recursive: true })
  }
}
