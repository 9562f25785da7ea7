import { defineConfig } from 'vitest/config'
import { isDynoxideInstalled } from './test/support/dynoxide.ts'

/** The tests in test/service run once on each engine there is. */
const engines = isDynoxideInstalled ? ['dynalite', 'dynoxide'] : ['dynalite']

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['test/*.test.ts'] } },
      {
        test: {
          name: 'clients',
          include: ['test/clients/*.test.ts'],
          globalSetup: 'test/support/dynalite.ts',
          // Processes and browsers take a while to start where others are at work too.
          testTimeout: 20_000,
          hookTimeout: 30_000,
        },
      },
      ...engines.map((engine) => ({
        test: { name: engine, include: ['test/service/*.test.ts'], globalSetup: `test/support/${engine}.ts` },
      })),
    ],
  },
})
