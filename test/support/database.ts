/** Global setup of the tests that need a database: the one at `AWS_ENDPOINT_URL_DYNAMODB`, or dynalite in memory. */
import type { TestProject } from 'vitest/node'
import { configOf, createTable, startDynalite } from '../../infra/local/localDatabase.ts'
import { environment, fail } from '../../infra/local/startup.ts'

export default async function setUp(project: TestProject): Promise<(() => void) | undefined> {
  const { AWS_ENDPOINT_URL_DYNAMODB } = environment()
  if (AWS_ENDPOINT_URL_DYNAMODB !== undefined) {
    // Without a database, each test file would fail with a trace of its own.
    await createTable('Jokes', configOf(AWS_ENDPOINT_URL_DYNAMODB)).catch(fail)
    project.provide('endpoint', AWS_ENDPOINT_URL_DYNAMODB)
    return undefined
  }
  const { endpoint, stop } = await startDynalite()
  project.provide('endpoint', endpoint)
  return stop
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** The URL of the database. */
    endpoint: string
  }
}
