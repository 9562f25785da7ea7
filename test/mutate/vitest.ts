/**
 * Vitest's configuration for mutation tests.
 *
 * Each group of `groups.json` names what is mutated, its tests, and the percentage of mutants that they must notice.
 * Unit tests come before tests of the service, because the first failure ends a run. The tests load the mutated code
 * into their own process, because a child process does not know which mutant is active. No group has `locate`, because
 * its tests make bundles, which takes long.
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
// Stryker could not tell which one of several simultaneous tests runs a mutant.
export default defineConfig({ test: { maxConcurrency: 1, projects: projects.map((test) => ({ test })) } })
