/** Stryker's configuration. `GROUP` names a group of `groups.json`. */
import GROUPS from './groups.json' with { type: 'json' }

const { GROUP } = process.env
const { mutate, atLeast } = GROUPS[GROUP]

export default {
  mutate,
  testRunner: 'vitest',
  vitest: { configFile: 'test/mutate/vitest.ts', related: false },
  tsconfigFile: 'none',
  concurrency: 2,
  reporters: ['clear-text', 'html', 'json'],
  htmlReporter: { fileName: `reports/mutation/${GROUP}.html` },
  jsonReporter: { fileName: `reports/mutation/${GROUP}.json` },
  thresholds: { break: atLeast },
}
