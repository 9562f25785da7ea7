/** Vitest's configuration for mutation tests. */
import { defineConfig } from 'vitest/config'
import { isDynoxideInstalled } from '../support/dynoxide.ts'

const engine = isDynoxideInstalled ? 'dynoxide' : 'dynalite'
const defaults = { isolate: false, testTimeout: 60_000, hookTimeout: 60_000 }

/**
 * Runs unit tests first, then groups of tests of the service, on the faster engine. The first failure ends a run, so the
 * quickest come first. All must load the mutated code into their own process: a child process does not know which mutant
 * is active.
 */
export function projects(unitTests: string[], ...serviceTests: string[]) {
  const unit = { ...defaults, name: 'unit', include: unitTests, isolate: true, sequence: { groupOrder: 1 } }
  const services = serviceTests
    .filter((files) => isDynoxideInstalled || !/^test\/(cost|faults)/.test(files))
    .map((files, index) => ({
      ...defaults,
      name: `${engine} ${index + 1}`,
      include: [files],
      globalSetup: `test/support/${engine}.ts`,
      sequence: { groupOrder: index + 2 },
    }))
  return defineConfig({ test: { projects: [unit, ...services].map((test) => ({ test })) } })
}
