/**
 * Vitest's configuration for mutation tests.
 *
 * `groups.json` has for each group what is mutated, the share of mutants in per cent that must be noticed, and the tests:
 * unit tests, and then tests of the service. The first failure ends a run, so the quickest come first. All must load the
 * mutated code into their own process: a child process does not know which mutant is active. `locate` is in no group: it
 * is tested with bundles, which take long.
 */
import { defineConfig } from 'vitest/config'
import { isDynoxideInstalled } from '../support/dynoxide.ts'
import GROUPS from './groups.json' with { type: 'json' }

const engine = isDynoxideInstalled ? 'dynoxide' : 'dynalite'
const defaults = { isolate: false, testTimeout: 30_000, hookTimeout: 30_000 }
const group = new Map(Object.entries(GROUPS)).get(process.env.GROUP ?? '')
const projects = group?.tests
  .filter((files) => isDynoxideInstalled || !/^test\/(cost|faults)/.test(files))
  .map((files, index) => {
    const own = index === 0 ? { isolate: true } : { globalSetup: `test/support/${engine}.ts` }
    return { ...defaults, ...own, name: `${engine} ${index}`, include: [files], sequence: { groupOrder: index + 1 } }
  })
if (!projects) throw new Error(`GROUP must be one of ${Object.keys(GROUPS).join(', ')}.`)
// Of tests that run at the same time, Stryker could not tell which one runs a mutant.
export default defineConfig({ test: { maxConcurrency: 1, projects: projects.map((test) => ({ test })) } })
