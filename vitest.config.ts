import { defineConfig } from 'vitest/config'
import { isDynoxideInstalled } from './test/support/dynoxide.ts'

/** The tests in test/service run once on each engine there is. */
const engines = isDynoxideInstalled ? ['dynalite', 'dynoxide'] : ['dynalite']

/** Ends what hangs; on a busy machine, what is merely slow takes its time. */
const TIMEOUT_MS = 30_000

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['test/*.test.ts'] } },
      {
        test: {
          name: 'clients',
          include: ['test/clients/*.test.ts'],
          globalSetup: 'test/support/dynalite.ts',
          testTimeout: TIMEOUT_MS,
          hookTimeout: TIMEOUT_MS,
          expect: { poll: { timeout: TIMEOUT_MS / 3 } },
        },
      },
      ...engines.map((engine) => ({
        test: {
          name: engine,
          include: ['test/service/*.test.ts'],
          globalSetup: `test/support/${engine}.ts`,
          testTimeout: TIMEOUT_MS,
        },
      })),
    ],
  },
})
