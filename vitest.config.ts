import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** Node.js keeps compiled modules here, which halves the start of a process. The tests start about a hundred. */
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/node')

/** The projects, and what each starts once. */
const PROJECTS = {
  unit: { include: ['test/*.test.ts'] },
  database: { include: ['test/{contract,store,commands}/*.test.ts'], globalSetup: 'test/support/database.ts' },
  system: {
    include: ['test/{processes,stacks,browser}/*.test.ts'],
    globalSetup: ['test/support/database.ts', 'test/support/browser.ts'],
  },
}

export default defineConfig({
  test: {
    // A failed test prints its logs. Most tests of failures make the code log them.
    silent: 'passed-only',
    // The list of files shows how far a run is. A test that is slower than this one would be a line of its own.
    slowTestThreshold: 60_000,
    // One more than the default of Vitest. Further ones gain nothing, as each worker loads the modules once more.
    maxWorkers: availableParallelism(),
    // Tests marked as concurrent mostly wait for time limits.
    maxConcurrency: 12,
    coverage: {
      // Faster than v8, for which Vitest turns off the cache of compiled modules.
      provider: 'istanbul',
      include: ['functions/**', 'shared/**'],
      reporter: ['text-summary'],
      // The fast tests reach these. Coverage would make the others a fifth slower.
      thresholds: { statements: 95, branches: 88, functions: 98, lines: 96 },
    },
    projects: Object.entries(PROJECTS).map(([name, project]) => ({
      test: {
        name,
        expect: { poll: { timeout: 20_000 } },
        // Test files run in the same workers, and share the modules of node_modules, which take longest to load.
        isolate: false,
        // Far more than any test needs on a busy machine: this only ends what hangs.
        testTimeout: 180_000,
        hookTimeout: 180_000,
        ...project,
      },
    })),
  },
})
