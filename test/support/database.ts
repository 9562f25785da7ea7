/**
 * Global setup of the tests that need a database: the one at `AWS_ENDPOINT_URL_DYNAMODB`, or dynalite in memory. The
 * tests of the contract need none if `SERVICE_URL` is the URL of a service.
 */
import type { TestProject } from 'vitest/node'
import { configOf, createTable, startDynalite } from '../../infra/local/localDatabase.ts'
import { environment, fail } from '../../infra/local/startup.ts'

export default async function setUp(project: TestProject): Promise<(() => void) | undefined> {
  const { AWS_ENDPOINT_URL_DYNAMODB, SERVICE_URL } = environment()
  if (SERVICE_URL !== undefined && project.name === 'contract') {
    project.provide('serviceUrl', originOf(SERVICE_URL))
    return undefined
  }
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

/** @throws {Error} if a URL is not one of this machine, because the tests add hundreds of jokes that stay */
function originOf(url: string): string {
  const { protocol, hostname, origin } = URL.parse(url) ?? {}
  const isLocal = protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(`${hostname}`)
  if (!isLocal || origin === undefined)
    throw new Error(`SERVICE_URL must be an http URL of this machine, such as http://localhost:3000, not ${url}.`)
  return origin
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** The URL of the database. */
    endpoint: string
    /** The URL of the service that the tests of the contract use, unless they start one. */
    serviceUrl: string | undefined
  }
}
