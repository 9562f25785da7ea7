import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { isDynoxideInstalled } from './test/support/dynoxide.ts'

/** Node.js keeps compiled modules here, which halves the start of a process. The tests start about a hundred. */
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/node')

/**
 * The tests in test/service run once on each engine, those in a folder named like an engine on that one. With
 * `DYNAMODB_ENDPOINT=URL`, all of them also run on the DynamoDB at that address, such as Amazon's DynamoDB Local; only
 * the tests of capacity do not, because DynamoDB Local counts units in another way.
 */
const engines = [
  'dynalite',
  ...(isDynoxideInstalled ? ['dynoxide'] : []),
  ...(process.env.DYNAMODB_ENDPOINT ? ['endpoint'] : []),
]

/** Test files run in the same workers, and share the modules of node_modules, which take longest to load. */
const defaults = {
  isolate: false,
  // Far more than any test needs on a busy machine: this only ends what hangs.
  testTimeout: 60_000,
  hookTimeout: 60_000,
}

export default defineConfig({
  test: {
    // One more than the default of Vitest. Further ones gain nothing, as each worker loads the modules once more.
    maxWorkers: availableParallelism(),
    // Tests marked as concurrent mostly wait for time limits.
    maxConcurrency: 12,
    coverage: {
      // Faster than v8, for which Vitest turns off the cache of compiled modules.
      provider: 'istanbul',
      include: ['functions/**', 'shared/**'],
      reporter: ['text-summary'],
      // Of the fast tests: coverage would make the others a fifth slower.
      thresholds: { statements: 95, branches: 88, functions: 98, lines: 96 },
    },
    projects: [
      { test: { ...defaults, name: 'unit', include: ['test/*.test.ts'] } },
      { test: { ...defaults, name: 'stacks', include: ['test/stacks/*.test.ts'] } },
      { test: { ...defaults, name: 'processes', include: ['test/processes/*.test.ts'] } },
      {
        test: {
          ...defaults,
          name: 'clients',
          include: ['test/clients/*.test.ts'],
          // Its generators are installed apart, by `npm --prefix test/client ci`.
          exclude: existsSync('test/client/node_modules') ? [] : ['test/clients/generated.test.ts'],
          globalSetup: 'test/support/dynalite.ts',
        },
      },
      {
        test: {
          ...defaults,
          name: 'browser',
          include: ['test/browser/*.test.ts'],
          globalSetup: ['test/support/dynalite.ts', 'test/support/browser.ts'],
          expect: { poll: { timeout: 20_000 } },
        },
      },
      ...engines.map((engine) => ({
        test: {
          ...defaults,
          name: engine,
          include: [`test/{service,${engine === 'endpoint' ? 'dynalite,dynoxide' : engine}}/*.test.ts`],
          exclude: engine === 'endpoint' ? ['test/dynoxide/capacity.test.ts'] : [],
          globalSetup: `test/support/${engine}.ts`,
        },
      })),
    ],
  },
})
