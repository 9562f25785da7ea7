import { defineConfig } from 'vitest/config'
import { isDynoxideInstalled } from './test/support/dynoxide.ts'

/**
 * The tests in test/service run once on each engine there is, those in a folder named like an engine on that one. With
 * `DYNAMODB_ENDPOINT=URL`, they run on what listens there as well, such as Amazon's DynamoDB Local.
 */
const engines = [
  'dynalite',
  ...(isDynoxideInstalled ? ['dynoxide'] : []),
  ...(process.env.DYNAMODB_ENDPOINT ? ['endpoint'] : []),
]

/** Nobody waits for so long: this only ends what hangs, on however busy a machine. */
const timeouts = { testTimeout: 60_000, hookTimeout: 60_000 }

export default defineConfig({
  test: {
    // Many tests wait, for time limits, processes and a browser; by itself, Vitest would run half as many as cores.
    maxWorkers: '150%',
    projects: [
      { test: { name: 'unit', include: ['test/*.test.ts'], ...timeouts } },
      {
        test: {
          name: 'clients',
          include: ['test/clients/*.test.ts'],
          globalSetup: 'test/support/dynalite.ts',
          expect: { poll: { timeout: 20_000 } },
          ...timeouts,
        },
      },
      ...engines.map((engine) => ({
        test: {
          name: engine,
          include: ['test/service/*.test.ts', `test/${engine}/*.test.ts`],
          globalSetup: `test/support/${engine}.ts`,
          ...timeouts,
        },
      })),
    ],
  },
})
