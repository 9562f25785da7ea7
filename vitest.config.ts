import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { defineConfig } from 'vitest/config'
import { isDynoxideInstalled } from './test/support/dynoxide.ts'

/** Node.js keeps compiled modules here, which halves the start of a process. The tests start about a hundred. */
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/node')

const { DYNAMODB_ENDPOINT: endpoint } = process.env

/**
 * The folders of test/ that run on each engine. With `DYNAMODB_ENDPOINT=URL`, all of them also run on the DynamoDB at
 * that address, such as Amazon's DynamoDB Local.
 */
const FOLDERS = {
  dynalite: ['service', 'input', 'listing', 'operators', 'store'],
  ...(isDynoxideInstalled && { dynoxide: ['service'] }),
  ...(endpoint && { endpoint: ['service', 'input', 'listing', 'operators', 'store'] }),
}

// Its tests must not be left out unnoticed where the package manager could have installed it.
if (process.env.CI && process.platform === 'linux' && process.arch === 'x64' && !isDynoxideInstalled)
  throw new Error('dynoxide is not installed: run npm ci, with optional dependencies.')

/** The projects that are named, or left out by a `!`. */
const named = [
  parseArgs({ options: { project: { type: 'string', multiple: true } }, strict: false }).values.project ?? [],
].flat()

/** Test files run in the same workers, and share the modules of node_modules, which take longest to load. */
const defaults = {
  isolate: false,
  // Far more than any test needs on a busy machine: this only ends what hangs.
  testTimeout: 180_000,
  hookTimeout: 180_000,
}

const projects = [
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
  ...Object.entries(FOLDERS).map(([engine, folders]) => ({
    test: {
      ...defaults,
      name: engine,
      include: folders.map((folder) => `test/${folder}/*.test.ts`),
      // DynamoDB Local counts units in another way.
      exclude: engine === 'endpoint' ? ['test/store/capacity.test.ts'] : [],
      // The other engines are started, and provide their own.
      provide: endpoint ? { endpoint } : {},
      globalSetup: engine === 'endpoint' ? [] : `test/support/${engine}.ts`,
    },
  })),
]

// Vitest fails only if no project has one of the names.
for (const name of named)
  if (!projects.some(({ test }) => test.name === String(name).replace('!', '')))
    throw new Error(`There is no project ${name}, or not on this machine.`)

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
      // The fast tests reach these. Coverage would make the others a fifth slower.
      thresholds: { statements: 95, branches: 88, functions: 98, lines: 96 },
    },
    projects,
  },
})
