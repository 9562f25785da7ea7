/** Vitest's configuration for mutation tests. */
import { defineConfig } from 'vitest/config'
import { isDynoxideInstalled } from '../support/dynoxide.ts'

const engine = isDynoxideInstalled ? 'dynoxide' : 'dynalite'
const defaults = { isolate: false, testTimeout: 60_000, hookTimeout: 60_000 }

/**
 * Runs unit tests first, then tests of the service on the faster engine. All must load the mutated code into their own
 * process: a child process does not know which mutant is active.
 */
export function projects(unitTests: string[], serviceTests: string[]) {
  const unit = { ...defaults, name: 'unit', include: unitTests, isolate: true, sequence: { groupOrder: 0 } }
  const include = serviceTests.filter((files) => isDynoxideInstalled || !files.startsWith('test/dynoxide'))
  const service = { ...defaults, name: engine, include, sequence: { groupOrder: 1 } }
  return defineConfig({
    test: { projects: [{ test: unit }, { test: { ...service, globalSetup: `test/support/${engine}.ts` } }] },
  })
}
