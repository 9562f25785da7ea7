/** Global setup of the tests on dynalite, in memory. */
import type { TestProject } from 'vitest/node'
import { startDynalite } from '../../infra/local/localDatabase.ts'

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const { endpoint, stop } = await startDynalite(undefined, (reason) => {
    throw reason
  })
  project.provide('endpoint', endpoint)
  return stop
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** The URL of the database. */
    endpoint: string
  }
}
